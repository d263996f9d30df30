#include "dalembert/model/toml/other_names.hpp"

#include <unordered_map>

namespace dalembert::model {

namespace {

using Sayings = std::unordered_map<std::string_view, const char*>;

std::string said(const Sayings& sayings, std::string_view key) {
  const auto found = sayings.find(key);
  return found == sayings.end() ? std::string() : found->second;
}

const Sayings& of_simulations() {
  static constexpr const char* steps =
      "; steps are as long as the error and max_step allow: a smaller rtol makes them shorter, and "
      "samples or times say what is written";
  static constexpr const char* longest = "; max_step gives the longest step";
  static constexpr const char* end = "; duration gives the length of the motion";
  static constexpr const char* start =
      "; motions start at t = 0, or at the time given by run --from";
  static constexpr const char* integrator = "; integrator names it: rk8, taylor, bdf or auto";
  static const Sayings all = {
      {"min_step", steps}, {"step", steps},      {"step_size", steps},   {"stepsize", steps},
      {"timestep", steps}, {"time_step", steps}, {"first_step", steps},  {"dt", steps},
      {"h", steps},        {"hmax", longest},    {"dtmax", longest},     {"step_max", longest},
      {"t_end", end},      {"tend", end},        {"t_max", end},         {"tmax", end},
      {"t_final", end},    {"t1", end},          {"end", end},           {"t0", start},
      {"t_start", start},  {"tstart", start},    {"solver", integrator}, {"ode", integrator}};
  return all;
}

const Sayings& of_energies() {
  static constexpr const char* energy =
      "; write [energy] with kinetic = \"...\" and potential = \"...\", or with lagrangian = "
      "\"...\", their difference";
  static const Sayings all = {{"lagrangian", energy},
                              {"Lagrangian", energy},
                              {"lagrange", energy},
                              {"L", energy},
                              {"hamiltonian", energy},
                              {"Hamiltonian", energy},
                              {"H", energy},
                              {"T", "; the kinetic energy is called kinetic"},
                              {"V", "; the potential energy is called potential"},
                              {"U", "; the potential energy is called potential"}};
  return all;
}

const Sayings& of_files() {
  static constexpr const char* contact =
      "; a constraint that opens and closes is a [[contact]], with gap = \"...\"";
  static const Sayings all = {{"events", "; each is a table [[event]]"},
                              {"contacts", "; each is a table [[contact]]"},
                              {"impact", contact},
                              {"inequality", contact},
                              {"inequalities", contact},
                              {"unilateral", contact}};
  return all;
}

}  // namespace

std::string other_name_of_key(std::string_view key, std::string_view where) {
  if (where == " in [simulation]") return said(of_simulations(), key);
  if (where == " in [energy]") return said(of_energies(), key);
  if (!where.empty()) return {};
  for (const Sayings* sayings : {&of_energies(), &of_files(), &of_simulations()}) {
    if (std::string found = said(*sayings, key); !found.empty()) return found;
  }
  return {};
}

}  // namespace dalembert::model
