/// Models made by bytes, computed in every way there is:
///   * all methods of mechanics give the same accelerations and the same ideal and other forces at
///     a state on the constraints, to the condition of the problem: all routes through the
///     fundamental equation, and one formulation a case, which the bytes choose;
///   * the equations as a tape give the same bits interpreted and as machine code, alone or in
///     lanes, which again the bytes choose;
///   * many states at once, in lanes, give the same bits as one by one.

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "../codegen/random_tape.hpp"
#include "dalembert/codegen/machine_program.hpp"
#include "dalembert/expr/effort.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/solve/split_judge.hpp"
#include "dalembert/study/states/accelerations.hpp"
#include "random_model.hpp"

namespace dalembert::fuzz {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double effort_allowed = 5e4;  // of one formulation
constexpr std::size_t most_operations = 500;

std::string told(const model::Model& m) {
  std::string text = "T = " + to_text(m.kinetic->expr);
  if (m.potential) text += "\nV = " + to_text(m.potential->expr);
  for (const model::Constraint& c : m.constraints) text += "\n0 = " + to_text(c.residual);
  return text + "\n";
}

/// What rounding is multiplied by: the condition of M scaled to a unit diagonal times that of the
/// rows of A M^(-1/2), of unit length, those that depend on others left out. Nothing where a
/// row neither clearly depends on others nor clearly does not.
std::optional<double> condition(const motion::Acceleration& f) {
  constexpr double dependent = 1e-10, independent = 1e-2, most = 1e4;
  const VectorXd d = f.M.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> mass(d.asDiagonal() * f.M * d.asDiagonal());
  const VectorXd& w = mass.eigenvalues();
  if (!(w(0) > 0) || w(w.size() - 1) / w(0) > most) return std::nullopt;
  double result = w(w.size() - 1) / w(0);
  if (f.A.rows() == 0) return result;
  MatrixXd B = f.A * d.asDiagonal() * mass.operatorInverseSqrt();
  for (Eigen::Index j = 0; j < B.rows(); ++j) {
    if (B.row(j).norm() < dependent) return std::nullopt;
    B.row(j).normalize();
  }
  const VectorXd sigma = Eigen::JacobiSVD<MatrixXd>(B).singularValues();
  double least = sigma(0);
  for (const double s : sigma) {
    if (s > dependent && s < independent) return std::nullopt;
    if (s >= independent) least = std::min(least, s);
  }
  return result * sigma(0) / least;
}

/// A formulation that eliminates multiplies rounding by the inverse of its worst pivot once more,
/// and its equations are of the size of the model's terms rather than of their sum.
void check_methods(const model::Model& model, const motion::Motion& motion,
                   const motion::State& state, motion::Method formulation) {
  const motion::Acceleration f = motion.acceleration(state.t, state.q, state.v);
  require(f.status == motion::Status::ok, "a start has an acceleration", f.problem);
  const std::optional<double> condition_number = condition(f);
  if (!condition_number || !f.consistent) return;
  const auto size = static_cast<double>(f.qdd.size() + f.b.size());
  const double acceleration = 1 + f.qdd.norm() + f.unconstrained.norm();
  const double force = 1 + f.Q.norm() + f.ideal.norm() + f.nonideal.norm() + f.M.norm();
  const double tolerance = 1e4 * size * std::numeric_limits<double>::epsilon() * *condition_number *
                           *condition_number / motion::worst_split_quality *
                           std::max(acceleration, force);
  const auto same = [&](const VectorXd& x, const VectorXd& y, motion::Method method,
                        const char* what) {
    require((x - y).norm() <= tolerance, "all methods agree",
            told(model) + std::string(to_string(method)) + ", " + what + ": off by " +
                std::to_string((x - y).norm()) + ", allowed " + std::to_string(tolerance));
  };
  motion::FundamentalOptions options = motion.fundamental_options();
  for (const auto method : {motion::Method::scaled, motion::Method::extended_dalembert,
                            motion::Method::weighted, motion::Method::multipliers}) {
    options.method = method;
    const auto g = motion::fundamental(f.M, f.Q, f.A, f.b, f.C, options);
    require(g.status == motion::Status::ok, "what one method solves another does", told(model));
    require(g.rank == f.rank, "the rank is that of the constraints", told(model));
    same(g.qdd, f.qdd, method, "q''");
    same(g.ideal, f.ideal, method, "Q_ideal");
    same(g.nonideal, f.nonideal, method, "Q_nonideal");
  }
  try {
    const expr::Effort effort(effort_allowed);
    motion::CompileOptions compiling;
    compiling.method = to_string(formulation);
    const auto other = motion::compile(model, compiling);
    if (!other) return;  // ruled out by the model
    const motion::Acceleration g = other->acceleration(state.t, state.q, state.v);
    if (g.status == motion::Status::formulation_failed) return;
    require(g.status == motion::Status::ok, "what one method solves another does",
            told(model) + *compiling.method + ": " + g.problem);
    same(g.qdd, f.qdd, formulation, "q''");
    same(g.ideal, f.ideal, formulation, "Q_ideal");
    same(g.nonideal, f.nonideal, formulation, "Q_nonideal");
  } catch (const expr::Effort::Spent&) {
    return;
  }
}

/// M, Q, A, b as a tape of t, q, q'.
void check_engines(const motion::Motion& motion, const motion::State& state, int lanes,
                   codegen::Level level) {
  const mechanics::Equations& eq = motion.equations();
  std::vector<Expr> outputs = eq.Q;
  outputs.insert(outputs.end(), eq.b.begin(), eq.b.end());
  for (const auto* entries : {&eq.M, &eq.A}) {
    for (const mechanics::Entry& entry : *entries) outputs.push_back(entry.value);
  }
  const codegen::Tape tape = codegen::make_tape(outputs, motion::state_symbols(eq), eq.parameters);
  std::vector<double> point{state.t};
  point.insert(point.end(), state.q.begin(), state.q.end());
  point.insert(point.end(), state.v.begin(), state.v.end());
  const std::atomic<bool> stop = false;
  std::vector<codegen::Kernel> kernels{codegen::interpreted(tape, lanes)};
  if (lanes <= codegen::widest_lanes()) {
    auto program = codegen::machine_program(tape, lanes, level, stop);
    if (program) kernels.emplace_back(std::make_shared<codegen::Tape>(tape), program, lanes);
  }
  const auto W = static_cast<std::size_t>(lanes);
  std::vector<double> in(point.size() * W), out(outputs.size() * W), own(point.size());
  for (std::size_t k = 0; k < in.size(); ++k)
    in[k] = point[k / W] * (1 + static_cast<double>(k % W) / 16);
  for (const codegen::Kernel& kernel : kernels) {
    codegen::Workspace workspace = kernel.workspace(motion.parameters());
    kernel.evaluate(workspace, in, out);
    for (std::size_t l = 0; l < W; ++l) {
      for (std::size_t i = 0; i < own.size(); ++i) own[i] = in[i * W + l];
      const std::vector<double> expected = codegen::performed(tape, motion.parameters(), own);
      for (std::size_t i = 0; i < expected.size(); ++i)
        require(codegen::same_bits(out[i * W + l], expected[i]),
                "interpreter and machine code give the same bits, in lanes or alone",
                told(motion.model()) + "lane " + std::to_string(l) + " of " + std::to_string(W));
    }
  }
}

/// More states than lanes, along the motion's first instants.
void check_lanes(const motion::Motion& motion, const motion::State& state) {
  const study::Accelerations accelerations(motion);
  constexpr std::size_t count = 11;
  const std::size_t n = motion.coordinates();
  std::vector<double> t(count, state.t), q, v, many(count * n), alone(n);
  for (std::size_t s = 0; s < count; ++s) {
    for (std::size_t i = 0; i < n; ++i) {
      q.push_back(state.q[i] + static_cast<double>(s) / 1024 * state.v[i]);
      v.push_back(state.v[i]);
    }
  }
  const study::StateRows states{count, {t.data(), 1}, {q.data(), n}, {v.data(), n}};
  accelerations.solve(states, {.acceleration = many.data()}, {1, nullptr});
  for (std::size_t s = 0; s < count; ++s) {
    accelerations.solve_one(t[s], &q[s * n], &v[s * n], alone.data());
    for (std::size_t i = 0; i < n; ++i)
      require(codegen::same_bits(many[s * n + i], alone[i]),
              "a state solved among others has the bits of one alone", told(motion.model()));
  }
}

}  // namespace
}  // namespace dalembert::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dalembert;
  if (size > 256) return fuzz::rejected;
  fuzz::Choices choices(data, size);
  const auto formulation = static_cast<motion::Method>(static_cast<int>(motion::Method::maggi) +
                                                       static_cast<int>(choices.below(8)));
  const int lanes = std::array{1, 4, 8}[choices.below(3)];
  const auto level = choices.coin() ? codegen::Level::good : codegen::Level::quick;
  const model::Model model = fuzz::RandomModel(choices).model();
  if (!model::validate(model).empty()) return fuzz::rejected;  // a constraint of constants, say
  const auto motion = motion::compile(model);
  fuzz::require(static_cast<bool>(motion), "what is valid can be compiled",
                motion ? "" : fuzz::told(model) + to_string(motion.error()));
  if (count_operations(motion->equations()) > fuzz::most_operations) return fuzz::rejected;
  const auto start = motion::initial_state(*motion);
  if (!start) return fuzz::kept;  // contradictory, or too far from the constraints
  fuzz::check_methods(model, *motion, start->state, formulation);
  fuzz::check_engines(*motion, start->state, lanes, level);
  fuzz::check_lanes(*motion, start->state);
  return fuzz::kept;
}

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  setenv("DALEMBERT_CACHE", "off", 1);
  return 0;
}
