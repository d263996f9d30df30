#include "dalembert/flow/formulation_library.hpp"

#include <algorithm>

#include "dalembert/flow/values.hpp"
#include "dalembert/mechanics/formulations/linear_system.hpp"
#include "dalembert/mechanics/formulations/quasi_velocities.hpp"

namespace dalembert::flow {

namespace {

using expr::Expr;
using expr::Failure;
using mechanics::Entry;
using Found = expr::Result<std::shared_ptr<const RunnableFormulation>, std::string>;

/// The entries' values to the outputs of a kernel, their places to `slots`.
void append(const std::vector<Entry>& entries, std::vector<Expr>& outputs,
            std::vector<RunnableFormulation::Slot>& slots) {
  for (const Entry& entry : entries) {
    outputs.push_back(entry.value);
    slots.push_back({entry.row, entry.column});
  }
}

bool is_choice(const RunnableFormulation& f, const mechanics::Split& split, bool own) {
  return f.split.rows == split.rows && f.split.dependent == split.dependent &&
         f.own_quasi_velocities == own;
}

}  // namespace

FormulationLibrary::FormulationLibrary(const mechanics::FormulationInfo& info,
                                       const model::Model& model, const mechanics::Equations& eq)
    : info_(info), model_(model), eq_(eq) {}

std::string FormulationLibrary::said(const std::string& reason) const {
  const std::string name(info_.name);
  return reason.starts_with(name + ":") ? reason : name + ": " + reason;
}

Found FormulationLibrary::derive(const mechanics::Split& split, bool own_quasi_velocities,
                                 const expr::Values& values) const {
  auto setting = mechanics::prepare(model_, eq_, values, split, false);
  if (!setting) return Failure{said(setting.error())};
  setting->own_quasi_velocities = own_quasi_velocities;
  const auto formulation = info_.derive(*setting);
  if (!formulation) return Failure{said(formulation.error())};
  const mechanics::LinearSystem system = mechanics::linear_system(*formulation, *setting);

  auto result = std::make_shared<RunnableFormulation>();
  result->split = split;
  result->own_quasi_velocities = own_quasi_velocities;
  result->size = system.size;
  result->states = formulation->states.size();
  result->first_state_rate = formulation->first_state_rate;
  std::vector<Expr> inputs = state_symbols(eq_), outputs;
  append(system.H, outputs, result->H);
  outputs.insert(outputs.end(), system.rho.begin(), system.rho.end());
  append(system.G, outputs, result->G);
  append(system.K, outputs, result->K);
  outputs.insert(outputs.end(), system.g.begin(), system.g.end());
  std::vector<Expr> with_states = inputs;
  with_states.insert(with_states.end(), formulation->states.begin(), formulation->states.end());
  result->system = codegen::make_kernel(codegen::make_tape(outputs, with_states, eq_.parameters));

  if (info_.needs_quasi_velocities && setting->linear && !model_.quasi_velocities.empty()) {
    const auto w = mechanics::quasi_velocities(*setting);
    if (!w) return Failure{said(w.error())};
    if (w->from_model) {
      result->model_quasi_velocities = true;
      outputs.clear();
      for (std::size_t j = 0; j < setting->n; ++j) {
        for (std::size_t i = 0; i < setting->n; ++i) {
          if (w->Psi(j, i).is_zero()) continue;
          outputs.push_back(w->Psi(j, i));
          result->Psi.push_back({static_cast<std::uint32_t>(j), static_cast<std::uint32_t>(i)});
        }
      }
      result->quasi_velocities =
          codegen::make_kernel(codegen::make_tape(outputs, inputs, eq_.parameters));
    }
  }
  return std::shared_ptr<const RunnableFormulation>(std::move(result));
}

Found FormulationLibrary::get(const mechanics::Split& split, bool own_quasi_velocities,
                              const expr::Values& values) {
  const std::lock_guard lock(mutex_);
  for (const auto& f : known_) {
    if (is_choice(*f, split, own_quasi_velocities)) return f;
  }
  Found made = derive(split, own_quasi_velocities, values);
  if (made) known_.push_back(*made);
  return made;
}

Found FormulationLibrary::renew(const mechanics::Split& split, bool own_quasi_velocities,
                                const expr::Values& values) {
  const std::lock_guard lock(mutex_);
  Found made = derive(split, own_quasi_velocities, values);
  if (!made) return made;
  std::erase_if(known_, [&](const auto& f) { return is_choice(*f, split, own_quasi_velocities); });
  known_.push_back(*made);
  return made;
}

}  // namespace dalembert::flow
