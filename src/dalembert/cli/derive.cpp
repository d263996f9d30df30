#include <fmt/format.h>

#include <cstdio>

#include "dalembert/cli/commands.hpp"
#include "dalembert/cli/progress.hpp"
#include "dalembert/cli/session.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/flow/places.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/mechanics/linear_equations.hpp"
#include "dalembert/report/derivation/derivation.hpp"
#include "dalembert/report/derivation/linear.hpp"
#include "dalembert/study/linear/linearise.hpp"

namespace dalembert::cli {

namespace {

using Render = std::string (*)(const report::Document&);

Render renderer(const std::string& format) {
  if (format == "text") return report::to_text;
  if (format == "markdown") return report::to_markdown;
  if (format == "latex") return report::to_latex;
  if (format == "html") return report::to_html;
  return nullptr;
}

/// What is printed: of one formulation, or of all where `info` is null. At the initial state, or at
/// the written one where that breaks a constraint.
model::Result<std::string, model::ModelError> derived(const motion::Motion& motion,
                                                      const mechanics::FormulationInfo* info,
                                                      bool json, Render render,
                                                      const expr::Patience& patience) {
  const auto start = motion::initial_state(motion);
  const auto written = motion.written_initial_state();
  if (!written) return model::Failure{written.error()};
  patience.say("choosing independent constraints and coordinates");
  const auto setting = report::setting_near(motion, start ? start->state : *written);
  const auto failure = [&](const std::string& problem) {
    return model::Failure{model::error_in(motion.model(), problem,
                                          motion::formulation_place(motion.model(), problem))};
  };
  if (!setting) return failure(setting.error());
  if (info == nullptr) {
    return json ? report::derivation_json(*setting, patience)
                : render(report::derivation_of_all(*setting, patience));
  }
  report::say_what_is_derived(patience, *info);
  const auto formulation = info->derive(*setting);
  if (!formulation) return failure(formulation.error());
  return json ? report::derivation_json(*setting, *info, *formulation)
              : render(report::derivation(*setting, *formulation));
}

/// The equations linearised at the initial state, which must be steady.
model::Result<std::string, std::string> linearised(const motion::Motion& motion,
                                                   const motion::State& state, bool json,
                                                   Render render) {
  const auto steady = study::linearise(motion, state);
  if (!steady)
    return model::Failure{steady.error() + "; the equations are linearised at the initial state"};
  const expr::Values values = motion::values_at(motion.model(), motion.parameters(), state);
  const auto linear = mechanics::linear_equations(motion.model(), motion.equations(), values);
  if (!linear)
    return model::Failure{std::string(
        "no linearised equations can be written where friction depends on constraint forces or "
        "the start is singular; linearise may have numbers")};
  return json ? report::linear_derivation_json(motion.model(), *linear)
              : render(report::linear_derivation(motion.model(), *linear));
}

int derive_linear(const DeriveOptions& options, const motion::Motion& motion, Render render) {
  const auto start = motion::initial_state(motion);
  if (!start) {
    complain(start.error());
    return bad_input;
  }
  const auto text = expr::within(
      effort_alone, [&] { return linearised(motion, start->state, options.json, render); });
  if (!text) {
    complain(model::error_in(motion.model(),
                             "linearised equations take too long to write for a model of this "
                             "size; linearise has their numbers"));
    return gave_up;
  }
  if (!*text) {
    complain(model::error_in(motion.model(), text->error()));
    return bad_input;
  }
  if (options.json || (!options.quiet && options.format == "html")) {
    std::fputs((*text)->c_str(), stdout);
  } else if (!options.quiet) {
    print(**text);
  }
  return done;
}

}  // namespace

int derive(const DeriveOptions& options) {
  const Render render = renderer(options.format);
  if (render == nullptr) {
    complain(fmt::format(
        "--format {}: expected text, markdown, latex or html{}", options.format,
        expr::did_you_mean(options.format,
                           std::vector<std::string>{"text", "markdown", "latex", "html"})));
    return bad_input;
  }
  const std::string method = options.method.value_or("all");
  if (method != "all" && !is_formulation(method)) return bad_input;
  const mechanics::FormulationInfo* info = mechanics::find_formulation(method);
  CommonOptions plain{options.model, options.settings, {}, options.json, options.quiet};
  plain.method = "m-inverse";
  const auto motion = compile_for(plain);
  if (!motion || !small_enough_for("derive", *motion)) return bad_input;
  if (options.linear) return derive_linear(options, *motion, render);
  const auto text = [&] {
    Waiting waiting("finding the initial state", shows_progress(options));
    const expr::Patience patience{info == nullptr ? effort_among_all : effort_alone,
                                  [&waiting](const std::string& what) { waiting.tell(what); }};
    const auto all = static_cast<double>(2 * mechanics::formulations().size());
    const double most = info == nullptr ? all * effort_among_all : effort_alone;
    return expr::within(most,
                        [&] { return derived(*motion, info, options.json, render, patience); });
  }();
  if (!text) {
    complain(model::error_in(
        motion->model(),
        fmt::format("deriving {} takes too long for a model of this size; another formulation may "
                    "be shorter (--method NAME)",
                    info == nullptr ? "the equations" : info->name)));
    return gave_up;
  }
  if (!*text) {
    complain(text->error());
    return bad_input;
  }
  if (options.json || (!options.quiet && options.format == "html")) {
    std::fputs((*text)->c_str(), stdout);
  } else if (!options.quiet) {
    print(**text);
  }
  return done;
}

}  // namespace dalembert::cli
