#pragma once
/// The subcommands. Each returns the exit status of the contract: 0 done, 1 done but an answer is
/// no, 2 bad input, 3 the numerics gave up.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/model/model.hpp"

namespace dalembert::cli {

enum Exit { done = 0, answer_is_no = 1, bad_input = 2, gave_up = 3 };

struct CommonOptions {
  std::string model;
  std::vector<std::string> settings;  ///< NAME=VALUE
  std::optional<std::string> method;
  bool json = false;
  bool quiet = false;
};

struct RunOptions : CommonOptions {
  std::vector<std::string> at;  ///< NAME=VALUE, ...: where the motion starts
  std::optional<std::string> out;
  std::optional<std::string> duration, samples, rtol, atol, integrator, max_step;
  // Of `run` alone:
  std::string format = "csv";  ///< of the trajectory
  bool report = true;          ///< whether report.html is written
  bool event_rows = false;     ///< on both sides of each instant
};

struct EvalOptions : CommonOptions {
  std::vector<std::string> at;  ///< NAME=VALUE, ...
};

struct DeriveOptions : CommonOptions {
  std::string format = "text";
};

struct SweepOptions : RunOptions {
  std::vector<std::string> vary;        ///< NAME=VALUES
  std::vector<std::string> statistics;  ///< max(x)
  std::optional<std::string> runs, seed, threads, lanes;
  bool resume = false;
  bool csv = false;
};

struct ImportOptions {
  std::string robot;               ///< a URDF file
  std::optional<std::string> out;  ///< standard output if not given
  bool force = false;              ///< replace a file that is there
  bool quiet = false;
};

struct ViewOptions : CommonOptions {
  std::vector<std::string> at;      ///< as for `run`
  std::optional<std::string> port;  ///< any free one if not given
  bool no_browser = false;
};

int run(const RunOptions& options);
int sweep(const SweepOptions& options);
int view(const ViewOptions& options);
int evaluate(const EvalOptions& options);
int derive(const DeriveOptions& options);
int check(const CommonOptions& options);
int list_models(const CommonOptions& options);
int import_robot(const ImportOptions& options);

/// Prints a text for people, to standard output or standard error: what a file says in it cannot
/// move the cursor or hide (expr::visible).
void print(std::string_view text);
void print_aside(std::string_view text);

/// Prints an error to standard error, `error:` in colour on a terminal.
void complain(const model::ModelError& error);
void complain(const std::string& message);

}  // namespace dalembert::cli
