#include "dalembert/report/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "dalembert/motion/reactions.hpp"
#include "dalembert/report/instants.hpp"
#include "dalembert/report/json_values.hpp"
#include "dalembert/report/remarks.hpp"

namespace dalembert::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* convention = "M q'' = Q + Q_ideal + Q_nonideal";

/// Names that are not UTF-8 (of a file, say) are mended rather than refused.
std::string text_of(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

template <class Vector>
Json keyed(const std::vector<std::string>& names, const Vector& values) {
  Json object = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i)
    object[names[i]] = values[static_cast<Eigen::Index>(i)];
  return object;
}

Json keyed(const std::vector<std::string>& names, const std::vector<double>& values) {
  return keyed(names, Eigen::Map<const Eigen::VectorXd>(values.data(),
                                                        static_cast<Eigen::Index>(values.size())));
}

Json matrix(const Eigen::MatrixXd& m) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    Json row = Json::array();
    for (Eigen::Index j = 0; j < m.cols(); ++j) row.push_back(m(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json list(const Eigen::VectorXd& v) {
  Json result = Json::array();
  for (const double x : v) result.push_back(x);
  return result;
}

Json joints(const motion::Motion& motion, const motion::State& state,
            const motion::Acceleration& solved) {
  Json result = Json::array();
  for (const motion::JointReaction& joint : motion::calc_reactions(motion, state, solved)) {
    Json entry{{"name", joint.name},
               {"kind", model::to_string(joint.kind)},
               {"bodies", joint.bodies},
               {"force", {{"world", joint.force}, {"body", joint.body_force}}},
               {"moment", {{"world", joint.moment}, {"body", joint.body_moment}}},
               {"point", joint.point},
               {"unique", joint.unique}};
    if (joint.friction) entry["friction"] = *joint.friction;
    if (!joint.unknown.components.empty()) {
      entry["unknown"] = joint.unknown.components;
      entry["unknown_reason"] = joint.unknown.reason;
    }
    result.push_back(std::move(entry));
  }
  return result;
}

/// What a reader must know of the method.
void add_method(Json& document, const motion::Motion& motion) {
  document["method"] = motion::to_string(motion.method());
  document["mechanical"] = motion::is_mechanical(motion.method());
  if (const auto note = motion::method_note(motion.method()); !note.empty())
    document["note"] = note;
}

}  // namespace

std::string evaluation_json(const motion::Motion& motion, const motion::State& state,
                            const motion::Acceleration& r, const motion::Residuals& residuals) {
  const auto& names = motion.model().coordinates;
  Json document;
  add_method(document, motion);
  document["convention"] = convention;
  document["t"] = state.t;
  document["q"] = keyed(names, state.q);
  document["v"] = keyed(names, state.v);
  if (r.mu.size() > 0) {
    document["mu"] = keyed(motion.constraint_names(), r.mu);
    document["mu_rate"] = keyed(motion.constraint_names(), r.mu_rate);
  }
  document["unconstrained"] = keyed(names, r.unconstrained);
  document["violation"] = list(r.violation);
  document["acceleration"] = keyed(names, r.qdd);
  document["force"] = {{"applied", keyed(names, r.Q)},
                       {"ideal", keyed(names, r.ideal)},
                       {"nonideal", keyed(names, r.nonideal)}};
  document["constraints"] = Json::array();
  for (std::size_t j = 0; j < motion.constraints(); ++j) {
    const auto row = static_cast<Eigen::Index>(j);
    const Eigen::VectorXd share = r.A.row(row).transpose() * r.multipliers[row];
    document["constraints"].push_back({{"name", motion.model().constraints[j].name},
                                       {"multiplier", r.multipliers[row]},
                                       {"multiplier_with_C", r.reactions[row]},
                                       {"unique", static_cast<bool>(r.unique[j])},
                                       {"force", keyed(names, share)},
                                       {"residual", residuals.residual[j]},
                                       {"rate", residuals.rate[j]}});
  }
  if (!motion.model().outputs.empty()) {
    document["outputs"] = Json::object();
    const std::vector<double> values = outputs_at(motion, state, r);
    for (std::size_t i = 0; i < values.size(); ++i)
      document["outputs"][motion.model().outputs[i].name] = values[i];
  }
  if (!motion.model().joints.empty()) document["joints"] = joints(motion, state, r);
  if (motion.instants() != nullptr)
    add_touch_states(document, flow::find_touch_states(motion, state.t, state.q, state.v));
  if (!motion.model().reaction_notes.empty())
    document["reaction_notes"] = motion.model().reaction_notes;
  document["mass_matrix"] = matrix(r.M);
  document["A"] = matrix(r.A);
  document["b"] = list(r.b);
  document["C"] = keyed(names, r.C);
  document["rank"] = r.rank;
  document["residual"] = r.residual;
  document["consistent"] = r.consistent;
  document["warnings"] = warnings(remarks(motion, state, r, residuals));
  return text_of(document);
}

Json summary_document(const motion::Motion& motion, const motion::SimulationOptions& options,
                      const motion::Summary& s) {
  Json document;
  document["name"] = motion.model().name;
  add_method(document, motion);
  document["integrator"] = motion::to_string(options.integrator);
  document["precision"] = motion::to_string(options.precision);
  if (s.chosen)
    document["chosen"] = {{"integrator", motion::to_string(*s.chosen)}, {"reason", s.choice}};
  document["convention"] = convention;
  document["rtol"] = options.rtol;
  document["atol"] = options.atol;
  document["max_step"] = std::isfinite(options.max_step) ? Json(options.max_step) : Json();
  document["duration"] = options.duration - options.from;
  if (options.from != 0) document["from"] = options.from;
  document["adjusted"] = s.adjusted;
  document["largest_changes"] = Json::array();
  for (const auto& change : s.changes) {
    document["largest_changes"].push_back(
        {{"name", change.name}, {"from", change.from}, {"to", change.to}});
  }
  document["complete"] = s.complete;
  document["t"] = s.t;
  if (!s.complete) document["reason"] = s.reason;
  document["warnings"] = warnings(remarks(motion, s));
  document["rows"] = s.samples;
  document["steps"] = s.steps;
  document["taylor_steps"] = s.taylor_steps;
  document["rejected"] = s.rejected;
  document["evaluations"] = s.evaluations;
  document["jacobians"] = s.jacobians;
  document["gimbal"] = s.gimbal ? Json{{"body", s.gimbal->body},
                                       {"axes", s.gimbal->axes},
                                       {"t", s.gimbal->t},
                                       {"determinant", s.gimbal->determinant}}
                                : Json();
  document["stiff"] = s.stiff ? Json{{"t", s.stiff->t}, {"steps", s.stiff->steps}} : Json();
  document["seconds"] = s.seconds;
  document["largest_residual"] = s.largest_residual;
  document["largest_drift"] = s.largest_drift;
  document["balance_error"] = s.relative_balance_error();
  document["balance_error_absolute"] = s.balance_error;
  document["energy_scale"] = s.energy_scale;
  document["work"] = {{"applied", s.work_applied},
                      {"ideal", s.work_ideal},
                      {"nonideal", s.work_nonideal},
                      {"other", s.work_other}};
  if (s.has_instants) {
    document["events"] = Json::object();
    for (const auto& [name, kinds] : s.event_counts) {
      Json& counts = document["events"][name] = Json::object();
      for (const auto& [kind, times] : kinds) counts[kind] = times;
    }
    document["energy_lost"] = s.energy_lost;
  }
  document["not_finite"] = Json::array();
  for (const auto& output : s.not_finite) {
    document["not_finite"].push_back({{"output", output.name}, {"t", output.t}});
  }
  if (!s.unique_reactions.empty()) {
    document["reactions"] = Json::array();
    for (std::size_t k = 0; k < s.unique_reactions.size(); ++k) {
      document["reactions"].push_back({{"joint", motion.model().joints[k].name},
                                       {"unique", static_cast<bool>(s.unique_reactions[k])}});
      const auto unknown = motion::find_unknown(motion.model(), motion.model().joints[k].name);
      if (!unknown.components.empty()) {
        document["reactions"].back()["unknown"] = unknown.components;
        document["reactions"].back()["unknown_reason"] = unknown.reason;
      }
    }
    if (!motion.model().reaction_notes.empty())
      document["reaction_notes"] = motion.model().reaction_notes;
  }
  document["doubts"] = s.doubts;
  if (!motion.model().frictions.empty() || s.friction_not_assured)
    document["friction_not_assured"] =
        s.friction_not_assured ? Json(*s.friction_not_assured) : Json();
  document["rank"] = s.rank;
  document["rank_tolerance"] = motion.fundamental_options().rank_tolerance;
  document["rank_change_count"] = s.rank_change_count;
  document["rank_changes"] = Json::array();
  for (const auto& change : s.rank_changes) {
    document["rank_changes"].push_back({{"t", change.t}, {"from", change.from}, {"to", change.to}});
  }
  document["passage_count"] = s.passage_count;
  document["passages"] = Json::array();
  for (const auto& passage : s.passages) {
    document["passages"].push_back(
        {{"t", passage.t}, {"rank", passage.rank}, {"rank_there", passage.rank_there}});
  }
  document["coordinate_switch_count"] = s.switch_count;
  document["coordinate_switches"] = Json::array();
  for (const auto& change : s.switches) {
    document["coordinate_switches"].push_back(
        {{"t", change.t},
         {"what", change.quasi_velocities ? "quasi-velocities" : "dependent coordinates"},
         {"from", change.from},
         {"to", change.to}});
  }
  return document;
}

std::string summary_json(const motion::Motion& motion, const motion::SimulationOptions& options,
                         const motion::Summary& s, std::span<const double> discretes) {
  Json document = summary_document(motion, options, s);
  for (std::size_t i = 0; i < discretes.size(); ++i) {
    const std::size_t parameter = motion.model().discretes[i];
    document["discrete"][motion.model().parameters[parameter].name] = discretes[i];
  }
  return text_of(document);
}

}  // namespace dalembert::report
