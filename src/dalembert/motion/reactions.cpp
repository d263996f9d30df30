#include "dalembert/motion/reactions.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/flow/evaluator.hpp"
#include "dalembert/flow/instants/kernels.hpp"
#include "dalembert/flow/values.hpp"

namespace dalembert::motion {

namespace {

using expr::Expr;

// A change of a reaction below this part of what its terms could have been is rounding; so is one
// below the other part of what the largest multiplier could do.
constexpr double negligible_change = 1e-6;
constexpr double invisible = 1e-10;

std::array<double, 3> evaluated(const expr::Vector& v, const expr::Values& values) {
  return {expr::evaluate(v.x, values), expr::evaluate(v.y, values), expr::evaluate(v.z, values)};
}

/// A z with A^T z = 0, by constraint.
std::vector<double> null_vector(const Dependency& dependency, std::size_t m) {
  std::vector<double> z(m, 0.0);
  z[static_cast<std::size_t>(dependency.row)] = 1;
  for (const Dependency::Term& term : dependency.terms)
    z[static_cast<std::size_t>(term.row)] = -term.coefficient;
  return z;
}

/// The derivatives of a force or moment by multipliers. Friction makes them depend on the
/// multipliers, but whether they vanish along a direction does not, but for single values of them:
/// so they are taken at values that nothing else has chosen.
struct Response {
  std::vector<std::size_t> constraints;
  std::array<std::vector<double>, 3> slopes;
};

Response calc_response(const expr::Vector& v,
                       const std::unordered_map<std::string, std::size_t>& index,
                       const expr::Values& values) {
  const expr::Values generic = [&](const expr::Symbol& s) {
    if (s.kind != expr::SymbolKind::multiplier) return values(s);
    return 1 + std::sqrt(2.0 + static_cast<double>(index.at(s.name)));
  };
  Response response;
  std::vector<Expr> multipliers = expr::symbols(std::array{v.x, v.y, v.z});
  std::erase_if(multipliers,
                [](const Expr& s) { return s.symbol().kind != expr::SymbolKind::multiplier; });
  for (const Expr& s : multipliers) response.constraints.push_back(index.at(s.symbol().name));
  for (std::size_t r = 0; r < 3; ++r) {
    for (const Expr& slope : expr::gradient(v[r], multipliers))
      response.slopes[r].push_back(expr::evaluate(slope, generic));
  }
  return response;
}

bool is_changed_along(const Response& response, const std::vector<double>& z) {
  double largest = 0;
  for (const std::size_t j : response.constraints) largest = std::max(largest, std::abs(z[j]));
  double change = 0, terms = 0, reach = 0;
  for (const std::vector<double>& slopes : response.slopes) {
    double sum = 0, size = 0, whole = 0;
    for (std::size_t k = 0; k < slopes.size(); ++k) {
      const double part = slopes[k] * z[response.constraints[k]];
      sum += part;
      size += std::abs(part);
      whole += std::abs(slopes[k]) * largest;
    }
    change = std::max(change, std::abs(sum));
    terms = std::max(terms, size);
    reach = std::max(reach, whole);
  }
  return change > negligible_change * terms && change > invisible * reach;
}

}  // namespace

UnknownParts find_unknown(const model::Model& model, const std::string& joint) {
  UnknownParts result;
  for (const model::UnknownReaction& unknown : model.unknown_reactions) {
    if (unknown.joint != joint) continue;
    result.components.push_back(unknown.component);
    if (result.reason.find(unknown.reason) == std::string::npos)
      result.reason += (result.reason.empty() ? "" : "; ") + unknown.reason;
  }
  return result;
}

std::vector<bool> calc_unique_reactions(const Motion& motion, const State& state) {
  const auto& joints = motion.model().joints;
  std::vector<bool> unique(joints.size(), true);
  if (joints.empty()) return unique;
  Evaluator evaluator(motion);
  if (evaluator.decide_rank(state.t, state.q, state.v) != Status::ok) return unique;
  if (static_cast<std::size_t>(evaluator.solution().rank()) == motion.constraints()) return unique;
  std::unordered_map<std::string, std::size_t> index;
  for (const auto& constraint : motion.model().constraints)
    index.emplace(constraint.name, index.size());
  std::vector<std::vector<double>> null_space;
  for (const Dependency& dependency : evaluator.solution().calc_dependencies())
    null_space.push_back(null_vector(dependency, motion.constraints()));
  const expr::Values values = values_at(motion.model(), motion.parameters(), state);
  for (std::size_t k = 0; k < joints.size(); ++k) {
    for (const expr::Vector* part : {&joints[k].force, &joints[k].moment}) {
      const Response response = calc_response(*part, index, values);
      if (std::ranges::any_of(null_space,
                              [&](const auto& z) { return is_changed_along(response, z); }))
        unique[k] = false;
    }
  }
  return unique;
}

std::vector<JointReaction> calc_reactions(const Motion& motion, const State& state,
                                          const Acceleration& solved) {
  std::vector<JointReaction> result;
  if (!is_mechanical(motion.method()) || solved.status != Status::ok) return result;
  const model::Model& model = motion.model();
  const std::vector<bool> unique = calc_unique_reactions(motion, state);
  const expr::Values values = values_at(motion, state, solved);
  for (std::size_t k = 0; k < model.joints.size(); ++k) {
    const model::Joint& joint = model.joints[k];
    JointReaction reaction{joint.name,
                           joint.kind,
                           joint.bodies,
                           evaluated(joint.point, values),
                           evaluated(joint.force, values),
                           evaluated(joint.moment, values),
                           evaluated(joint.body_force, values),
                           evaluated(joint.body_moment, values),
                           unique[k],
                           std::nullopt,
                           find_unknown(model, joint.name)};
    for (std::size_t i = 0; i < model.frictions.size(); ++i) {
      if (model.frictions[i].joint == joint.name)
        reaction.friction = solved.normal_forces[static_cast<Eigen::Index>(i)];
    }
    for (std::size_t i = 0; i < solved.named.size(); ++i) {
      if (motion.instants()->reactions[i].name == model::normal_name(joint.name))
        reaction.friction = solved.named[i];
    }
    result.push_back(std::move(reaction));
  }
  return result;
}

}  // namespace dalembert::motion
