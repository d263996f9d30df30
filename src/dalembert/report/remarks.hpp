#pragma once
/// What a reader should know of results beside their numbers. Every doubt is said here once; the
/// terminal, the JSON documents and the Python package all show what this says.

#include <string>
#include <string_view>
#include <vector>

#include "dalembert/flow/compiled.hpp"
#include "dalembert/motion/simulate.hpp"

namespace dalembert::report {

struct Remark {
  /// What it is about, at most 12 characters. "warning" stands for nothing in particular; a "note"
  /// on a state goes to standard error, beside the numbers.
  std::string_view label;
  std::string text;      ///< goes on from the label
  bool warning = false;  ///< whether the numbers should not be taken without a second look
};

/// Of a motion, in the order in which they are shown.
std::vector<Remark> remarks(const motion::Motion& motion, const motion::Summary& summary);

/// Of what was computed at one state.
std::vector<Remark> remarks(const motion::Motion& motion, const motion::State& state,
                            const motion::Acceleration& solved, const motion::Residuals& residuals);

/// The warnings among them as sentences that stand for themselves, each once.
std::vector<std::string> warnings(const std::vector<Remark>& remarks);

/// Whether a state satisfies all constraints, to what counts as consistent in a start.
bool on_constraints(const motion::Residuals& residuals);

/// Of joints: which of their reactions are not the only ones; empty if all are. `unique` has one
/// entry a joint.
std::string shared_reactions(const motion::Motion& motion, const std::vector<bool>& unique);

/// Lines about what of the joints' reactions is not known, and what was assumed about the others.
std::vector<std::string> unknown_reactions(const motion::Motion& motion);

/// The outputs of the model at a state, in their order; not numbers where a multiplier that is not
/// unique would have to tell, or a contact that nobody knows of.
std::vector<double> outputs_at(const motion::Motion& motion, const motion::State& state,
                               const motion::Acceleration& solved);

}  // namespace dalembert::report
