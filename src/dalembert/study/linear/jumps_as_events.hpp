#pragma once
/// A model whose equations jump with the state, or with time at an instant that parameters decide,
/// as one with events: the level of each jump becomes a discrete value that an event changes,
///
///     sign(g), step(g), if(g, a, b)   s, step(s), if(s, a, b)     s = +1 or -1;  g = 0: s := -s
///     floor(g)                        f                           g = f + 1: f := f + 1, and down
///
/// where they are differentiated abs, min and max likewise; and a table that holds its values is a
/// sum of steps. Between events the equations are smooth, as variational equations need them.

#include <string>
#include <vector>

#include "dalembert/expr/result.hpp"
#include "dalembert/flow/compiled.hpp"

namespace dalembert::study {

/// `parameters`: those that are to change, by index. The same motion where nothing jumps so; with
/// the values of the new discretes for a motion that starts from `start`. Fails with the reason
/// where the engine of events does not serve the model, where it starts upon a jump and rests
/// there, or where a jump is left in a model with events.
expr::Result<flow::Motion, std::string> with_jumps_as_events(
    const flow::Motion& motion, const flow::State& start,
    const std::vector<std::size_t>& parameters);

/// Whether an event stands for a jump.
bool stands_for_jump(const model::Model& model, const model::Event& event);

}  // namespace dalembert::study
