# Headers that stood elsewhere before the rooms solve and flow were made, and folders in motion, study and report: a program that
# includes one by its former name goes on compiling, with a warning. In pairs, the former place and the present one.
set(former_headers
  motion/assembly flow/state/assembly motion/conditions flow/state/conditions
  motion/constraint_factor solve/constraint_factor motion/dense_kernels solve/dense_kernels
  motion/diagnosis solve/diagnosis motion/entry_solver solve/entry_solver motion/evaluator flow/evaluator
  motion/explicit_forms solve/explicit_forms motion/flow flow/tapes/flow
  motion/formulation_library flow/formulation_library motion/formulation_solver flow/formulation_solver
  motion/friction flow/friction motion/fundamental solve/fundamental motion/gimbal flow/state/gimbal
  motion/initial_state flow/state/initial_state motion/jacobian flow/jacobian
  motion/lean_equations flow/tapes/short_equations motion/limits solve/entry_solver
  motion/mass_factor solve/mass_factor motion/method solve/method motion/motion flow/compiled motion/names solve/names
  motion/passage motion/singular_crossing motion/places flow/places motion/projection flow/projection
  motion/reduced_flow flow/tapes/reduced_flow motion/rk8 motion/steps/rk8
  motion/rk8_coefficients motion/steps/rk8_coefficients motion/solution_tape flow/tapes/solution_tape
  motion/sparse_fundamental solve/sparse_fundamental motion/sparse_kkt solve/sparse_kkt
  motion/split_judge solve/split_judge motion/switch flow/coordinate_switch
  motion/symmetric_eigen solve/symmetric_eigen motion/time_kinks flow/tapes/time_kinks
  motion/time_ranges flow/tapes/time_ranges motion/turns flow/state/turns motion/typical_sizes solve/typical_sizes
  motion/values flow/values motion/written_solution flow/tapes/eliminated_system
  motion/written_solver flow/tapes/tape_solver study/accelerations study/states/accelerations
  mechanics/formulations/kinematics mechanics/formulations/quasi_velocities
  report/derivation report/derivation/derivation report/base64 report/page/base64
  report/document report/document/document report/document_characters report/document/document_characters
  report/document_formula report/document/document_formula report/document_page report/document/document_page
  report/document_parts report/document/document_parts report/embed report/document/embed
  report/katex report/document/katex report/page report/page/page report/page_equations report/page/page_equations
  report/page_recorder report/page/page_recorder report/page_table report/page/page_table
  report/page_template report/page/page_template report/scene report/page/scene
  report/scene_extent report/page/scene_extent report/scene_forces report/page/scene_forces
  report/scene_frames report/page/scene_frames report/scene_shapes report/page/scene_shapes
  study/folder study/storage/folder study/fresh_file study/storage/fresh_file study/hdf5_file study/storage/hdf5_file
  study/hdf5_table study/storage/hdf5_table study/journal study/storage/journal
  study/lane_arithmetic motion/steps/lane_arithmetic study/lane_projection motion/steps/lane_projection
  study/lane_rows study/states/lane_rows study/memory_map study/storage/memory_map study/results study/storage/results
  study/state_function study/states/state_function study/state_rows study/states/state_rows)
set(former_folder ${CMAKE_CURRENT_BINARY_DIR}/former)
while(former_headers)
  list(POP_FRONT former_headers former present)
  file(CONFIGURE OUTPUT ${former_folder}/dalembert/${former}.hpp @ONLY CONTENT [[
#pragma once
#warning dalembert/@former@.hpp is now dalembert/@present@.hpp
#include "dalembert/@present@.hpp"
]])
endwhile()
install(DIRECTORY ${former_folder}/dalembert DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
