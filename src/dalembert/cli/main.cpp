#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>

#include "dalembert/cli/commands.hpp"
#include "dalembert/cli/progress.hpp"
#include "dalembert/cli/session.hpp"
#include "dalembert/expr/suggest.hpp"

namespace {

using namespace dalembert::cli;

void add_model(CLI::App& command, CommonOptions& options, const std::string& method) {
  command
      .add_option("model", options.model,
                  "a model file, or the name of a model that comes with the program")
      ->required()
      ->type_name("MODEL");
  command.add_option("--set", options.settings, "give a parameter another value (repeatable)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.add_option("--method", options.method, method)->type_name("NAME");
  command.add_flag("--quiet", options.quiet, "print errors only");
}

void add_common(CLI::App& command, CommonOptions& options, const std::string& method) {
  add_model(command, options, method);
  command.add_flag("--json", options.json,
                   "one JSON document on standard output, nothing else there");
}

void add_at(CLI::App& command, std::vector<std::string>& at, const std::string& what,
            const std::string& example) {
  command.add_option("--at", at, what + " (repeatable)")
      ->type_name("\"" + example + "\"")
      ->allow_extra_args(false);
}

void add_simulation(CLI::App& command, RunOptions& options, const std::string& out) {
  command.add_option("--out", options.out, "where to write; " + out + " if not given")
      ->type_name("DIR");
  add_at(command, options.at, "other initial values", "x=1,x'=2");
  command.add_option("--duration", options.duration, "length of the motion in seconds")
      ->type_name("T");
  command.add_option("--rtol", options.rtol, "relative tolerance")->type_name("R");
  command.add_option("--atol", options.atol, "absolute tolerance")->type_name("A");
  command
      .add_option("--integrator", options.integrator,
                  "rk8, taylor, auto to choose between the two, or bdf for stiff systems")
      ->type_name("NAME");
  command
      .add_option("--precision", options.precision,
                  "double, or extended: 80 bits, for reference runs")
      ->type_name("NAME");
  command.add_option("--max-step", options.max_step, "no step is longer, in seconds")
      ->type_name("H");
}

/// The status, unless what was printed could not be written.
int checked_output(int status) {
  std::cout.flush();
  if (std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  complain("cannot write to standard output");
  return bad_input;
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

/// What to say where the first argument is meant to be a command and is none.
std::optional<std::string> unknown_command(const CLI::App& app, int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  if (word.empty() || word.front() == '-') return std::nullopt;
  const std::vector<std::string> known = commands_of(app);
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    if (command->check_name(word)) return std::nullopt;  // other spellings too
  }
  const std::string meant = dalembert::expr::did_you_mean(word, known);
  return fmt::format("unknown command '{}'{}{}", word,
                     meant.empty() ? "; there are " : meant + " There are ",
                     fmt::join(known, ", "));
}

/// "--set", "--out", ...; without those of one letter.
std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// What to say of an option that the command which was given does not have.
std::optional<std::string> unknown_option(const CLI::App& app) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  const CLI::App& command = given.empty() ? app : *given.front();
  for (const std::string& word : command.remaining()) {
    if (word.size() < 2 || word.front() != '-') continue;
    const std::string name = word.substr(0, word.find('='));
    std::string text = fmt::format("unknown option '{}'", name);
    if (!given.empty()) text += " of " + command.get_name();
    const std::string meant = dalembert::expr::did_you_mean(name, options_of(command));
    if (!meant.empty()) return text + meant;
    std::vector<std::string> others;
    for (const CLI::App* other : app.get_subcommands(nullptr)) {
      if (std::ranges::count(options_of(*other), name) > 0) others.push_back(other->get_name());
    }
    if (!others.empty())
      return fmt::format("{}; {} {} it", text, fmt::join(others, ", "),
                         others.size() == 1 ? "has" : "have");
    return fmt::format("{}; see dalembert {}--help", text,
                       given.empty() ? "" : command.get_name() + " ");
  }
  return std::nullopt;
}

int main_checked(int argc, char** argv) {
  CLI::App app{"dalembert: the mechanics of constrained systems"};
  app.set_version_flag("--version", "dalembert " DALEMBERT_VERSION);
  app.name("dalembert");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);

  const std::string solved_by = "how the equations are solved, e.g. m-inverse or suslov";
  RunOptions run_options;
  CLI::App* run_command = app.add_subcommand(
      "run", "simulate; writes trajectory.csv, events.csv, summary.json, report.html");
  add_common(*run_command, run_options, solved_by);
  run_command->add_option("--samples", run_options.samples, "rows to write, evenly spaced")
      ->type_name("N");
  add_simulation(*run_command, run_options, "out/MODEL");
  run_command->add_flag("--multipliers", run_options.multipliers,
                        "record the multiplier of every constraint, lambda.NAME");
  run_command
      ->add_option("--format", run_options.format,
                   "of the trajectory: csv, hdf5 or both; csv if not given")
      ->type_name("FORMAT");
  run_command
      ->add_option("--sensitivity", run_options.sensitivity,
                   "columns d(x)/d(m): derivatives of the motion by parameters and initial values "
                   "(repeatable)")
      ->type_name("m,theta")
      ->allow_extra_args(false);
  run_command->add_option("--from", run_options.from, "when the motion starts; 0 if not given")
      ->type_name("T");
  run_command
      ->add_option("--input", run_options.input,
                   "inputs over time: a file with a column t and one for each input")
      ->type_name("FILE.csv");
  run_command->add_flag(
      "--hold", run_options.hold,
      "inputs keep their values from row to row instead of being linear between rows");
  run_command->add_flag("--resume", run_options.resume,
                        "continue from the last row of the existing trajectory");
  run_command->add_flag("--event-rows", run_options.event_rows,
                        "add rows just before and just after every instant of events.csv");
  run_command->add_flag_callback(
      "--no-report", [&] { run_options.report = false; }, "leave out report.html");

  ViewOptions view_options;
  CLI::App* view_command = app.add_subcommand(
      "view", "the motion in a browser, recomputed while you change parameters, start and model");
  add_model(*view_command, view_options, solved_by);
  add_at(*view_command, view_options.at, "other initial values", "x=1,x'=2");
  view_command->add_option("--port", view_options.port, "of 127.0.0.1; any free one if not given")
      ->type_name("N");
  view_command->add_flag("--no-browser", view_options.no_browser, "only print the address");

  SweepOptions sweep_options;
  CLI::App* sweep_command = app.add_subcommand(
      "sweep",
      "many runs with different parameters and starts; writes results.h5 and summary.json");
  add_common(*sweep_command, sweep_options, solved_by);
  sweep_command
      ->add_option("--vary", sweep_options.vary,
                   "what varies and how: a list or linspace(a, b, n), logspace(a, b, n), "
                   "uniform(a, b), loguniform(a, b), normal(mean, sd) (repeatable)")
      ->type_name("NAME=VALUES")
      ->allow_extra_args(false);
  sweep_command
      ->add_option("--runs", sweep_options.runs, "number of runs; the whole grid if not given")
      ->type_name("N");
  sweep_command->add_option("--seed", sweep_options.seed, "of the random numbers; 0 if not given")
      ->type_name("S");
  sweep_command
      ->add_option("--stat", sweep_options.statistics,
                   "min, max, mean, rms or final of a quantity over the samples (repeatable)")
      ->type_name("\"max(x)\"")
      ->allow_extra_args(false);
  sweep_command->add_option("--samples", sweep_options.samples, "samples of each run to keep")
      ->type_name("N");
  add_simulation(*sweep_command, sweep_options, "out/MODEL-sweep");
  sweep_command->add_option("--threads", sweep_options.threads, "one per core if not given")
      ->type_name("N");
  sweep_command
      ->add_option("--lanes", sweep_options.lanes, "runs that a thread computes at once: 1, 4 or 8")
      ->type_name("N");
  sweep_command->add_flag("--resume", sweep_options.resume, "continue the study in the directory");
  sweep_command->add_flag("--csv", sweep_options.csv,
                          "write results.csv even for more than 10000 runs");

  sweep_command
      ->add_option("--device", sweep_options.device,
                   "where the steps are computed: cpu, gpu, or auto for a graphics processor if "
                   "there is one that can; cpu if not given")
      ->type_name("NAME");
  sweep_command
      ->add_option("--shard", sweep_options.shard,
                   "only a part of the runs: shard I of N, or auto, from the variables that Slurm "
                   "and MPI set")
      ->type_name("I/N");

  MergeOptions merge_options;
  CLI::App* merge_command =
      app.add_subcommand("merge", "merge the shards of a sweep into the results of all runs");
  merge_command
      ->add_option("directories", merge_options.directories,
                   "of shards, or of a study that holds them")
      ->required()
      ->type_name("DIR");
  merge_command
      ->add_option("--out", merge_options.out,
                   "where to write; the folder of the shards if not given")
      ->type_name("DIR");
  merge_command->add_flag("--csv", merge_options.csv,
                          "write results.csv even for more than 10000 runs");
  merge_command->add_flag("--json", merge_options.json,
                          "one JSON document on standard output, nothing else there");
  merge_command->add_flag("--quiet", merge_options.quiet, "print errors only");

  EvalOptions eval_options;
  CLI::App* eval_command = app.add_subcommand(
      "eval", "one state: M, Q, A, b, accelerations, ideal and non-ideal constraint forces");
  add_common(*eval_command, eval_options, solved_by);
  add_at(*eval_command, eval_options.at, "another state, on top of the initial one",
         "t=0,x=1,x'=2");

  LineariseOptions linearise_options;
  CLI::App* linearise_command = app.add_subcommand(
      "linearise", "A, B, C, D, eigenvalues and modes at an equilibrium or a steady motion");
  linearise_command->alias("linearize");
  add_common(*linearise_command, linearise_options, solved_by);
  add_at(*linearise_command, linearise_options.at, "other initial values", "x=1,x'=2");
  linearise_command->add_flag("--equilibrium", linearise_options.equilibrium,
                              "at the equilibrium or steady motion found near the start");

  ContinueOptions continue_options;
  CLI::App* continue_command = app.add_subcommand(
      "continue", "equilibria and steady motions along a parameter, with folds and Hopf points");
  add_common(*continue_command, continue_options, solved_by);
  add_at(*continue_command, continue_options.at, "other initial values", "x=1,x'=2");
  continue_command->add_option("--along", continue_options.along, "the parameter")
      ->required()
      ->type_name("NAME");
  continue_command->add_option("--from", continue_options.from, "its value at the start")
      ->required()
      ->type_name("A");
  continue_command->add_option("--to", continue_options.to, "its value at the end")
      ->required()
      ->type_name("B");
  continue_command
      ->add_option("--points", continue_options.points, "about how many; 51 if not given")
      ->type_name("N");
  continue_command
      ->add_option("--out", continue_options.out, "where to write; out/MODEL-branch if not given")
      ->type_name("DIR");

  DeriveOptions derive_options;
  CLI::App* derive_command = app.add_subcommand(
      "derive", "the equations of motion, readable, in one formulation or all of them");
  add_common(*derive_command, derive_options, "one formulation, e.g. suslov; all if not given");
  derive_command->add_option("--format", derive_options.format, "text, markdown, latex or html")
      ->type_name("FORMAT");
  derive_command->add_flag("--linear", derive_options.linear,
                           "linearised at the initial state, an equilibrium or a steady motion");

  CommonOptions check_options;
  CLI::App* check_command =
      app.add_subcommand("check",
                         "constraints classified, rank and redundancy, initial state, what motions "
                         "conserve, formulations proven equal");
  add_common(*check_command, check_options, "compare one formulation; all if not given");

  CommonOptions models_options;
  CLI::App* models_command = app.add_subcommand("models", "the models that come with the program");
  models_command->add_flag("--json", models_options.json, "one JSON document on standard output");

  ImportOptions import_options;
  CLI::App* import_command =
      app.add_subcommand("import", "a robot described in URDF, as a model file");
  import_command->add_option("robot", import_options.robot, "a URDF file")
      ->required()
      ->type_name("URDF");
  import_command
      ->add_option("-o,--out", import_options.out, "where to write; standard output if not given")
      ->type_name("FILE");
  import_command->add_flag("--force", import_options.force, "replace an existing file");
  import_command->add_flag("--quiet", import_options.quiet, "print errors only, no notes");

  ExportOptions export_options;
  CLI::App* export_command = app.add_subcommand(
      "export",
      "the motion as source code (C, Python, JavaScript) or as an FMU for other programs");
  export_command
      ->add_option("model", export_options.model,
                   "a model file, or the name of a model that comes with the program")
      ->required()
      ->type_name("MODEL");
  export_command->add_option("--to", export_options.to, "c, fmu, python or js")
      ->required()
      ->type_name("FORMAT");
  export_command
      ->add_option("--fmi", export_options.fmi, "version of the FMU: 2 or 3; 2 if not given")
      ->type_name("N");
  export_command
      ->add_option("-o,--out", export_options.out,
                   "the folder for c, else the file; below out/MODEL if not given")
      ->type_name("PATH");
  export_command
      ->add_option("--set", export_options.settings, "give a parameter another value (repeatable)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  export_command->add_flag("--quiet", export_options.quiet, "print errors only");

  if (const auto problem = unknown_command(app, argc, argv)) {
    complain(*problem);
    return bad_input;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      app.exit(error, std::cout, std::cerr);
      return checked_output(done);
    }
    if (const auto unknown = unknown_option(app)) {
      complain(*unknown);
      return bad_input;
    }
    complain(app.get_subcommands().empty() &&
                     dynamic_cast<const CLI::RequiredError*>(&error) != nullptr
                 ? fmt::format("which command? There are {}; see dalembert --help",
                               fmt::join(commands_of(app), ", "))
                 : std::string(error.what()) + "; see dalembert --help");
    return bad_input;
  }
  if (!view_command->parsed()) handle_signals(end_at_once);  // until there is something to keep
  const int status = run_command->parsed()         ? run(run_options)
                     : view_command->parsed()      ? view(view_options)
                     : sweep_command->parsed()     ? sweep(sweep_options)
                     : merge_command->parsed()     ? merge(merge_options)
                     : eval_command->parsed()      ? evaluate(eval_options)
                     : linearise_command->parsed() ? linearise(linearise_options)
                     : continue_command->parsed()  ? continue_branch(continue_options)
                     : derive_command->parsed()    ? derive(derive_options)
                     : check_command->parsed()     ? check(check_options)
                     : import_command->parsed()    ? import_robot(import_options)
                     : export_command->parsed()    ? export_model(export_options)
                                                   : list_models(models_options);
  return checked_output(status);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return main_checked(argc, argv);
  } catch (const std::bad_alloc&) {
    complain("not enough memory for this model");
    return gave_up;
  } catch (const std::exception& error) {
    print_aside(std::string("internal error: ") + error.what() + "\n");
    return gave_up;
  }
}
