#include "dalembert/packing/fmu.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dalembert/codegen/sha256.hpp"
#include "dalembert/packing/archive.hpp"
#include "dalembert/packing/compiler.hpp"
#include "dalembert/packing/names.hpp"
#include "dalembert/packing/templates.hpp"

namespace dalembert::packing {

namespace {

/// One variable of the interface; its number is its value reference.
struct Variable {
  enum class Role : std::uint8_t {
    time,
    parameter,
    input,
    calculated,
    state,
    derivative,
    output,
    discrete,  ///< set by events
    residual,
    indicator
  };
  Role role;
  std::size_t reference = 0;
  std::string name, description;
  double start = 0;
  std::size_t of = 0;  ///< of a derivative: the value reference of its state
  bool shown = false;  ///< a state that is an output, a discrete value that may be given
};

/// The variables in the order of their value references, as fmu.h numbers them. The velocities
/// among the samples are left out where they are states.
std::vector<Variable> variables_of(const PackedSystem& system) {
  using Role = Variable::Role;
  std::vector<Variable> all;
  std::size_t reference = 0;
  all.push_back({.role = Role::time,
                 .reference = reference++,
                 .name = "time",
                 .description = "simulation time"});
  for (const PackedParameter& parameter : system.parameters) {
    if (parameter.internal) {
      ++reference;
      continue;
    }
    all.push_back({.role = parameter.discrete ? Role::discrete
                           : parameter.input  ? Role::input
                           : parameter.free   ? Role::parameter
                                              : Role::calculated,
                   .reference = reference++,
                   .name = parameter.name,
                   .description = parameter.discrete ? "set by events"
                                  : parameter.input  ? "input"
                                  : parameter.free   ? "parameter"
                                                     : "follows from other parameters",
                   .start = parameter.value,
                   .shown = parameter.discrete && parameter.free});
  }
  const std::size_t first_state = reference;
  for (std::size_t i = 0; i < system.states; ++i) {
    const bool quasi = system.reduced && i >= system.n;
    all.push_back({.role = Role::state,
                   .reference = reference++,
                   .name = system.state_names[i],
                   .description = quasi          ? "quasi-velocity"
                                  : i < system.n ? "coordinate"
                                                 : "velocity",
                   .start = system.start_y[i],
                   .shown = !quasi});
  }
  for (std::size_t i = 0; i < system.states; ++i) {
    all.push_back({.role = Role::derivative,
                   .reference = reference++,
                   .name = "der(" + system.state_names[i] + ")",
                   .description = "derivative by time",
                   .of = first_state + i});
  }
  for (std::size_t i = 0; i < system.sample_names.size(); ++i, ++reference) {
    if (i < system.n && !system.reduced) continue;
    const char* const what = i < system.n       ? "velocity"
                             : i < 2 * system.n ? "acceleration"
                             : i < 3 * system.n ? "ideal constraint force"
                             : i < 4 * system.n ? "non-ideal constraint force"
                                                : "";
    all.push_back({.role = Role::output,
                   .reference = reference,
                   .name = system.sample_names[i],
                   .description = what});
  }
  all.push_back({.role = Role::residual,
                 .reference = reference++,
                 .name = "constraint.residual",
                 .description = "largest residual of a constraint, relative to its own scale"});
  for (const PackedEvent& event : system.events) {
    if (event.is_clock) continue;
    all.push_back({.role = Role::indicator,
                   .reference = reference++,
                   .name = "indicator." + event.name,
                   .description = "changes sign where the event happens"});
  }
  // What is the program's own must not bear a name of the model's, nor a discrete value that of an
  // output.
  const auto gives_way = [](const Variable& variable) {
    return variable.role == Role::derivative || variable.role == Role::discrete ||
           variable.role == Role::residual || variable.role == Role::indicator;
  };
  NameBook book;
  for (const Variable& variable : all)
    if (!gives_way(variable)) book.take(variable.name);
  for (Variable& variable : all)
    if (gives_way(variable)) variable.name = book.take(variable.name, "#");
  return all;
}

std::string attribute(const char* name, const std::string& value) {
  return value.empty() ? "" : fmt::format(" {}=\"{}\"", name, xml_text(value));
}

/// Causality, variability and initial, which both versions of the standard name alike.
std::string kind_of(const Variable& variable) {
  const auto kind = [](const char* causality, const char* variability, const char* initial) {
    return attribute("causality", causality) + attribute("variability", variability) +
           attribute("initial", initial);
  };
  switch (variable.role) {
    case Variable::Role::time:
      return kind("independent", "continuous", "");
    case Variable::Role::parameter:
      return kind("parameter", "tunable", "exact");
    case Variable::Role::input:
      return kind("input", "continuous", "");
    case Variable::Role::calculated:
      return kind("calculatedParameter", "tunable", "calculated");
    case Variable::Role::state:
      return kind(variable.shown ? "output" : "local", "continuous", "approx");
    case Variable::Role::output:
      return kind("output", "continuous", "calculated");
    case Variable::Role::discrete:
      return kind("local", "discrete", variable.shown ? "exact" : "calculated");
    case Variable::Role::derivative:
    case Variable::Role::residual:
    case Variable::Role::indicator:
      return kind("local", "continuous", "calculated");
  }
  return "";
}

bool has_start(const Variable& variable) {
  return variable.role == Variable::Role::parameter || variable.role == Variable::Role::input ||
         variable.role == Variable::Role::state ||
         (variable.role == Variable::Role::discrete && variable.shown);
}

std::string start_of(const Variable& variable) {
  return has_start(variable) ? fmt::format(" start=\"{}\"", variable.start) : "";
}

bool is_output(const Variable& variable) {
  return variable.role == Variable::Role::output ||
         (variable.role == Variable::Role::state && variable.shown);
}

/// What is found when the motion is initialised: all that is approximate or calculated and part of
/// the interface.
bool is_initial_unknown(const Variable& variable) {
  return is_output(variable) || variable.role == Variable::Role::state ||
         variable.role == Variable::Role::derivative || variable.role == Variable::Role::calculated;
}

std::size_t indicators_of(const std::vector<Variable>& variables) {
  return static_cast<std::size_t>(std::ranges::count_if(variables, [](const Variable& variable) {
    return variable.role == Variable::Role::indicator;
  }));
}

/// Whether states change at events, in model exchange.
bool changes_states(const PackedSystem& system) {
  return system.projects_positions || system.projects_velocities || !system.events.empty();
}

constexpr std::string_view log_categories =
    "  <LogCategories>\n"
    "    <Category name=\"logStatusError\" description=\"why a call failed\"/>\n"
    "    <Category name=\"logEvents\" description=\"events, and projections onto the "
    "constraints\"/>\n"
    "  </LogCategories>\n";

std::string default_experiment(const PackedSystem& system) {
  return fmt::format(
      "  <DefaultExperiment startTime=\"0\" stopTime=\"{}\" tolerance=\"{}\" stepSize=\"{}\"/>\n",
      system.duration, system.rtol, system.duration / 500);
}

std::string head(const PackedSystem& system, const char* version, const char* token_name,
                 const std::string& token) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"{}\" "
      "modelName=\"{}\"{} {}=\"{}\" generationTool=\"dalembert\" variableNamingConvention=\"flat\"",
      version, xml_text(system.name), attribute("description", system.description), token_name,
      token);
}

std::string description_2(const PackedSystem& system, const std::vector<Variable>& variables,
                          const std::string& token) {
  const bool reinit = changes_states(system);
  const std::string files = fmt::format(
      "    <SourceFiles>\n      <File name=\"{}.c\"/>\n      <File name=\"fmu.c\"/>\n      <File "
      "name=\"fmi2.c\"/>\n    </SourceFiles>\n",
      system.prefix);
  const std::string can = fmt::format(
      "modelIdentifier=\"{}\" canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" "
      "providesDirectionalDerivative=\"{}\"",
      system.prefix, system.turning.has_value());
  std::string text = head(system, "2.0", "guid", token) +
                     fmt::format(" numberOfEventIndicators=\"{}\">\n", indicators_of(variables));
  text += fmt::format("  <ModelExchange {}>\n{}  </ModelExchange>\n", can, files);
  text += fmt::format(
      "  <CoSimulation {} canHandleVariableCommunicationStepSize=\"true\">\n{}  </CoSimulation>\n",
      can, files);
  text += log_categories;
  text += default_experiment(system);
  text += "  <ModelVariables>\n";
  std::map<std::size_t, std::size_t> place;  // from 1, by value reference
  for (std::size_t i = 0; i < variables.size(); ++i) place[variables[i].reference] = i + 1;
  for (const Variable& variable : variables) {
    std::string more;
    if (variable.role == Variable::Role::derivative)
      more = fmt::format(" derivative=\"{}\"", place[variable.of]);
    if (variable.role == Variable::Role::state && reinit) more += " reinit=\"true\"";
    text += fmt::format(
        "    <ScalarVariable name=\"{}\" valueReference=\"{}\"{}{}>\n      <Real{}{}/>\n"
        "    </ScalarVariable>\n",
        xml_text(variable.name), variable.reference, attribute("description", variable.description),
        kind_of(variable), start_of(variable), more);
  }
  text += "  </ModelVariables>\n  <ModelStructure>\n";
  const auto list = [&](const char* name, auto belongs) {
    std::string unknowns;
    for (std::size_t i = 0; i < variables.size(); ++i)
      if (belongs(variables[i])) unknowns += fmt::format("      <Unknown index=\"{}\"/>\n", i + 1);
    if (!unknowns.empty()) text += fmt::format("    <{0}>\n{1}    </{0}>\n", name, unknowns);
  };
  list("Outputs", is_output);
  list("Derivatives",
       [](const Variable& variable) { return variable.role == Variable::Role::derivative; });
  list("InitialUnknowns", is_initial_unknown);
  return text + "  </ModelStructure>\n</fmiModelDescription>\n";
}

std::string description_3(const PackedSystem& system, const std::vector<Variable>& variables,
                          const std::string& token) {
  const bool reinit = changes_states(system);
  const std::string can = fmt::format(
      "modelIdentifier=\"{}\" canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" "
      "providesDirectionalDerivatives=\"{}\" providesAdjointDerivatives=\"{}\"",
      system.prefix, system.turning.has_value(), system.turning.has_value());
  std::string text = head(system, "3.0", "instantiationToken", token) + ">\n";
  text += fmt::format("  <ModelExchange {} needsCompletedIntegratorStep=\"true\"/>\n", can);
  text +=
      fmt::format("  <CoSimulation {} canHandleVariableCommunicationStepSize=\"true\"/>\n", can);
  text += log_categories;
  text += default_experiment(system);
  text += "  <ModelVariables>\n";
  for (const Variable& variable : variables) {
    std::string more;
    if (variable.role == Variable::Role::derivative)
      more = fmt::format(" derivative=\"{}\"", variable.of);
    if (variable.role == Variable::Role::state && reinit) more += " reinit=\"true\"";
    text += fmt::format("    <Float64 name=\"{}\" valueReference=\"{}\"{}{}{}{}/>\n",
                        xml_text(variable.name), variable.reference,
                        attribute("description", variable.description), kind_of(variable),
                        start_of(variable), more);
  }
  text += "  </ModelVariables>\n  <ModelStructure>\n";
  const auto list = [&](const char* name, auto belongs) {
    for (const Variable& variable : variables)
      if (belongs(variable))
        text += fmt::format("    <{} valueReference=\"{}\"/>\n", name, variable.reference);
  };
  list("Output", is_output);
  list("ContinuousStateDerivative",
       [](const Variable& variable) { return variable.role == Variable::Role::derivative; });
  list("InitialUnknown", is_initial_unknown);
  list("EventIndicator",
       [](const Variable& variable) { return variable.role == Variable::Role::indicator; });
  return text + "  </ModelStructure>\n</fmiModelDescription>\n";
}

/// How to compile the sources, for importers that do.
std::string build_description(const PackedSystem& system, const char* interface,
                              const char* version) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"{}\">\n"
      "  <BuildConfiguration modelIdentifier=\"{}\">\n    <SourceFileSet language=\"C99\">\n"
      "      <SourceFile name=\"{}.c\"/>\n      <SourceFile name=\"fmu.c\"/>\n"
      "      <SourceFile name=\"{}.c\"/>\n    </SourceFileSet>\n"
      "    <Library name=\"m\" description=\"the C library's mathematics\"/>\n"
      "  </BuildConfiguration>\n</fmiBuildDescription>\n",
      version, system.prefix, system.prefix, interface);
}

/// Tells importers of the results beside it.
constexpr const char* reference_manifest =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<fmiReferences xmlns:fmi-ls=\"http://fmi-standard.org/fmi-ls-manifest\"\n"
    "    fmi-ls:fmi-ls-name=\"org.fmi-standard.fmi-ls-ref\" "
    "fmi-ls:fmi-ls-version=\"1.0.0-alpha.1\"\n"
    "    fmi-ls:fmi-ls-description=\"Layered Standard providing information on related files "
    "included in an FMU.\">\n"
    "  <Related source=\"reference.csv\" role=\"result\" type=\"text/csv\" "
    "description=\"the motion as dalembert run computes it\"/>\n"
    "</fmiReferences>\n";

}  // namespace

Files fmu_sources(const PackedSystem& system, Fmi version) {
  const std::string interface = version == Fmi::two ? "fmi2" : "fmi3";
  Files sources = c_sources(system);
  std::string free, discrete;
  for (const PackedParameter& parameter : system.parameters) {
    free += parameter.free && !parameter.internal ? "1, " : "0, ";
    discrete += parameter.discrete ? "1, " : "0, ";
  }
  std::vector<int> input_of(system.parameters.size() + 1, -1);
  for (std::size_t i = 0; i < system.inputs.size(); ++i)
    input_of[system.inputs[i]] = static_cast<int>(i);
  std::map<std::string, std::string> gaps = {
      {"INPUT_OF", fmt::format("{}", fmt::join(input_of, ", "))},
      {"FREE", free.empty() ? "0" : free.substr(0, free.size() - 2)},
      {"DISCRETE", discrete.empty() ? "0" : discrete.substr(0, discrete.size() - 2)},
      {"WITH_EVENTS", system.events.empty() ? "0" : "1"},
      {"PROJECTS", system.projects_positions || system.projects_velocities ? "1" : "0"}};
  for (const std::string& name : {std::string("fmu.c"), interface + ".c"})
    sources[name] = packing::fill(name, system.prefix, gaps);
  // The token names the interface and all that is computed: a changed model has another.
  const std::vector<Variable> variables = variables_of(system);
  const auto description = [&](const std::string& token) {
    return version == Fmi::two ? description_2(system, variables, token)
                               : description_3(system, variables, token);
  };
  std::string all = description("");
  for (const auto& [name, text] : sources) all += name + text;
  const std::string token = codegen::to_hex(codegen::sha256(all)).substr(0, 32);
  gaps["TOKEN"] = token;
  sources["fmu.h"] = packing::fill("fmu.h", system.prefix, gaps);
  Files files;
  for (const auto& [name, text] : sources) files["sources/" + name] = text;
  files["sources/buildDescription.xml"] = build_description(system, interface.c_str(), "3.0");
  files["modelDescription.xml"] = description(token);
  return files;
}

FmuArchive fmu_archive(const PackedSystem& system, Fmi version, const std::string& reference) {
  Files files = fmu_sources(system, version);
  const std::string folder = "extra/org.fmi-standard.fmi-ls-ref/";
  files[folder + "fmi-ls-manifest.xml"] = reference_manifest;
  files[folder + "reference.csv"] = reference;
  FmuArchive archive;
  const std::string compiler = c_compiler();
  if (compiler.empty()) {
    archive.note = "no C compiler was found (cc, or CC=...)";
  } else {
    Files sources;
    for (const auto& [path, text] : files)
      if (path.starts_with("sources/") && !path.ends_with(".xml")) sources[path.substr(8)] = text;
    if (const auto library = shared_library(compiler, sources)) {
      const char* platform = version == Fmi::two ? "binaries/linux64/" : "binaries/x86_64-linux/";
      files[platform + system.prefix + ".so"] = *library;
      archive.has_binary = true;
    } else {
      archive.note = "the C compiler failed: " + library.error();
    }
  }
  archive.bytes = zip_archive(files);
  return archive;
}

}  // namespace dalembert::packing
