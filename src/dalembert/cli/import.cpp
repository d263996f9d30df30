#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "dalembert/cli/commands.hpp"
#include "dalembert/exchange/urdf.hpp"
#include "dalembert/report/output_file.hpp"

namespace dalembert::cli {

namespace {

namespace fs = std::filesystem;

/// Why the result may not go there, if so.
std::optional<std::string> objection_to(const ImportOptions& options) {
  std::error_code ignored;
  const std::string& out = *options.out;
  if (fs::is_directory(out, ignored)) return fmt::format("{}: is a directory", out);
  if (!fs::exists(out, ignored)) return std::nullopt;
  if (!fs::is_regular_file(out, ignored)) return fmt::format("{}: is not a file", out);
  if (fs::equivalent(out, options.robot, ignored))
    return fmt::format("{}: would be overwritten by what is made of it", out);
  if (!options.force) return fmt::format("{}: exists already; --force replaces it", out);
  return std::nullopt;
}

}  // namespace

int import_robot(const ImportOptions& options) {
  if (options.out) {
    if (const auto objection = objection_to(options)) {
      complain(*objection);
      return bad_input;
    }
  }
  const auto imported = exchange::import_urdf_file(options.robot);
  if (!imported) {
    complain(imported.error());
    return bad_input;
  }
  if (options.out) {
    // Through a link, to what it stands for.
    std::error_code ignored;
    const fs::path target = fs::weakly_canonical(*options.out, ignored);
    report::OutputFile file(ignored ? *options.out : target.string());
    if (!file.write(imported->toml) || !file.commit()) {
      complain(*file.error());
      return bad_input;
    }
  } else {
    std::fputs(imported->toml.c_str(), stdout);
  }
  if (!options.quiet) {
    for (const std::string& note : imported->notes)
      print_aside(fmt::format("{}: note: {}\n", options.robot, note));
    if (options.out) print(fmt::format("wrote {}\n", *options.out));
  }
  return done;
}

}  // namespace dalembert::cli
