#include <nlohmann/json.hpp>

#include "dalembert/expr/print.hpp"
#include "dalembert/motion/reactions.hpp"
#include "dalembert/report/check.hpp"
#include "dalembert/report/check_parts.hpp"
#include "dalembert/report/instants.hpp"

namespace dalembert::report {

namespace {

using Json = nlohmann::ordered_json;
using mechanics::Agreement;
using mechanics::How;

std::string word_of(mechanics::Level level) {
  switch (level) {
    case mechanics::Level::position:
      return "position";
    case mechanics::Level::velocity:
      return "velocity";
    case mechanics::Level::acceleration:
      return "acceleration";
  }
  return {};
}

/// What motions keep, and whether energy is among it.
void add_conserved(Json& document, const CheckReport& r) {
  constexpr std::size_t longest = 100'000;
  document["conserved"] = nullptr;
  document["energy"] = {{"conserved", nullptr}};
  if (!r.conserved) {
    document["energy"]["reason"] = model::has_instants(r.motion->model())
                                       ? instants_do_not_conserve
                                       : "deciding that takes too long";
    return;
  }
  document["conserved"] = Json::array();
  for (const mechanics::ConservedQuantity& quantity : r.conserved->proven) {
    Json entry{{"kind", mechanics::to_string(quantity.kind)}};
    if (quantity.coordinate) entry["of"] = r.motion->model().coordinates[*quantity.coordinate];
    const auto value = text_within(quantity.value, longest);
    entry["expression"] = value ? Json(*value) : Json();
    if (const auto names = inputs_in(r.motion->model(), quantity.value); !names.empty())
      entry["while_constant"] = names;
    document["conserved"].push_back(std::move(entry));
  }
  if (r.conserved->energy) document["energy"]["conserved"] = *r.conserved->energy;
  if (r.conserved->energy != true)
    document["energy"]["reason"] = why_no_energy(r.motion->model(), r.conserved->why_not);
}

/// Constraints that inputs enforce; nothing where there are none.
void add_servos(Json& document, const CheckReport& r) {
  using Verdict = study::InternalDynamics::Verdict;
  if (!r.internal) return;
  document["servo"] = Json::array();
  for (const model::ServoConstraint& servo : r.motion->model().servos)
    document["servo"].push_back({{"constraint", servo.name},
                                 {"inputs", servo.inputs},
                                 {"relative_degree", servo.relative_degree},
                                 {"index", servo.index()}});
  Json internal{{"states", r.internal->eigenvalues.size()}, {"stable", nullptr}};
  const Verdict verdict = r.internal->verdict;
  if (verdict == Verdict::not_judged) internal["states"] = nullptr;
  if (verdict == Verdict::none || verdict == Verdict::stable) internal["stable"] = true;
  if (verdict == Verdict::unstable) internal["stable"] = false;
  internal["eigenvalues"] = Json::array();
  for (const auto& z : r.internal->eigenvalues)
    internal["eigenvalues"].push_back({z.real(), z.imag()});
  internal["verdict"] = internal_text(*r.internal);
  document["internal_dynamics"] = std::move(internal);
}

}  // namespace

std::string check_json(const CheckReport& r) {
  const motion::Motion& motion = *r.motion;
  Json document;
  document["name"] = motion.model().name;
  document["coordinates"] = motion.coordinates();
  document["constraints"] = Json::array();
  for (const auto& c : r.classes.constraints) {
    Json entry{{"name", c.name},
               {"kind", c.holonomic() ? "holonomic" : "nonholonomic"},
               {"level", word_of(c.level)},
               {"linear", c.linear},
               {"rheonomic", c.rheonomic},
               {"catastatic", c.catastatic},
               {"integrable", nullptr},
               {"exact", c.exact}};
    if (c.integrable) entry["integrable"] = *c.integrable;
    if (c.integral) entry["integral"] = expr::to_text(*c.integral, 2000);
    document["constraints"].push_back(std::move(entry));
  }
  document["holonomic_combinations"] = nullptr;
  if (r.classes.holonomic_combinations)
    document["holonomic_combinations"] = *r.classes.holonomic_combinations;
  document["combinations"] = Json::array();
  for (const mechanics::HolonomicCombination& combination : r.classes.combinations) {
    Json entry{{"equation", expr::to_text(combination.rate, 2000) + " = 0"}};
    if (combination.integral) entry["integral"] = expr::to_text(*combination.integral, 2000);
    document["combinations"].push_back(std::move(entry));
  }
  document["rank"] = r.rank;
  document["rank_at_start"] = r.rank_at_start;
  document["redundant"] = Json::array();
  for (const auto& x : r.redundant)
    document["redundant"].push_back(motion.model().constraints[x.constraint].name);
  document["dependencies"] = Json::array();
  for (const auto& x : r.redundant) {
    Json of = Json::array();
    for (const std::size_t i : x.of) of.push_back(motion.model().constraints[i].name);
    document["dependencies"].push_back(
        {{"constraint", motion.model().constraints[x.constraint].name},
         {"depends_on", of},
         {"combination", x.combination},
         {"holds", x.given_up ? Json() : Json(x.result.holds)},
         {"how", x.given_up                   ? "given up"
                 : x.result.how == How::proof ? "proof"
                                              : "numeric"}});
  }
  document["degrees_of_freedom"] = motion.coordinates() - r.rank;
  document["initial"] = {
      {"consistent", r.consistent}, {"residual", r.residual}, {"adjusted", r.adjusted}};
  if (!r.start_problem.empty()) document["initial"]["problem"] = r.start_problem;
  document["reactions"] = Json::array();
  for (std::size_t j = 0; j < motion.constraints(); ++j)
    document["reactions"].push_back({{"constraint", motion.model().constraints[j].name},
                                     {"unique", static_cast<bool>(r.unique[j])}});
  if (!r.unique_reactions.empty()) {
    document["joints"] = Json::array();
    for (std::size_t k = 0; k < r.unique_reactions.size(); ++k) {
      const model::Joint& joint = motion.model().joints[k];
      document["joints"].push_back({{"name", joint.name},
                                    {"kind", model::to_string(joint.kind)},
                                    {"bodies", joint.bodies},
                                    {"unique", static_cast<bool>(r.unique_reactions[k])}});
      const auto unknown = motion::find_unknown(motion.model(), joint.name);
      if (!unknown.components.empty()) {
        document["joints"].back()["unknown"] = unknown.components;
        document["joints"].back()["unknown_reason"] = unknown.reason;
      }
    }
    if (!motion.model().reaction_notes.empty())
      document["reaction_notes"] = motion.model().reaction_notes;
  }
  add_servos(document, r);
  add_instants(document, motion.model());
  add_conserved(document, r);
  document["compared"] = r.compared;
  document["equivalence"] = Json::array();
  for (const Agreement& a : r.agreements) {
    Json entry{{"method", a.method}, {"mechanical", a.mechanical}};
    if (!a.ruled_out.empty()) {
      entry["agrees"] = nullptr;
      entry["ruled_out"] = a.ruled_out;
    } else if (a.given_up) {
      entry["agrees"] = nullptr;
      entry["given_up"] = "comparing it takes too long";
    } else {
      entry["agrees"] = a.result.holds;
      entry["how"] = a.result.how == How::proof ? "proof" : "numeric";
      entry["error"] = a.result.error;
      if (!a.result.holds) entry["failed"] = a.result.failed;
      if (a.result.witness) entry["witness"] = witness_text(*a.result.witness);
    }
    document["equivalence"].push_back(std::move(entry));
  }
  document["warnings"] = r.warnings;
  document["passed"] = r.passed();
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dalembert::report
