# Headers that stood in motion/ before the rooms solve and flow were made of it: a program that includes one by its former
# name goes on compiling, with a warning. In pairs, the former name in motion/ and the present place.
set(former_headers
  assembly flow/state/assembly conditions flow/state/conditions constraint_factor solve/constraint_factor
  dense_kernels solve/dense_kernels diagnosis solve/diagnosis entry_solver solve/entry_solver evaluator flow/evaluator
  explicit_forms solve/explicit_forms flow flow/tapes/flow formulation_library flow/formulation_library
  formulation_solver flow/formulation_solver friction flow/friction fundamental solve/fundamental
  gimbal flow/state/gimbal initial_state flow/state/initial_state jacobian flow/jacobian
  lean_equations flow/tapes/short_equations limits solve/entry_solver mass_factor solve/mass_factor
  method solve/method motion flow/compiled names solve/names passage motion/singular_crossing places flow/places
  projection flow/projection reduced_flow flow/tapes/reduced_flow solution_tape flow/tapes/solution_tape
  sparse_fundamental solve/sparse_fundamental sparse_kkt solve/sparse_kkt split_judge solve/split_judge
  switch flow/coordinate_switch symmetric_eigen solve/symmetric_eigen time_kinks flow/tapes/time_kinks
  time_ranges flow/tapes/time_ranges turns flow/state/turns typical_sizes solve/typical_sizes values flow/values
  written_solution flow/tapes/eliminated_system written_solver flow/tapes/tape_solver)
set(former_folder ${CMAKE_CURRENT_BINARY_DIR}/former)
while(former_headers)
  list(POP_FRONT former_headers former present)
  file(CONFIGURE OUTPUT ${former_folder}/dalembert/motion/${former}.hpp @ONLY CONTENT [[
#pragma once
#warning dalembert/motion/@former@.hpp is now dalembert/@present@.hpp
#include "dalembert/@present@.hpp"
]])
endwhile()
install(DIRECTORY ${former_folder}/dalembert DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
