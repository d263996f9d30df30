#pragma once
/// What the commands share: finding the model, compiling it with the options given, reading
/// numbers from options.

#include <atomic>
#include <map>
#include <optional>
#include <string>

#include "dalembert/cli/commands.hpp"
#include "dalembert/motion/simulate.hpp"

namespace dalembert::cli {

/// A file, or the name of a model that comes with the program.
model::Result<model::Model, model::ModelError> find_model(const std::string& name);

/// --set NAME=VALUE by name; complains and returns nothing where that is not what is given.
std::optional<std::map<std::string, std::string>> settings_of(const CommonOptions& options);

/// The options of the model, replaced by those of the command line. Nothing, after a complaint, if
/// one of them is wrong. `many`: for the runs of a sweep.
std::optional<motion::SimulationOptions> options_for(const RunOptions& given,
                                                     const motion::Motion& motion,
                                                     bool many = false);

/// What a command asks of the motion besides.
struct CompileRequest {
  std::optional<std::string> integrator = {};  ///< instead of the model's
  std::optional<std::string> input = {};       ///< the file of inputs, see with_input_file ...
  bool hold = false;                           ///< ... that keep their values from row to row
  bool multipliers = false;                    ///< recorded, even if the model does not say so
};

/// The motion the options ask for; complains and returns nothing when there is none.
std::optional<motion::Motion> compile_for(const CommonOptions& options,
                                          const CompileRequest& request = {});

/// The name of a model without folder and ending, for the directory its results go to.
std::string stem_of(const std::string& model);

/// How much algebra is done for one formulation among all, and for one that is asked for by name:
/// ten seconds, and two minutes.
inline constexpr double effort_among_all = 5e7;
inline constexpr double effort_alone = 5e8;

/// Whether a model is small enough for `command` (check, derive), which work on full matrices of
/// expressions; complains if not.
bool small_enough_for(std::string_view command, const motion::Motion& motion);

/// Whether progress may be shown: not beside --json and --quiet.
bool shows_progress(const CommonOptions& options);

/// Calls `handler` when the program is asked to end; what is ignored already (nohup) stays so.
void handle_signals(void (*handler)(int));

/// From now on a signal to end only sets what is returned: for a motion that stops at its next
/// step and keeps what it has.
std::atomic<bool>& stop_at_signals();

/// Whether a formulation bears this name; complains and suggests one when none does.
bool is_formulation(const std::string& name);

/// An option that is a number or an expression of the model's parameters, as an expression.
/// Complains, naming the option, and returns nothing when it is neither.
std::optional<expr::Expr> expression_option(const std::string& option, const std::string& text,
                                            const model::Model& model);

/// The value of such an expression, which `text` stands for; complains if it is not finite.
std::optional<double> finite_value(const std::string& option, const std::string& text,
                                   const expr::Expr& e, const model::Model& model,
                                   const std::vector<double>& parameters);

/// The names of an option that takes several, between commas, and may be repeated: each once, in
/// the order given.
std::vector<std::string> names_in(const std::vector<std::string>& lists);

inline constexpr std::string_view sensitivities_need_rk8 =
    "--sensitivity: variational equations are integrated by rk8, which this model's integrator bdf "
    "is to replace; give --integrator rk8 if the motion is not stiff";

/// The value of an option: a number, or an expression of the model's parameters. Complains, naming
/// the option, and returns nothing when it is neither or not finite.
std::optional<double> number_option(const std::string& option, const std::string& text,
                                    const motion::Motion& motion);

}  // namespace dalembert::cli
