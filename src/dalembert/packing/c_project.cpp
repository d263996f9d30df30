#include "dalembert/packing/c_project.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <span>

#include "dalembert/codegen/source.hpp"
#include "dalembert/motion/steps/rk8_coefficients.hpp"
#include "dalembert/packing/names.hpp"
#include "dalembert/packing/templates.hpp"

namespace dalembert::packing {

namespace {

using codegen::Language;
using codegen::Tape;

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string number(double x) {
  return codegen::source_number(x, Language::c);
}

std::string numbers(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double x : values) texts.push_back(number(x));
  return values.empty() ? "0" : fmt::format("{}", fmt::join(texts, ", "));
}

/// The tapes that there are, with their names.
std::vector<std::pair<std::string, const Tape*>> tapes_of(const PackedSystem& system) {
  std::vector<std::pair<std::string, const Tape*>> tapes{{"written", &system.initial}};
  if (system.touches) {
    tapes.emplace_back("dynamics", &system.touches->dynamics);
    tapes.emplace_back("geometry", &system.touches->geometry);
    tapes.emplace_back("laws", &system.touches->laws);
    tapes.emplace_back("observables", &system.touches->observables);
  } else {
    tapes.emplace_back("derivative", &system.derivative);
    tapes.emplace_back("sample", &system.sample);
    tapes.emplace_back("rates", &system.rates);
  }
  if (!system.positions.outputs.empty()) tapes.emplace_back("positions", &system.positions);
  if (!system.velocities.outputs.empty()) tapes.emplace_back("velocities", &system.velocities);
  if (!system.conditions.outputs.empty()) tapes.emplace_back("conditions", &system.conditions);
  if (!system.references.empty()) tapes.emplace_back("angles", &system.angles);
  if (!system.events.empty()) {
    tapes.emplace_back("watched", &system.watched);
    tapes.emplace_back("settings", &system.settings);
    tapes.emplace_back("periods", &system.periods);
  }
  if (system.turning) {
    tapes.emplace_back("turning", &*system.turning);
    tapes.emplace_back("changing", &*system.changing);
  }
  return tapes;
}

bool uses(const Tape& tape, codegen::Operation operation) {
  return std::ranges::any_of(
      tape.code, [&](const codegen::Instruction& one) { return one.operation == operation; });
}

/// The tables that all these read, and how they are written.
struct WrittenTables {
  std::vector<const expr::Table*> tables;
  std::string text;
};

WrittenTables tables_of(const PackedSystem& system) {
  std::vector<const Tape*> tapes{&system.dependent, &system.begun};
  for (const auto& [name, tape] : tapes_of(system)) tapes.push_back(tape);
  WrittenTables result{codegen::tables_of(tapes), ""};
  if (result.tables.empty()) return result;
  result.text = packing::fill("table.c", system.prefix, {});
  for (std::size_t i = 0; i < result.tables.size(); ++i)
    result.text += codegen::table_source(*result.tables[i], i, Language::c, system.prefix) + "\n";
  return result;
}

struct Tapes {
  std::string elementary, text, know;
  std::size_t known = 0;
  std::set<std::string> library;
};

/// All tapes as functions PREFIX_tape_NAME, the places of their known numbers, and the function
/// PREFIX_know that finds those.
Tapes written(const PackedSystem& system) {
  Tapes result;
  std::string calls;
  bool sine = false, cosine = false, both = false;
  const WrittenTables tables = packing::tables_of(system);
  const auto take = [&](const std::string& name, const Tape& tape) {
    // The derivatives of tapes have inputs among theirs, and parameters follow from none.
    const bool apart = name != "dependent" && name != "turning" && name != "changing";
    const auto source =
        codegen::source_of(tape, Language::c,
                           {system.prefix + "_tape_" + name, system.prefix,
                            name == "derivative" ? std::optional(system.states) : std::nullopt,
                            apart ? system.inputs.size() : 0, tables.tables});
    for (const std::string& function : codegen::library_functions(tape))
      result.library.insert(function);
    sine |= source->text.find(system.prefix + "_sin(") != std::string::npos;
    cosine |= source->text.find(system.prefix + "_cos(") != std::string::npos;
    both |= uses(tape, codegen::Operation::sin) || uses(tape, codegen::Operation::cos);
    return *source;
  };
  for (const auto& [name, tape] : tapes_of(system)) {
    const codegen::SourceFunction source = take(name, *tape);
    result.text += fmt::format("enum {{ {}_KNOWN_{} = {} }};\n\n", upper(system.prefix),
                               upper(name), result.known);
    result.text += source.text;
    calls += fmt::format("  {0}_tape_{1}_known(system->p, system->known + {2});\n", system.prefix,
                         name, result.known);
    result.known += source.known;
  }
  if (!system.dependent.outputs.empty()) result.text += take("dependent", system.dependent).text;
  if (!system.begun_of.empty()) result.text += take("begun", system.begun).text;
  result.text +=
      fmt::format("static void {0}_know({0}_system *system) {{\n{1}}}\n", system.prefix, calls);
  result.elementary = tables.text;
  if (both) result.elementary += packing::fill("elementary.c", system.prefix, {});
  if (sine) result.elementary += packing::fill("sine.c", system.prefix, {});
  if (cosine) result.elementary += packing::fill("cosine.c", system.prefix, {});
  return result;
}

/// Assignments to these parameters of what a tape of parameters alone says, for a function that has
/// `system`.
std::string assignments(const PackedSystem& system, const char* name, const Tape& tape,
                        const std::vector<std::size_t>& places) {
  if (places.empty()) return "";
  const std::array tapes{&tape};
  const auto tables = codegen::tables_of(tapes);
  const auto source = codegen::source_of(tape, Language::c, {"f", system.prefix, {}, 0, tables});
  std::string text =
      fmt::format("  double known[{}] = {{0}}, out[{}];\n", source->known + 1, tape.outputs.size());
  text += fmt::format(
      "  {0}_tape_{1}_known(system->p, known);\n"
      "  {0}_tape_{1}(system->p, known, system->p, system->u, out);\n",
      system.prefix, name);
  for (std::size_t o = 0; o < places.size(); ++o)
    text += fmt::format("  system->p[{}] = out[{}];\n", places[o], o);
  return text;
}

/// The parameters that follow from others.
std::vector<std::size_t> dependent_places(const PackedSystem& system) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < system.parameters.size(); ++i)
    if (!system.parameters[i].free && !system.parameters[i].discrete) places.push_back(i);
  return places;
}

bool sets_states(const PackedSystem& system) {
  return std::ranges::any_of(system.events, [](const PackedEvent& event) {
    return std::ranges::any_of(event.sets, [](const auto& set) {
      return set.first != model::Event::Set::Target::discrete;
    });
  });
}

/// What C needs to know of events, by the names of the gaps.
std::map<std::string, std::string> event_tables(const PackedSystem& system) {
  std::vector<std::string> events, sets, whens;
  std::size_t clocks = 0;
  for (const PackedEvent& event : system.events) {
    using Direction = model::Event::Direction;
    const int direction = event.direction == Direction::both     ? 0
                          : event.direction == Direction::rising ? 1
                                                                 : -1;
    events.push_back(fmt::format("{{{}, {}, {}, {}, {}, {}}}",
                                 event.is_clock ? "-1" : fmt::format("{}", whens.size()),
                                 event.is_clock ? fmt::format("{}", clocks) : "-1", direction,
                                 event.stop ? 1 : 0, sets.size(), event.sets.size()));
    if (event.is_clock) {
      ++clocks;
    } else {
      whens.push_back(fmt::format("{}", events.size() - 1));
    }
    for (const auto& [target, index] : event.sets) {
      using Target = model::Event::Set::Target;
      const int kind = target == Target::position ? 0 : target == Target::velocity ? 1 : 2;
      sets.push_back(fmt::format("{{{}, {}}}", kind, index));
    }
  }
  const auto list = [](const std::vector<std::string>& texts, const char* none) {
    return texts.empty() ? std::string(none) : fmt::format("{}", fmt::join(texts, ", "));
  };
  return {{"EVENTS", fmt::format("{}", events.size())},
          {"WHENS", fmt::format("{}", whens.size())},
          {"CLOCKS", fmt::format("{}", clocks)},
          {"SETTINGS", fmt::format("{}", sets.size())},
          {"EVENT_TABLE", list(events, "{-1, -1, 0, 0, 0, 0}")},
          {"SET_TABLE", list(sets, "{2, 0}")},
          {"EVENT_OF_WHEN", list(whens, "0")}};
}

std::string switches(const PackedSystem& system) {
  const std::string P = upper(system.prefix);
  const bool projects = system.projects_positions || system.projects_velocities;
  const bool corrects = sets_states(system);
  const bool constrained = !system.positions.outputs.empty() || !system.velocities.outputs.empty();
  const auto define = [&](const char* name, bool value) {
    return fmt::format("#define {}_{} {}\n", P, name, value ? 1 : 0);
  };
  return define("REDUCED", system.reduced) + define("WITH_INPUTS", !system.inputs.empty()) +
         define("ON_POSITIONS", !system.positions.outputs.empty()) +
         define("ON_VELOCITIES", !system.velocities.outputs.empty()) +
         define("PROJECTS_POSITIONS", system.projects_positions) +
         define("PROJECTS_VELOCITIES", system.projects_velocities) + define("PROJECTS", projects) +
         define("TOUCHES", system.touches.has_value()) +
         define("WITH_EVENTS", !system.events.empty()) +
         define("CORRECTS_POSITIONS", corrects && !system.positions.outputs.empty()) +
         define("CORRECTS_VELOCITIES", corrects && !system.velocities.outputs.empty()) +
         define("CORRECTS", projects || (corrects && constrained)) +
         define("WITH_CONDITIONS", !system.conditions.outputs.empty()) +
         define("WITH_JACOBIAN", system.turning.has_value()) +
         fmt::format("#define {}_TURNS {}\n", P, system.references.size());
}

std::string name_function(const PackedSystem& system, const char* what,
                          const std::vector<std::string>& names) {
  std::string text = fmt::format("const char *{}_{}_name(int i) {{\n", system.prefix, what);
  if (names.empty()) return text + "  (void)i;\n  return 0;\n}\n\n";
  text += "  static const char *const names[] = {\n";
  for (const std::string& name : names) text += fmt::format("      \"{}\",\n", literal_text(name));
  return text +
         fmt::format("  }};\n  return i >= 0 && i < {} ? names[i] : 0;\n}}\n\n", names.size());
}

std::string enumeration(const PackedSystem& system, const char* kind,
                        const std::vector<std::string>& ids,
                        const std::vector<std::string>& names) {
  if (ids.empty()) return "";
  std::string text = "enum {\n";
  for (std::size_t i = 0; i < ids.size(); ++i) {
    text += fmt::format("  {}_{}_{} = {}{} /* {} */\n", upper(system.prefix), kind, ids[i], i,
                        i + 1 < ids.size() ? "," : "", comment_text(names[i]));
  }
  return text + "};\n";
}

std::vector<std::string> parameter_names(const PackedSystem& system) {
  std::vector<std::string> names;
  for (const PackedParameter& parameter : system.parameters) names.push_back(parameter.name);
  return names;
}

std::vector<std::string> input_names(const PackedSystem& system) {
  std::vector<std::string> names;
  for (const std::size_t i : system.inputs) names.push_back(system.parameters[i].name);
  return names;
}

/// By the same names as among the parameters.
std::vector<std::string> input_identifiers(const PackedSystem& system) {
  const std::vector<std::string> all = parameter_identifiers(system);
  std::vector<std::string> names;
  for (const std::size_t i : system.inputs) names.push_back(all[i]);
  return names;
}

/// A table of coefficients.
std::string table(const std::string& prefix, const char* name, const motion::dop853::Weights& w) {
  return fmt::format("static const double {}_{}[] = {{{}}};\n", prefix, name,
                     numbers({w.begin(), w.begin() + motion::dop853::step_stages}));
}

std::string coefficients(const std::string& prefix) {
  namespace d = motion::dop853;
  std::string rows;
  for (std::size_t i = 0; i < d::step_stages; ++i) {
    rows += fmt::format("{}{{{}}}", i == 0 ? "" : ",\n    ",
                        numbers({d::a[i].begin(), d::a[i].begin() + d::step_stages}));
  }
  return fmt::format("static const double {}_a[{}][{}] = {{\n    {}}};\n", prefix, d::step_stages,
                     d::step_stages, rows) +
         table(prefix, "b", d::b) + table(prefix, "c", d::c) + table(prefix, "e5", d::e5) +
         table(prefix, "e3", d::e3);
}

/// Of the continuous output.
std::string dense_coefficients(const std::string& prefix) {
  namespace d = motion::dop853;
  const auto rows = [&](auto first, auto last) {
    std::string text;
    for (auto row = first; row != last; ++row)
      text += fmt::format("{}{{{}}}", row == first ? "" : ",\n    ",
                          numbers({row->begin(), row->end()}));
    return text;
  };
  return fmt::format(
      "static const double {0}_a_dense[3][{1}] = {{\n    {2}}};\n"
      "static const double {0}_c_dense[] = {{{3}}};\n"
      "static const double {0}_d[4][{1}] = {{\n    {4}}};\n",
      prefix, d::all_stages, rows(d::a.begin() + d::step_stages + 1, d::a.end()),
      numbers({d::c.begin() + d::step_stages + 1, d::c.end()}), rows(d::d.begin(), d::d.end()));
}

std::string title(const PackedSystem& system, const Tapes& tapes) {
  std::string text = "/* " + comment_text(system.name) + "\n";
  if (!system.description.empty()) text += "   " + comment_text(system.description) + "\n";
  text +=
      "\n   Made by dalembert.  M q'' = Q + Q_ideal + Q_nonideal,  A q'' = b;  y' = f(t, y) with\n";
  text +=
      system.reduced
          ? "   y = (q, u): quasi-velocities u, by which the constraints on velocities hold by\n"
            "   construction"
          : "   y = (q, q')";
  text += fmt::format("; {} coordinate{}, {} states. Equations by {}.\n", system.n,
                      system.n == 1 ? "" : "s", system.states, system.form);
  text +=
      "\n   C99 on libm alone; no allocation, no global data: any number of systems and threads.\n";
  if (!system.as_run) {
    text +=
        "   `dalembert run` does not use straight-line code here: its numbers differ by rounding. "
        "Compile\n   for IEEE doubles, without -ffast-math";
  } else {
    text +=
        "   Numbers are those of `dalembert run` in one lane to the last bit, by IEEE doubles that "
        "are\n"
        "   not contracted (-ffp-contract=off) or reassociated";
    if (!tapes.library.empty()) {
      text += fmt::format(
          ",\n   except for {}: these are libm's, where dalembert's are within 1 unit\n"
          "   in the last place (ulp); with a libm of 1 ulp the two differ by up to 2 ulp",
          fmt::join(tapes.library, ", "));
    }
  }
  return text + ". */";
}

}  // namespace

std::vector<std::string> identifiers(const std::vector<std::string>& names) {
  NameBook book;
  std::vector<std::string> result;
  for (const std::string& name : names) result.push_back(book.take(identifier(name)));
  return result;
}

std::vector<std::string> parameter_identifiers(const PackedSystem& system) {
  return identifiers(parameter_names(system));
}

Files c_sources(const PackedSystem& system) {
  const Tapes tapes = written(system);
  std::map<std::string, std::string> gaps = event_tables(system);
  gaps["OWN_WHENS"] = fmt::format(
      "{}", std::ranges::count_if(std::span(system.events).first(system.own_events),
                                  [](const PackedEvent& event) { return !event.is_clock; }));
  gaps["ELEMENT_COUNT"] = fmt::format("{}", system.touches ? system.touches->names.size() : 0);
  gaps["ROW_COUNT"] = fmt::format("{}", system.touches ? system.touches->rows : 0);
  gaps["TITLE"] = title(system, tapes);
  gaps["TITLE_SHORT"] = "/* " + comment_text(system.name) + ": see " + system.prefix + ".h. */";
  gaps["COORDINATES"] = fmt::format("{}", system.n);
  gaps["STATES"] = fmt::format("{}", system.states);
  gaps["INPUTS"] = fmt::format("{}", system.inputs.size());
  gaps["PLACES"] = fmt::format("{}", fmt::join(system.inputs, ", "));
  gaps["PARAMETERS"] = fmt::format("{}", system.parameters.size());
  gaps["SAMPLES"] = fmt::format("{}", system.sample_names.size());
  gaps["KNOWN"] = fmt::format("{}", tapes.known);
  gaps["HAS_JACOBIAN"] = system.turning ? "1" : "0";
  gaps["NAMES"] =
      enumeration(system, "PARAMETER", parameter_identifiers(system), parameter_names(system)) +
      enumeration(system, "INPUT", input_identifiers(system), input_names(system)) +
      enumeration(system, "STATE", identifiers(system.state_names), system.state_names) +
      enumeration(system, "SAMPLE", identifiers(system.sample_names), system.sample_names);
  gaps["ELEMENTARY"] = switches(system) + "\n" + tapes.elementary;
  gaps["TAPES"] = tapes.text;
  gaps["NAME_FUNCTIONS"] = name_function(system, "parameter", parameter_names(system)) +
                           name_function(system, "input", input_names(system)) +
                           name_function(system, "state", system.state_names) +
                           name_function(system, "sample", system.sample_names);
  std::vector<double> defaults;
  for (const PackedParameter& parameter : system.parameters) defaults.push_back(parameter.value);
  gaps["DEFAULTS"] = numbers(defaults);
  gaps["DEPENDENT"] = assignments(system, "dependent", system.dependent, dependent_places(system));
  gaps["DISCRETES"] = assignments(system, "begun", system.begun, system.begun_of);
  gaps["REFERENCES"] = fmt::format("{}", fmt::join(system.references, ", "));
  gaps["START"] = numbers(system.start);
  gaps["WRITTEN"] = numbers(system.written);
  gaps["COEFFICIENTS"] = coefficients(system.prefix);
  if (system.touches) {
    for (const auto& [name, text] : system.touches->gaps) gaps[name] = text;
    gaps["SYSTEM_FIELDS"] = packing::fill("system_fields.h", system.prefix, {});
    gaps["MOTION_FIELDS"] = packing::fill("motion_fields.h", system.prefix, {});
    gaps["TOUCH_TYPES"] = packing::fill("touch_types.h", system.prefix, {});
    gaps["TOUCHES"] = packing::fill("touches.c", system.prefix, gaps);
  }
  gaps["EVALUATION"] = packing::fill(system.touches ? "rows.c" : "smooth.c", system.prefix, gaps);
  if (!system.events.empty()) {
    gaps["COEFFICIENTS"] += dense_coefficients(system.prefix);
    gaps["EVENT_FUNCTIONS"] = packing::fill("events.h", system.prefix, {});
    gaps["EVENT_CODE"] = packing::fill("events.c", system.prefix, gaps);
    std::vector<std::string> names;
    for (const PackedEvent& event : system.events) names.push_back(event.name);
    gaps["NAME_FUNCTIONS"] += name_function(system, "event", names);
  }
  gaps["RTOL"] = number(system.rtol);
  gaps["ATOL"] = number(system.atol);
  return {{system.prefix + ".h", packing::fill("model.h", system.prefix, gaps)},
          {system.prefix + ".c", packing::fill("model.c", system.prefix, gaps)}};
}

Files c_project(const PackedSystem& system) {
  Files files = c_sources(system);
  for (const char* name : {"main.c", "Makefile", "CMakeLists.txt"})
    files[name] = packing::fill(name, system.prefix, {{"DURATION", number(system.duration)}});
  return files;
}

}  // namespace dalembert::packing
