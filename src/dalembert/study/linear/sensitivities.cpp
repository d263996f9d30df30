#include "dalembert/study/linear/sensitivities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/expr/table.hpp"
#include "dalembert/flow/projection.hpp"
#include "dalembert/flow/tapes/time_kinks.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/model/assembly/places.hpp"
#include "dalembert/motion/sample_times.hpp"
#include "dalembert/motion/steps/rk8.hpp"
#include "dalembert/study/linear/instant_sensitivities.hpp"
#include "dalembert/study/linear/jumps_as_events.hpp"

namespace dalembert::study {

namespace {

using Eigen::Index;
using expr::Expr;

std::size_t parameter_index(const Motion& motion, const std::string& name) {
  const auto& all = motion.model().parameters;
  const auto found = std::ranges::find_if(
      all, [&](const model::Named& one) { return one.name == name && !model::is_internal(one); });
  return static_cast<std::size_t>(found - all.begin());
}

std::optional<std::string> unknown_name(const Motion& motion, const std::string& name) {
  std::vector<std::string> known;
  for (const model::Named& one : motion.model().parameters) {
    if (!model::is_internal(one)) known.push_back(one.name);
  }
  for (const std::string& coordinate : motion.model().coordinates) {
    known.push_back(coordinate);
    known.push_back(coordinate + "'");
  }
  if (std::ranges::find(known, name) != known.end()) return std::nullopt;
  return fmt::format("'{}' is neither a parameter nor an initial value{}", name,
                     expr::did_you_mean(name, known));
}

/// What one of the names decides: all parameters, then q and v at the start.
class StartMap {
 public:
  /// `parameters_only`: the start does not matter.
  StartMap(const Motion& motion, const SensitivityRequest& request, std::string name,
           bool parameters_only = false)
      : motion_(motion),
        request_(request),
        name_(std::move(name)),
        parameters_only_(parameters_only) {
    const std::size_t index = parameter_index(motion, name_);
    if (index < motion.model().parameters.size()) {
      is_parameter_ = true;
      value_ = motion.parameters()[index];
    }
  }

  /// dp/ds, then dx_0/ds; or why there is none.
  expr::Result<Eigen::VectorXd, std::string> derivative() {
    const auto middle = at(std::nullopt);
    if (!middle) return expr::Failure{middle.error()};
    if (!is_parameter_) value_ = find_value(*middle);
    constexpr int levels = 5;
    const double h = 0.02 * std::max(std::abs(value_), 1e-3 + 0.997 * (value_ == 0));
    std::array<Eigen::VectorXd, levels> row;
    Eigen::VectorXd best;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < levels; ++i) {
      const double step = std::ldexp(h, -i);
      const double high = value_ + step, low = value_ - step;
      const auto above = at(high), below = at(low);
      if (!above) return expr::Failure{above.error()};
      if (!below) return expr::Failure{below.error()};
      Eigen::VectorXd entry = (*above - *below) / (high - low);
      double power = 1, change = std::numeric_limits<double>::infinity();
      for (int k = 0; k < i; ++k) {  // the table of Richardson's extrapolation, in place
        power *= 4;
        Eigen::VectorXd next = entry + (entry - row[static_cast<std::size_t>(k)]) / (power - 1);
        change = (next - entry).cwiseAbs().maxCoeff();
        row[static_cast<std::size_t>(k)] = entry;
        entry = std::move(next);
      }
      row[static_cast<std::size_t>(i)] = entry;
      if (i == 0 || change < least) {
        least = i == 0 ? least : change;
        best = entry;
      }
    }
    return best;
  }

 private:
  double find_value(const Eigen::VectorXd& middle) const {
    const auto& names = motion_.model().coordinates;
    const auto p = std::ssize(motion_.parameters());
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (name_ == names[i]) return middle[p + static_cast<Index>(i)];
      if (name_ == names[i] + "'") return middle[p + static_cast<Index>(i + names.size())];
    }
    return 0;
  }

  expr::Result<Eigen::VectorXd, std::string> at(std::optional<double> value) const {
    std::vector<double> parameters = motion_.parameters();
    flow::GivenValues given = request_.given;
    if (value && is_parameter_) {
      auto settings = request_.settings;
      settings[name_] = fmt::format("{:.17g}", *value);
      auto found = model::parameter_values(motion_.model(), settings);
      if (!found) return expr::Failure{to_string(found.error())};
      parameters = *std::move(found);
    } else if (value) {
      std::erase_if(given.state, [&](const auto& one) { return one.first == name_; });
      given.state.emplace_back(name_, *value);
    }
    if (parameters_only_) {
      return Eigen::VectorXd(
          Eigen::Map<const Eigen::VectorXd>(parameters.data(), std::ssize(parameters)));
    }
    const Motion motion = motion_.with_parameters(parameters);
    auto written = flow::written_start(motion, given);
    if (!written) return expr::Failure{to_string(written.error())};
    flow::State state = written->state;
    if (written->adjust != model::Adjust::none) {
      auto start = flow::initial_state(motion, *written);
      if (!start) return expr::Failure{to_string(start.error())};
      state = start->state;
    }
    Eigen::VectorXd all(std::ssize(parameters) + 2 * std::ssize(state.q));
    auto out = std::ranges::copy(parameters, all.begin()).out;
    out = std::ranges::copy(state.q, out).out;
    std::ranges::copy(state.v, out);
    return all;
  }

  const Motion& motion_;
  const SensitivityRequest& request_;
  std::string name_;
  bool parameters_only_;
  bool is_parameter_ = false;
  double value_ = 0;
};

/// Where equations jump with the state, or with a parameter that is asked for: past such a place
/// the variational equations alone do not tell the change.
class JumpWatch {
 public:
  JumpWatch(const Motion& motion, const std::vector<std::size_t>& parameters) {
    const auto& eq = motion.equations();
    std::vector<Expr> roots = eq.Q;
    roots.insert(roots.end(), eq.b.begin(), eq.b.end());
    const auto C = mechanics::full_C(eq);
    roots.insert(roots.end(), C.begin(), C.end());
    for (const auto* entries : {&eq.M, &eq.A}) {
      for (const auto& entry : *entries) roots.push_back(entry.value);
    }
    std::vector<Expr> outputs;
    for (const Expr& e : expr::postorder(roots)) {
      const bool whole = e.is(expr::Op::floor);
      if (e.is(expr::Op::table)) {
        if (e.table()->degree() > 0 || !moves(motion, e.args()[0], parameters)) continue;
        Expr piece = 0;
        for (const double node : e.table()->nodes()) piece += expr::step(e.args()[0] - Expr(node));
        outputs.push_back(piece);
        words_.push_back(expr::to_text(e, 200));
        continue;
      }
      if (!whole && !e.is(expr::Op::sign) && !e.is(expr::Op::step) && !e.is(expr::Op::choose))
        continue;
      if (!moves(motion, e.args()[0], parameters)) continue;
      outputs.push_back(whole ? expr::floor(e.args()[0]) : expr::sign(e.args()[0]));
      words_.push_back(expr::to_text(e, 200));
    }
    kernel_ =
        codegen::make_kernel(codegen::make_tape(outputs, flow::state_symbols(eq), eq.parameters));
    workspace_ = kernel_.workspace(motion.parameters());
    now_.resize(outputs.size());
    before_.resize(outputs.size());
  }

  /// The expression that has jumped since the last look, if one has.
  const std::string* look(double t, std::span<const double> y, std::size_t n) {
    if (words_.empty()) return nullptr;
    inputs_.assign(1, t);
    inputs_.insert(inputs_.end(), y.begin(), y.begin() + 2 * static_cast<std::ptrdiff_t>(n));
    kernel_.evaluate(workspace_, inputs_, now_);
    const std::string* found = nullptr;
    for (std::size_t i = 0; i < now_.size(); ++i) {
      if (looked_ && now_[i] != before_[i]) found = &words_[i];
    }
    before_ = now_;
    looked_ = true;
    return found;
  }

 private:
  static bool moves(const Motion& motion, const Expr& g,
                    const std::vector<std::size_t>& parameters) {
    bool state = false, known = true;
    for (const Expr& s : expr::symbols(std::span(&g, 1))) {
      switch (s.symbol().kind) {
        case expr::SymbolKind::coordinate:
          state = true;
          known = known && s.symbol().order < 2;
          break;
        case expr::SymbolKind::parameter:
          for (const std::size_t i : parameters)
            state = state || motion.model().parameters[i].name == s.symbol().name;
          break;
        case expr::SymbolKind::time:
          break;
        case expr::SymbolKind::ideal_force:
        case expr::SymbolKind::nonideal_force:
        case expr::SymbolKind::multiplier:
        case expr::SymbolKind::auxiliary:
          known = false;
          break;
      }
    }
    return state && known;
  }

  std::vector<std::string> words_;
  codegen::Kernel kernel_;
  codegen::Workspace workspace_;
  std::vector<double> inputs_, now_, before_;
  bool looked_ = false;
};

class Integration {
 public:
  Integration(const Motion& motion, const motion::SimulationOptions& options,
              const flow::DerivativeKernels& kernels, Eigen::MatrixXd P, Sensitivities& result)
      : motion_(motion),
        options_(options),
        derivatives_(motion, kernels),
        projector_(motion),
        jumps_(motion, kernels.parameters),
        P_(std::move(P)),
        result_(result),
        n_(static_cast<Index>(motion.coordinates())),
        columns_(P_.cols()),
        size_(static_cast<std::size_t>(2 * n_ * (1 + columns_))) {}

  void run(const flow::State& start, const Eigen::MatrixXd& S0) {
    y_.resize(size_);
    std::ranges::copy(start.q, y_.begin());
    std::ranges::copy(start.v, y_.begin() + n_);
    tangents(y_) = S0;
    const motion::SampleTimes times{options_};
    const double end = times[times.count() - 1];
    std::vector<double> absolute(size_, options_.atol);
    motion::Tolerance tolerance{options_.rtol, absolute, {}};
    motion::Rk8 stepper(size_);
    motion::StepControlOptions control;
    control.max_step = options_.max_step;
    motion::StepController controller(control);
    flow::StepEndFinder finder(motion_.time_kinks());
    flow::StepEndCursor ends;
    const auto f = [this](double t, std::span<const double> y, std::span<double> dydt) {
      return slope(t, y, dydt);
    };
    double t = start.t;
    if (!settle(t)) return;
    long next = 0;
    std::vector<double> sample(size_);
    const auto emit_until = [&](double reached, bool dense) {
      for (; next < times.count() && times[next] <= reached; ++next) {
        const double at = times[next];
        if (dense) {
          stepper.interpolate((at - stepper.t()) / (stepper.t_new() - stepper.t()), sample);
        } else {
          sample = y_;
        }
        if (!emit(at, sample)) return false;
      }
      return true;
    };
    if (!emit_until(t, false)) return;
    t = ends.begin(finder, motion_.parameters(), t, std::max(end, t), false);
    jumps_.look(t, y_, static_cast<std::size_t>(n_));
    if (!stepper.start(t, y_, f)) return give_up(t);
    double h = end > t ? stepper.initial_step(f, tolerance, end - t) : 0;
    while (t < end) {
      const flow::StepEnd& limit = ends.next(t);
      const bool lands = t + h * (1 + 1e-6) >= limit.before;
      const double length = lands ? limit.before - t : h;
      const auto [accepted, proposed] =
          controller.decide(length, stepper.attempt(f, length, tolerance));
      if (!accepted) {
        ++result_.rejected;
        h = proposed;
        if (motion::step_underflow(t, h)) return give_up(t);
        continue;
      }
      if (++result_.steps > options_.max_steps) return give_up(t);
      const double reached = lands ? limit.before : t + length;
      if (next < times.count() && times[next] <= reached) {
        if (!stepper.prepare_dense(f)) return give_up(t);
        if (!emit_until(std::nextafter(reached, t), true)) return;
      }
      std::ranges::copy(stepper.y_new(), y_.begin());
      if (!settle(reached)) return;
      if (const std::string* jump = jumps_.look(reached, y_, static_cast<std::size_t>(n_))) {
        result_.reason = fmt::format(
            "{} jumps between t = {:.6g} and t = {:.6g}: the variational equations do not hold "
            "across a jump that depends on the state",
            *jump, t, reached);
        return;
      }
      if (!emit_until(reached, false)) return;
      t = lands && limit.is_kink() ? limit.behind : reached;
      if (t >= end) break;
      if (options_.stop != nullptr && options_.stop->load()) {
        result_.reason = fmt::format("interrupted at t = {:.6g}", t);
        return;
      }
      if (!stepper.start(t, y_, f)) return give_up(t);
      h = lands ? std::max(h, proposed) : proposed;
    }
    if (!emit_until(std::numeric_limits<double>::infinity(), false)) return;
    result_.complete = true;
  }

 private:
  Eigen::Map<Eigen::MatrixXd> tangents(std::span<double> y) const {
    return {y.data() + 2 * n_, 2 * n_, columns_};
  }
  Eigen::Map<const Eigen::MatrixXd> read_tangents(std::span<const double> y) const {
    return {y.data() + 2 * n_, 2 * n_, columns_};
  }
  std::span<const double> positions(std::span<const double> y) const {
    return y.first(static_cast<std::size_t>(n_));
  }
  std::span<const double> velocities(std::span<const double> y) const {
    return y.subspan(static_cast<std::size_t>(n_), static_cast<std::size_t>(n_));
  }

  void give_up(double t) {
    result_.reason = fmt::format(
        "the motion and its variational equations could not be continued at t = {:.6g}", t);
  }

  bool slope(double t, std::span<const double> y, std::span<double> dydt) {
    if (derivatives_.evaluate(t, positions(y), velocities(y)) != flow::Status::ok) return false;
    std::copy_n(y.begin() + n_, n_, dydt.begin());
    std::copy_n(derivatives_.acceleration().begin(), n_, dydt.begin() + n_);
    const auto S = read_tangents(y);
    Eigen::Map<Eigen::MatrixXd> rate(dydt.data() + 2 * n_, 2 * n_, columns_);
    rate.topRows(n_) = S.bottomRows(n_);
    rate.bottomRows(n_).noalias() = derivatives_.acceleration_z().leftCols(2 * n_) * S;
    rate.bottomRows(n_).noalias() += derivatives_.acceleration_z().rightCols(P_.rows()) * P_;
    return true;
  }

  /// Projects the state, then S, and finds the rank there.
  bool settle(double t) {
    if (!project(t, y_, true)) {
      give_up(t);
      return false;
    }
    if (derivatives_.decide(t, positions(y_), velocities(y_)) != flow::Status::ok) {
      give_up(t);
      return false;
    }
    chart_.emplace(motion_, derivatives_);
    project_tangents(y_);
    return true;
  }

  bool project(double t, std::span<double> y, bool decide) {
    const auto n = static_cast<std::size_t>(n_);
    const std::span<double> q = y.first(n), v = y.subspan(n, n);
    if (options_.project == model::Project::none || motion_.constraints() == 0) return true;
    if (decide && projector_.decide(t, q, v) != flow::Status::ok) return false;
    if (options_.project == model::Project::both) projector_.positions(t, q, v);
    projector_.velocities(t, q, v);
    return std::ranges::all_of(y, [](double x) { return std::isfinite(x); });
  }

  void project_tangents(std::span<double> y) const {
    if (options_.project == model::Project::none || motion_.constraints() == 0) return;
    const flow::Chart::Tangent tangent = chart_->calc_tangent(derivatives_);
    auto S = tangents(y);
    Eigen::MatrixXd independent(chart_->size(), columns_);
    const auto& q_I = chart_->independent_q();
    const auto& v_I = chart_->independent_v();
    for (std::size_t i = 0; i < q_I.size(); ++i)
      independent.row(static_cast<Index>(i)) = S.row(q_I[i]);
    for (std::size_t i = 0; i < v_I.size(); ++i)
      independent.row(static_cast<Index>(i + q_I.size())) = S.row(n_ + v_I[i]);
    S = tangent.T.leftCols(chart_->size()) * independent + tangent.T.rightCols(P_.rows()) * P_;
  }

  bool emit(double t, std::vector<double>& y) {
    if (!project(t, y, false) ||
        derivatives_.evaluate(t, positions(y), velocities(y)) != flow::Status::ok) {
      give_up(t);
      return false;
    }
    project_tangents(y);
    const auto S = read_tangents(y);
    const Index outputs = derivatives_.outputs().size();
    Eigen::MatrixXd all(3 * n_ + outputs, columns_);
    all.topRows(2 * n_) = S;
    const auto follow = [&](const Eigen::MatrixXd& of_z) {
      return Eigen::MatrixXd(of_z.leftCols(2 * n_) * S + of_z.rightCols(P_.rows()) * P_);
    };
    all.middleRows(2 * n_, n_) = follow(derivatives_.acceleration_z());
    if (outputs > 0) all.bottomRows(outputs) = follow(derivatives_.outputs_z());
    result_.t.push_back(t);
    for (Index i = 0; i < all.rows(); ++i) {
      for (Index j = 0; j < columns_; ++j) result_.values.push_back(all(i, j));
    }
    result_.states.insert(result_.states.end(), y.begin(), y.begin() + 2 * n_);
    return true;
  }

  const Motion& motion_;
  const motion::SimulationOptions& options_;
  flow::Derivatives derivatives_;
  flow::Projector projector_;
  JumpWatch jumps_;
  Eigen::MatrixXd P_;  ///< dp/ds of the parameters of the kernels
  Sensitivities& result_;
  Index n_, columns_;
  std::size_t size_;
  std::vector<double> y_;
  std::optional<flow::Chart> chart_;
};

void run_through_instants(const Motion& motion, const motion::SimulationOptions& options,
                          const Eigen::MatrixXd& starts, std::vector<std::size_t> theta,
                          const flow::State& start, Sensitivities& result) {
  const auto jumps = [&](const model::Event& event) {
    return stands_for_jump(motion.model(), event);
  };
  if (options.event_rows && std::ranges::any_of(motion.model().events, jumps)) {
    result.reason =
        "rows on both sides of events cannot be distinguished from those of jumps in the equations";
    return;
  }
  for (const std::size_t i : motion.model().discretes) {
    if (std::ranges::find(theta, i) == theta.end()) theta.push_back(i);
  }
  const Index p = starts.rows() - 2 * static_cast<Index>(motion.coordinates());
  Eigen::MatrixXd rates = Eigen::MatrixXd::Zero(std::ssize(theta), starts.cols());
  for (std::size_t i = 0; i < theta.size(); ++i) {
    if (static_cast<Index>(theta[i]) < p)  // else a discrete that stands for a jump
      rates.row(static_cast<Index>(i)) = starts.row(static_cast<Index>(theta[i]));
  }
  std::vector<std::size_t> outputs;
  for (std::size_t i = 0; i < motion.outputs().size(); ++i) {
    const bool own = i < motion.model().outputs.size();
    const std::string& name = motion.outputs()[i].name;
    if (!own && !name.starts_with(model::reaction_prefix)) continue;
    outputs.push_back(i);
    if (!own) result.quantities.push_back(name);
  }
  const auto kernels =
      flow::make_instant_derivative_kernels(motion, std::move(theta), std::move(outputs));
  integrate_through_instants(motion, options, kernels, start,
                             starts.bottomRows(2 * static_cast<Index>(motion.coordinates())), rates,
                             result);
}

}  // namespace

expr::Result<ParameterRates, std::string> parameter_rates(
    const Motion& motion, const std::map<std::string, std::string>& settings,
    const std::vector<std::string>& names) {
  const auto p = std::ssize(motion.parameters());
  Eigen::MatrixXd all(p, std::ssize(names));
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (parameter_index(motion, names[i]) == motion.parameters().size()) {
      std::vector<std::string> known;
      for (const model::Named& one : motion.model().parameters) {
        if (!model::is_internal(one)) known.push_back(one.name);
      }
      return expr::Failure{
          fmt::format("unknown parameter '{}'{}", names[i], expr::did_you_mean(names[i], known))};
    }
    SensitivityRequest request{names, settings, {}};
    auto column = StartMap(motion, request, names[i], true).derivative();
    if (!column) return expr::Failure{column.error()};
    all.col(static_cast<Index>(i)) = *column;
  }
  ParameterRates result;
  for (Index i = 0; i < p; ++i) {
    if (all.row(i).cwiseAbs().sum() > 0) result.parameters.push_back(static_cast<std::size_t>(i));
  }
  result.rates.resize(std::ssize(result.parameters), all.cols());
  for (std::size_t i = 0; i < result.parameters.size(); ++i)
    result.rates.row(static_cast<Index>(i)) = all.row(static_cast<Index>(result.parameters[i]));
  return result;
}

std::vector<std::string> Sensitivities::columns() const {
  std::vector<std::string> list;
  for (const std::string& quantity : quantities) {
    for (const std::string& name : names)
      list.push_back(fmt::format("d({})/d({})", quantity, name));
  }
  return list;
}

expr::Result<Sensitivities, std::string> sensitivities(const Motion& motion,
                                                       const motion::SimulationOptions& options,
                                                       const SensitivityRequest& request) {
  if (!model::has_instants(motion.model())) {
    if (auto objection = linearisation_objection(motion)) return expr::Failure{*objection};
  }
  Sensitivities result;
  result.names = request.names;
  const auto p = std::ssize(motion.parameters());
  const auto n = static_cast<Index>(motion.coordinates());
  Eigen::MatrixXd starts(p + 2 * n, std::ssize(request.names));
  for (std::size_t i = 0; i < request.names.size(); ++i) {
    if (auto unknown = unknown_name(motion, request.names[i])) return expr::Failure{*unknown};
    auto column = StartMap(motion, request, request.names[i]).derivative();
    if (!column)
      return expr::Failure{fmt::format("the start near this value of '{}' cannot be found: {}",
                                       request.names[i], column.error())};
    starts.col(static_cast<Index>(i)) = *column;
  }
  std::vector<std::size_t> affected;
  for (Index i = 0; i < p; ++i) {
    if (starts.row(i).cwiseAbs().sum() > 0) affected.push_back(static_cast<std::size_t>(i));
  }
  Eigen::MatrixXd P(std::ssize(affected), starts.cols());
  for (std::size_t i = 0; i < affected.size(); ++i)
    P.row(static_cast<Index>(i)) = starts.row(static_cast<Index>(affected[i]));

  const auto written = flow::written_start(motion, request.given);
  if (!written) return expr::Failure{to_string(written.error())};
  const auto start = flow::initial_state(motion, *written);
  if (!start) return expr::Failure{to_string(start.error())};
  for (const char* primes : {"", "'", "''"}) {
    for (const std::string& name : motion.model().coordinates)
      result.quantities.push_back(name + primes);
  }
  for (const model::Named& output : motion.model().outputs)
    result.quantities.push_back(output.name);
  const auto jumping = with_jumps_as_events(motion, start->state, affected);
  if (!jumping && model::has_instants(motion.model())) return expr::Failure{jumping.error()};
  if (jumping && model::has_instants(jumping->model())) {
    motion::SimulationOptions through = options;
    through.event_rows = options.event_rows && model::has_instants(motion.model());
    run_through_instants(*jumping, through, starts, affected, start->state, result);
    return result;
  }
  const flow::DerivativeKernels kernels = flow::make_derivative_kernels(motion, affected, true);
  Integration(motion, options, kernels, std::move(P), result)
      .run(start->state, starts.bottomRows(2 * n));
  return result;
}

}  // namespace dalembert::study
