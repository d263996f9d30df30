#include "dalembert/cli/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "dalembert/cli/inputs.hpp"
#include "dalembert/cli/progress.hpp"
#include "dalembert/expr/characters.hpp"
#include "dalembert/expr/parse.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/model/bundled.hpp"
#include "dalembert/motion/simulate.hpp"
#include "dalembert/solve/entry_solver.hpp"

namespace dalembert::cli {

namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void on_interrupt(int) {
  interrupted = true;
}

bool colour_on_stderr() {
  const char* no_colour = std::getenv("NO_COLOR");
  return ::isatty(STDERR_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0');
}

}  // namespace

void print(std::string_view text) {
  std::fputs(expr::visible(text).c_str(), stdout);
}

void print_aside(std::string_view text) {
  std::fputs(expr::visible(text).c_str(), stderr);
}

void complain(const model::ModelError& error) {
  std::string text = to_string(error);
  if (colour_on_stderr()) {
    const std::string plain = "error:";
    const std::string bright = "\x1b[1;31merror:\x1b[0m";
    for (std::size_t at = text.find(plain); at != std::string::npos;
         at = text.find(plain, at + bright.size())) {
      text.replace(at, plain.size(), bright);
    }
  }
  std::fputs(text.c_str(), stderr);
}

void complain(const std::string& message) {
  complain(model::ModelError{nullptr, {{message, {}}}});
}

model::Result<model::Model, model::ModelError> find_model(const std::string& name) {
  std::error_code ignored;
  const auto status = std::filesystem::status(name, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_directory(status))
    return model::read_model(name);
  std::vector<std::string> known;
  for (const model::BundledModel& bundled : model::bundled_models()) {
    if (bundled.name == name) return model::read_model_text(std::string(bundled.text), name);
    known.emplace_back(bundled.name);
  }
  if (std::filesystem::exists(status) || name.find('/') != std::string::npos ||
      name.ends_with(".toml")) {
    return model::read_model(name);
  }
  return model::Failure{model::ModelError{
      nullptr,
      {{fmt::format(
            "no model '{}': no such file, and no model of that name comes with the program{}", name,
            expr::did_you_mean(name, known)),
        {}}}}};
}

std::optional<std::map<std::string, std::string>> settings_of(const CommonOptions& options) {
  std::map<std::string, std::string> settings;
  for (const std::string& setting : options.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      complain(fmt::format("--set {}: expected NAME=VALUE", setting));
      return std::nullopt;
    }
    settings[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  return settings;
}

std::optional<motion::Motion> compile_for(const CommonOptions& options,
                                          const CompileRequest& request) {
  auto settings = settings_of(options);
  if (!settings) return std::nullopt;
  motion::CompileOptions compile_options;
  compile_options.method = options.method;
  compile_options.settings = *std::move(settings);
  auto model = [&] {
    const Waiting waiting("reading the model", shows_progress(options));
    return find_model(options.model);
  }();
  if (!model) {
    complain(model.error());
    return std::nullopt;
  }
  if (request.input) {
    auto driven = with_input_file(*model, *request.input, request.hold);
    if (!driven) return std::nullopt;
    *model = *std::move(driven);
  }
  const auto& integrator = request.integrator;
  if (integrator && motion::integrator_from_string(*integrator))  // else `run` complains
    model->simulation.integrator = *integrator;
  if (request.multipliers) model::record_multipliers(*model);
  auto motion = [&] {
    const Waiting waiting("deriving and compiling the equations", shows_progress(options));
    return motion::compile(*std::move(model), compile_options);
  }();
  if (!motion) {
    complain(motion.error());
    return std::nullopt;
  }
  return *std::move(motion);
}

std::string stem_of(const std::string& model) {
  const std::string stem = std::filesystem::path(model).stem().string();
  // ...toml would lead to the directory above.
  return stem.find_first_not_of('.') == std::string::npos ? "model" : stem;
}

bool small_enough_for(std::string_view command, const motion::Motion& motion) {
  const std::size_t n = motion.coordinates(), m = motion.constraints();
  if (n + m <= motion::most_on_full_matrices) return true;
  complain(model::error_in(
      motion.model(),
      fmt::format("`{}` works on full matrices, for up to {} coordinates and constraints together, "
                  "and this model has {}; `run` has no such limit",
                  command, motion::most_on_full_matrices, n + m)));
  return false;
}

bool shows_progress(const CommonOptions& options) {
  return !options.quiet && !options.json;
}

void handle_signals(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

std::atomic<bool>& stop_at_signals() {
  handle_signals(on_interrupt);
  return interrupted;
}

bool is_formulation(const std::string& name) {
  if (mechanics::find_formulation(name) != nullptr) return true;
  std::vector<std::string> known{"all"};
  for (const auto& f : mechanics::formulations()) known.emplace_back(f.name);
  const std::string meant = expr::did_you_mean(name, known);
  complain(
      fmt::format("--method {}: no formulation of that name{}", name,
                  meant.empty() ? fmt::format("; there are {}", fmt::join(known, ", ")) : meant));
  return false;
}

std::optional<expr::Expr> expression_option(const std::string& option, const std::string& text,
                                            const model::Model& model) {
  std::vector<std::string> names;
  for (const auto& parameter : model.parameters) {
    if (!model::is_internal(parameter)) names.push_back(parameter.name);
  }
  const auto resolve = [&](std::string_view name,
                           int primes) -> expr::Result<expr::Expr, std::string> {
    for (const std::string& known : names) {
      if (known == name && primes == 0) return expr::parameter(name);
    }
    const std::string meant = expr::did_you_mean(name, names);
    return expr::Failure{
        fmt::format("unknown name '{}'{}", name,
                    meant.empty() ? "; numbers and parameters may be used here" : meant)};
  };
  const auto parsed = expr::parse(text, resolve);
  if (!parsed) {
    complain(fmt::format("{} '{}': {}", option, text, parsed.error().message));
    return std::nullopt;
  }
  return *parsed;
}

std::optional<double> number_option(const std::string& option, const std::string& text,
                                    const motion::Motion& motion) {
  const auto parsed = expression_option(option, text, motion.model());
  if (!parsed) return std::nullopt;
  return finite_value(option, text, *parsed, motion.model(), motion.parameters());
}

std::optional<double> finite_value(const std::string& option, const std::string& text,
                                   const expr::Expr& e, const model::Model& model,
                                   const std::vector<double>& parameters) {
  const double value = model::evaluate(e, model, parameters);
  if (!std::isfinite(value)) {
    complain(fmt::format("{} '{}': not a finite number", option, text));
    return std::nullopt;
  }
  return value;
}

}  // namespace dalembert::cli
