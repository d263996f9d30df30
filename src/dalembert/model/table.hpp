#pragma once
/// Tables of a model, and inputs whose course is given.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/table.hpp"
#include "dalembert/model/draft.hpp"

namespace dalembert::model {

/// Why there is no table through these points; empty where there is one.
std::string table_objection(std::span<const double> x, std::span<const double> y);

/// The same draft where inputs follow tables of t: each has the name of its input, which becomes
/// the let `u = table(t)`. So all that is derived from it, rates included, is exact on every piece.
/// Fails with a sentence where there is no such input.
expr::Result<Draft, std::string> with_inputs(
    const Draft& draft, const std::vector<std::shared_ptr<const expr::Table>>& driven);

}  // namespace dalembert::model
