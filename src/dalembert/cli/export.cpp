#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>

#include "dalembert/cli/commands.hpp"
#include "dalembert/cli/progress.hpp"
#include "dalembert/cli/session.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/packing/fmu.hpp"
#include "dalembert/packing/reference.hpp"
#include "dalembert/packing/script.hpp"
#include "dalembert/report/output_file.hpp"

namespace dalembert::cli {

namespace {

namespace fs = std::filesystem;

enum class Target : std::uint8_t { c, fmu, python, javascript };

std::optional<Target> target_of(const std::string& text) {
  if (text == "c") return Target::c;
  if (text == "fmu") return Target::fmu;
  if (text == "python") return Target::python;
  if (text == "js") return Target::javascript;
  complain(
      fmt::format("--to {}: expected c, fmu, python or js{}", text,
                  expr::did_you_mean(text, std::vector<std::string>{"c", "fmu", "python", "js"})));
  return std::nullopt;
}

std::optional<packing::Fmi> version_of(const ExportOptions& options, Target target) {
  if (!options.fmi) return packing::Fmi::two;
  if (target != Target::fmu) {
    complain("--fmi is for --to fmu");
    return std::nullopt;
  }
  if (*options.fmi == "2") return packing::Fmi::two;
  if (*options.fmi == "3") return packing::Fmi::three;
  complain(fmt::format("--fmi {}: expected 2 or 3", *options.fmi));
  return std::nullopt;
}

/// Writes all files, or none: each appears under its name once all are written.
std::optional<std::string> write_all(const fs::path& folder, const packing::Files& files) {
  std::vector<report::OutputFile> written;
  for (const auto& [name, text] : files) {
    report::OutputFile& file = written.emplace_back(folder / name);
    file.write(text);
    if (!file.complete()) return file.error();
  }
  for (report::OutputFile& file : written)
    if (!file.commit()) return file.error();
  return std::nullopt;
}

std::string listed(const packing::Files& files) {
  std::string text;
  for (const auto& [name, content] : files) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// By m-inverse where the model's method gives the same motion.
std::optional<motion::Motion> motion_for(ExportOptions options) {
  auto motion = compile_for(options);
  if (!motion || motion->method() == solve::Method::vakonomic ||
      motion->method() == solve::Method::weighted || motion->method() == solve::Method::m_inverse)
    return motion;
  options.method = "m-inverse";
  return compile_for(options);
}

/// To a folder (c) or to one file.
int write(const ExportOptions& options, const fs::path& folder, const packing::Files& files,
          bool one_file) {
  auto problem = folder.empty() ? std::nullopt : report::make_directory(folder);
  if (!problem) problem = write_all(folder, files);
  if (problem) {
    complain(*problem);
    return bad_input;
  }
  if (!options.quiet) {
    print(one_file ? fmt::format("wrote {}\n", (folder / files.begin()->first).string())
                   : fmt::format("wrote {}/: {}\n", folder.string(), listed(files)));
  }
  return done;
}

}  // namespace

int export_model(const ExportOptions& options) {
  const auto target = target_of(options.to);
  if (!target) return bad_input;
  const auto version = version_of(options, *target);
  if (!version) return bad_input;
  const auto motion = motion_for(options);
  if (!motion) return bad_input;
  const std::string stem = stem_of(options.model);
  const auto system = [&] {
    const Waiting waiting("writing the equations out", shows_progress(options));
    return packing::pack(*motion, stem);
  }();
  if (!system) {
    complain(system.error());
    return bad_input;
  }
  if (!options.quiet && !system->left_out.empty()) {
    print_aside(
        fmt::format("note: left out, because constraints are dependent and their shares of the "
                    "force are not unique: {}\n",
                    fmt::join(system->left_out, ", ")));
  }
  if (*target == Target::c) {
    const fs::path folder = options.out ? fs::path(*options.out) : fs::path("out") / stem / "c";
    return write(options, folder, packing::c_project(*system), false);
  }
  const char* ending = *target == Target::fmu ? ".fmu" : *target == Target::python ? ".py" : ".js";
  const fs::path out =
      options.out ? fs::path(*options.out) : fs::path("out") / stem / (system->prefix + ending);
  if (std::error_code ignored; fs::is_directory(out, ignored)) {
    complain(fmt::format("{}: is a directory", out.string()));
    return bad_input;
  }
  packing::Files files;
  if (*target == Target::fmu) {
    const Waiting waiting("compiling", shows_progress(options));
    packing::FmuArchive archive =
        packing::fmu_archive(*system, *version, packing::reference_results(*motion, *system));
    files[out.filename().string()] = std::move(archive.bytes);
    if (!options.quiet) {
      print(fmt::format(
          "FMI {}.0, model exchange and co-simulation, sources{}\n", static_cast<int>(*version),
          archive.has_binary ? " and a binary for Linux x86-64" : " only: " + archive.note));
    }
  } else {
    const auto language =
        *target == Target::python ? codegen::Language::python : codegen::Language::javascript;
    const auto script = packing::script_of(*system, language);
    if (!script) {
      complain(fmt::format("{}: {}", options.model, script.error()));
      return bad_input;
    }
    files[out.filename().string()] = *script;
  }
  return write(options, out.parent_path(), files, true);
}

}  // namespace dalembert::cli
