/// Any text as a model file. What is refused is refused with a sentence, at a place within the
/// text. What is read passes `validate`; what is written of it is read to a model of the same
/// equations, and written the same; and where it is small it is compiled; the accelerations
/// and forces found at its initial state, if there is one, satisfy
///
///     M q'' = Q + Q_ideal + Q_nonideal,     A q'' = b
///
/// to what the solver itself takes for zero; or contacts leave them open, and they are blank, with
/// a reason.

#include <algorithm>
#include <cmath>

#include "dalembert/expr/effort.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/flow/compiled.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/model/draft.hpp"
#include "fuzz.hpp"

namespace dalembert {
namespace {

using fuzz::require;

constexpr std::size_t longest = 4000;  // characters
constexpr std::size_t most_coordinates = 6, most_constraints = 8, most_nodes = 600;
constexpr double effort_allowed = 1e5;

/// Ranges of a hundred members and more make a short text long.
bool has_long_range(const std::string& text) {
  if (text.find("..") == std::string::npos) return false;
  std::size_t digits = 0;
  for (const char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits == 3) return true;
  }
  return false;
}

void check_error(const model::ModelError& error, const std::string& text) {
  require(!error.diagnostics.empty(), "what is refused has a reason");
  const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
  for (const model::Diagnostic& d : error.diagnostics) {
    require(!d.message.empty(), "a complaint is a sentence");
    require(d.where.line >= 0 && d.where.line <= lines, "a complaint has a place in the text",
            d.message);
  }
  require(!to_string(error).empty(), "an error can be told");
}

bool is_small(const model::Model& m) {
  if (m.coordinates.size() > most_coordinates || m.constraints.size() > most_constraints)
    return false;
  std::vector<expr::Expr> all;
  for (const auto& energy : {m.kinetic, m.potential, m.dissipation}) {
    if (energy) all.push_back(energy->expr);
  }
  for (const auto& row : m.mass_matrix) {
    for (const model::Located& entry : row) all.push_back(entry.expr);
  }
  for (const auto* list : {&m.forces, &m.virtual_work}) {
    for (const model::Located& entry : *list) all.push_back(entry.expr);
  }
  for (const model::Constraint& c : m.constraints) all.push_back(c.residual);
  for (const auto* list : {&m.outputs, &m.reactions}) {
    for (const model::Named& entry : *list) all.push_back(entry.expr);
  }
  return node_count(all) <= most_nodes;
}

/// A direction shorter than rank_tolerance counts as none, so that equations hold to that part of
/// the largest of their terms.
void check_solution(const motion::Motion& motion, const motion::State& state) {
  const motion::Acceleration f = motion.acceleration(state.t, state.q, state.v, state.mu);
  if (f.status != motion::Status::ok) {
    require(!f.problem.empty(), "what has no acceleration has a reason");
    return;
  }
  if (!f.problem.empty()) {  // of contacts: no solution, or several
    require(motion.instants() != nullptr && f.qdd.array().isNaN().all(),
            "accelerations that contacts leave open are blank");
    return;
  }
  if (f.qdd.size() == 0 || motion.method() == motion::Method::vakonomic) return;
  require(f.qdd.allFinite() && f.ideal.allFinite() && f.nonideal.allFinite(),
          "accelerations and forces are numbers");
  const double tolerance = 100 * motion.fundamental_options().rank_tolerance;
  const double forces = (f.M.cwiseAbs() * f.qdd.cwiseAbs() + f.Q.cwiseAbs() + f.ideal.cwiseAbs() +
                         f.nonideal.cwiseAbs())
                            .maxCoeff();
  const double balance = (f.M * f.qdd - f.Q - f.ideal - f.nonideal).cwiseAbs().maxCoeff();
  if (std::isfinite(forces))
    require(balance <= tolerance * forces, "M q'' = Q + Q_ideal + Q_nonideal",
            "off by " + std::to_string(balance) + " of " + std::to_string(forces));
}

void check_motion(const model::Model& model) {
  try {
    const expr::Effort effort(effort_allowed);
    const auto motion = motion::compile(model);
    if (!motion) {
      require(!motion.error().diagnostics.empty(), "what is not compiled has a reason");
      return;
    }
    const auto state = motion->written_initial_state();
    if (!state) return;
    check_solution(*motion, *state);
    const auto start = motion::initial_state(*motion);
    if (start) {
      const motion::State& s = start->state;
      require(std::all_of(s.q.begin(), s.q.end(), [](double x) { return std::isfinite(x); }),
              "a start is of numbers");
      check_solution(*motion, s);
    }
  } catch (const expr::Effort::Spent&) {
    return;
  }
}

/// What is written of a model is read to the same energies, forces, constraints and start.
void check_written(const model::Model& model) {
  const auto written = model::to_toml(*model.draft);
  require(bool(written), "what was read can be written");
  const auto again = model::read_model_text(*written, "written.toml");
  require(bool(again), "what was written can be read", *written);
  const auto all = [](const model::Model& m) {
    std::vector<expr::Expr> found;
    for (const auto& energy : {m.kinetic, m.potential, m.dissipation})
      found.push_back(energy ? energy->expr : expr::Expr(0));
    for (const auto* list : {&m.forces, &m.virtual_work, &m.initial.q, &m.initial.v}) {
      for (const model::Located& entry : *list) found.push_back(entry.expr);
    }
    for (const model::Constraint& c : m.constraints) found.push_back(c.residual);
    for (const auto* list : {&m.parameters, &m.outputs, &m.reactions}) {
      for (const model::Named& entry : *list) found.push_back(entry.expr);
    }
    return found;
  };
  const std::vector<expr::Expr> before = all(model), after = all(*again);
  require(std::equal(before.begin(), before.end(), after.begin(), after.end(), expr::ExprSame()),
          "what was written means the same", *written);
  const auto twice = model::to_toml(*again->draft);
  require(twice && *twice == *written, "what was written is written the same", *written);
}

}  // namespace
}  // namespace dalembert

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dalembert;
  if (size > longest) return fuzz::rejected;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (has_long_range(text)) return fuzz::rejected;
  const auto model = model::read_model_text(text, "fuzz.toml");
  if (!model) {
    check_error(model.error(), text);
    return fuzz::kept;
  }
  require(model::validate(*model).empty(), "what is read is valid");
  check_written(*model);
  const auto values = model::parameter_values(*model);
  if (!values) check_error(values.error(), text);
  if (values && is_small(*model)) check_motion(*model);
  return fuzz::kept;
}

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  setenv("DALEMBERT_ENGINE", "interpreter", 1);
  return 0;
}
