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
  std::optional<std::string> duration, samples, rtol, atol, integrator, precision, max_step;
  // Of `run` alone:
  std::optional<std::string> from;       ///< when it starts
  std::optional<std::string> input;      ///< a file with the courses of inputs
  bool hold = false;                     ///< inputs keep their values from row to row
  bool resume = false;                   ///< go on where the motion in `out` ended
  bool multipliers = false;              ///< whether lambda of every constraint is recorded
  std::string format = "csv";            ///< of the trajectory
  std::vector<std::string> sensitivity;  ///< NAME, ...: with respect to what
  bool report = true;                    ///< whether report.html is written
  bool event_rows = false;               ///< on both sides of each instant
};

struct EvalOptions : CommonOptions {
  std::vector<std::string> at;  ///< NAME=VALUE, ...
};

struct LineariseOptions : CommonOptions {
  std::vector<std::string> at;  ///< as for `run`
  bool equilibrium = false;     ///< look for one near the start
};

struct ContinueOptions : CommonOptions {
  std::vector<std::string> at;  ///< as for `run`
  std::string along, from, to;  ///< a parameter, and where the branch begins and ends
  std::optional<std::string> points, out;
};

struct DeriveOptions : CommonOptions {
  std::string format = "text";
  bool linear = false;  ///< linearised at the initial state
};

struct SweepOptions : RunOptions {
  std::vector<std::string> vary;        ///< NAME=VALUES
  std::vector<std::string> statistics;  ///< max(x)
  std::optional<std::string> runs, seed, threads, lanes, shard, device;
  bool resume = false;
  bool csv = false;
};

struct MergeOptions : CommonOptions {
  std::vector<std::string> directories;  ///< of shards, or that hold such
  std::optional<std::string> out;
  bool csv = false;
};

struct ImportOptions {
  std::string robot;               ///< a URDF file
  std::optional<std::string> out;  ///< standard output if not given
  bool force = false;              ///< replace an existing file
  bool quiet = false;
};

struct ExportOptions : CommonOptions {
  std::string to;                  ///< c, fmu, python or js
  std::optional<std::string> fmi;  ///< 2 or 3
  std::optional<std::string> out;  ///< out/MODEL/... if not given
};

struct ViewOptions : CommonOptions {
  std::vector<std::string> at;      ///< as for `run`
  std::optional<std::string> port;  ///< any free one if not given
  bool no_browser = false;
};

int run(const RunOptions& options);
int sweep(const SweepOptions& options);
int merge(const MergeOptions& options);
int view(const ViewOptions& options);
int evaluate(const EvalOptions& options);
int linearise(const LineariseOptions& options);
int continue_branch(const ContinueOptions& options);
int derive(const DeriveOptions& options);
int check(const CommonOptions& options);
int list_models(const CommonOptions& options);
int import_robot(const ImportOptions& options);
int export_model(const ExportOptions& options);

/// Prints a text for people, to standard output or standard error: what a file says in it cannot
/// move the cursor or hide (expr::visible).
void print(std::string_view text);
void print_aside(std::string_view text);

/// Prints an error to standard error, `error:` in colour on a terminal.
void complain(const model::ModelError& error);
void complain(const std::string& message);

}  // namespace dalembert::cli
