#include "dalembert/study/linear/gradient.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dalembert/flow/linear/pull_back.hpp"
#include "dalembert/model/assembly/places.hpp"
#include "dalembert/model/draft.hpp"
#include "dalembert/motion/sample_times.hpp"
#include "dalembert/motion/steps/rk8_coefficients.hpp"
#include "dalembert/study/linear/jumps_as_events.hpp"
#include "dalembert/study/linear/variational_integration.hpp"
#include "dalembert/study/option_error.hpp"

namespace dalembert::study {

namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// The steps of a motion, one behind the other: t, h, time reached, then q and v at t.
class Steps {
 public:
  explicit Steps(std::size_t n) : width_(3 + 2 * n) {}

  void add(double t, double h, double reached, std::span<const double> y) {
    for (const double x : {t, h, reached}) numbers_.push_back(x);
    numbers_.insert(numbers_.end(), y.begin(), y.begin() + static_cast<std::ptrdiff_t>(width_ - 3));
  }
  std::size_t size() const { return numbers_.size() / width_; }
  std::size_t bytes() const { return numbers_.size() * sizeof(double); }
  double t(std::size_t k) const { return numbers_[k * width_]; }
  double h(std::size_t k) const { return numbers_[k * width_ + 1]; }
  double reached(std::size_t k) const { return numbers_[k * width_ + 2]; }
  std::span<const double> y(std::size_t k) const {
    return std::span(numbers_).subspan(k * width_ + 3, width_ - 3);
  }

 private:
  std::size_t width_;
  std::vector<double> numbers_;
};

/// Goes back along the steps.
class Adjoint {
 public:
  Adjoint(const Motion& motion, const motion::SimulationOptions& options,
          const flow::DerivativeKernels& kernels, const flow::PullBackKernels& pull_back)
      : motion_(motion),
        projected_(options.project != model::Project::none && motion.constraints() > 0),
        n_(static_cast<Index>(motion.coordinates())),
        derivatives_(motion, kernels),
        pull_back_(motion, pull_back, derivatives_),
        of_p_(VectorXd::Zero(std::ssize(pull_back.parameters))) {}

  /// What stands beside the state and the parameters at the end becomes what does at the start.
  /// False where the equations could not be solved again.
  bool run(const Steps& steps, std::span<const double> end, VectorXd beside, VectorXd of_p) {
    beside_ = std::move(beside);
    of_p_ = std::move(of_p);
    for (std::size_t k = steps.size(); k-- > 0;) {
      const std::span<const double> next = k + 1 < steps.size() ? steps.y(k + 1) : end;
      if (!through_projection(steps.reached(k), next) ||
          !through_step(steps.t(k), steps.h(k), steps.y(k)))
        return false;
    }
    return steps.size() == 0 || through_projection(steps.t(0), steps.y(0));
  }

  const VectorXd& beside() const { return beside_; }
  const VectorXd& of_p() const { return of_p_; }

 private:
  std::span<const double> part(std::span<const double> y, Index first) const {
    return y.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(n_));
  }

  bool through_projection(double t, std::span<const double> y) {
    if (!projected_) return true;
    if (derivatives_.decide(t, part(y, 0), part(y, n_)) != flow::Status::ok) return false;
    flow::Chart(motion_, derivatives_).pull_back(derivatives_, beside_, mu_, nu_);
    of_p_ -= pull_back_.of_constraints(mu_, nu_);
    return beside_.allFinite();
  }

  bool through_step(double t, double h, std::span<const double> y) {
    namespace rk = motion::dop853;
    const VectorXd start = Eigen::Map<const VectorXd>(y.data(), 2 * n_);
    if (derivatives_.decide(t, part(y, 0), part(y, n_)) != flow::Status::ok) return false;
    std::array<VectorXd, rk::step_stages> Y, K;
    for (std::size_t i = 0; i < rk::step_stages; ++i) {
      Y[i] = start;
      for (std::size_t j = 0; j < i; ++j) {
        if (rk::a[i][j] != 0) Y[i] += h * rk::a[i][j] * K[j];
      }
      if (!solve(t + rk::c[i] * h, Y[i])) return false;
      K[i].resize(2 * n_);
      K[i].head(n_) = Y[i].tail(n_);
      K[i].tail(n_) = derivatives_.acceleration();
    }
    std::array<VectorXd, rk::step_stages>& back = K;  // Ybar_i, in the place of k_i
    VectorXd sum = beside_;
    for (std::size_t i = rk::step_stages; i-- > 0;) {
      VectorXd k_bar = h * rk::b[i] * beside_;
      for (std::size_t j = i + 1; j < rk::step_stages; ++j) {
        if (rk::a[j][i] != 0) k_bar += h * rk::a[j][i] * back[j];
      }
      if (!solve(t + rk::c[i] * h, Y[i])) return false;
      const VectorXd& answer = pull_back_.of_acceleration(k_bar.tail(n_));
      back[i] = answer.head(2 * n_);
      back[i].tail(n_) += k_bar.head(n_);  // q' = v
      of_p_ += answer.tail(of_p_.size());
      sum += back[i];
    }
    beside_ = sum;
    return beside_.allFinite() && of_p_.allFinite();
  }

  bool solve(double t, const VectorXd& Y) {
    const std::span<const double> y(Y.data(), static_cast<std::size_t>(Y.size()));
    return derivatives_.evaluate(t, part(y, 0), part(y, n_)) == flow::Status::ok;
  }

  const Motion& motion_;
  bool projected_;
  Index n_;
  flow::Derivatives derivatives_;
  flow::PullBack pull_back_;
  VectorXd beside_, of_p_, mu_, nu_;
};

model::ModelError plain_error(std::string sentence) {
  return {nullptr, {{std::move(sentence)}}};
}

/// An output of the model by its name, or an expression as an output is written.
model::Result<expr::Expr, model::ModelError> quantity_of(const Motion& motion,
                                                         const std::string& text) {
  const auto& outputs = motion.model().outputs;
  if (const auto named = std::ranges::find(outputs, text, &model::Named::name);
      named != outputs.end())
    return named->expr;
  if (!motion.model().draft)
    return model::Failure{plain_error("a model without statements has no expressions to read")};
  model::Draft draft = *motion.model().draft;
  std::string name = "gradient";
  const auto is_taken = [&](const model::Definition& one) { return one.name == name; };
  while (std::ranges::any_of(draft.outputs, is_taken)) name += '_';
  model::Formula formula;
  formula.form = model::Formula::Form::text;
  formula.text = text;
  draft.outputs.push_back({name, {}, formula});
  auto model = model::assemble(draft);
  if (!model) {
    std::vector<model::Diagnostic> wrong;
    for (const model::Diagnostic& one : model.error().diagnostics)
      wrong.push_back(option_error("gradient", text, 0, text.size(), one.message));
    return model::Failure{model::ModelError{nullptr, std::move(wrong)}};
  }
  return model->outputs.back().expr;
}

}  // namespace

std::vector<std::string> parameter_names(const Motion& motion) {
  std::vector<std::string> names;
  for (const model::Named& one : motion.model().parameters) {
    if (!model::is_internal(one)) names.push_back(one.name);
  }
  return names;
}

model::Result<Gradient, model::ModelError> gradient(const Motion& motion,
                                                    const motion::SimulationOptions& options,
                                                    const GradientRequest& request) {
  const auto fail = [](std::string sentence) {
    return model::Failure{plain_error(std::move(sentence))};
  };
  const std::string instants =
      "the gradient of a motion through events, contacts, friction that sticks or jumps of the "
      "equations is not known; sensitivities are";
  if (model::has_instants(motion.model())) return fail(instants);
  if (auto objection = objection_to_sensitivities(motion)) return fail(*objection);
  const auto of = quantity_of(motion, request.of);
  if (!of) return model::Failure{of.error()};
  const auto varied = varied_start(motion, {request.names, request.settings, request.given});
  if (!varied) return fail(varied.error());
  const auto jumping = with_jumps_as_events(motion, varied->start, varied->parameters);
  if (jumping && model::has_instants(jumping->model())) return fail(instants);

  Gradient result;
  result.of = request.of;
  result.names = request.names;
  motion::SimulationOptions to_the_end = options;
  to_the_end.times.clear();
  to_the_end.samples = 2;
  const flow::DerivativeKernels kernels = flow::make_derivative_kernels(motion, {}, false);
  Sensitivities forward;
  Steps steps(motion.coordinates());
  VariationalIntegration integration(
      {motion, to_the_end, kernels, varied->parameters, Eigen::MatrixXd(0, 0)}, forward);
  const Index states = 2 * static_cast<Index>(motion.coordinates());
  integration.run(varied->start, Eigen::MatrixXd(states, 0), {},
                  [&](double t, double h, std::span<const double> y, double reached) {
                    steps.add(t, h, reached, y);
                  });
  result.t = forward.t.empty() ? varied->start.t : forward.t.back();
  result.steps = forward.steps;
  result.bytes = steps.bytes();
  result.reason = forward.reason;
  if (!forward.complete) return result;

  const std::span<const double> end = integration.state();
  const auto n = motion.coordinates();
  const flow::DerivativeKernels at_end =
      flow::make_derivative_kernels(motion, varied->parameters, false, {*of});
  flow::Derivatives derivatives(motion, at_end);
  if (derivatives.decide(result.t, end.first(n), end.subspan(n)) != flow::Status::ok) {
    result.reason = fmt::format("the equations could not be solved at t = {:.6g}", result.t);
    return result;
  }
  result.value = derivatives.outputs()[0];
  const Eigen::RowVectorXd slopes = derivatives.outputs_z().row(0);
  const flow::PullBackKernels pull_back = flow::make_pull_back_kernels(motion, varied->parameters);
  Adjoint adjoint(motion, to_the_end, kernels, pull_back);
  const auto p = std::ssize(varied->parameters);
  if (!slopes.allFinite() ||
      !adjoint.run(steps, end, slopes.head(states).transpose(), slopes.tail(p).transpose())) {
    result.reason = slopes.allFinite()
                        ? "the equations could not be solved again on the way back"
                        : fmt::format("'{}' has no derivative at the end", request.of);
    return result;
  }
  const VectorXd by = varied->rates.bottomRows(states).transpose() * adjoint.beside() +
                      varied->parameter_rates(varied->rates).transpose() * adjoint.of_p();
  result.by.assign(by.begin(), by.end());
  result.complete = true;
  return result;
}

}  // namespace dalembert::study
