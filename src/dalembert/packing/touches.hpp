#pragma once
/// Contacts and friction that sticks, made ready to leave: rows beside those of the constraints, as
/// the engine of motions with instants has them (flow/instants/kernels.hpp). What is exported is
/// the tapes of the rows and a small solver for the modes (packing/sources/rows.c, touches.c).
/// Dependent constraints leave so too: straight code holds some of them, which may become dependent
/// on the way while others take their place; the solver finds these anew at each state.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/codegen/tape.hpp"
#include "dalembert/flow/instants/kernels.hpp"
#include "dalembert/motion/simulate.hpp"

namespace dalembert::packing {

/// The tapes' inputs are t q v | discretes | reactions | q'' ideal nonideal multipliers | two
/// works.
struct PackedTouches {
  codegen::Tape dynamics;  ///< -> M A Q b C, powers, kinetic energy, rates
  codegen::Tape geometry;  ///< -> residual rate scale rate_scale of all rows, M A
  codegen::Tape laws;      ///< -> of each contact e mu mu_static; of each friction its two limits
  codegen::Tape observables;  ///< -> kinetic, potential, outputs
  codegen::Tape watched;      ///< -> of the elements' rows as geometry; events' expressions, rates
  codegen::Tape settings;     ///< -> all that events set
  codegen::Tape forces;       ///< -> of the joints whose reactions are asked, 3 each
  /// How laws and forces of joints change along a direction, as PackedSystem::turning.
  codegen::Tape bending, pulling;
  std::size_t joint_forces = 0;             ///< how many these are
  bool limits = false;                      ///< whether reactions decide limits of friction
  bool asks_reactions = false;              ///< whether events wait for reactions
  bool sets_by_reactions = false;           ///< or set what depends on them
  std::vector<std::string> names;           ///< of the elements
  std::vector<std::size_t> recorded;        ///< which outputs of the motion
  std::size_t rows = 0;                     ///< of constraints, gaps, slips
  std::map<std::string, std::string> gaps;  ///< numbers and tables for the C code, by their names
};

/// Of any motion.
flow::InstantKernels row_kernels(const motion::Motion& motion);
/// Why they cannot leave, a clause; nothing if they can.
std::optional<std::string> why_no_touches(const motion::Motion& motion,
                                          const flow::InstantKernels& kernels);
/// With those of the motion's outputs named, if they are, else with all that can be told.
PackedTouches pack_touches(const motion::Motion& motion, const flow::InstantKernels& kernels,
                           const std::optional<std::vector<std::size_t>>& recorded);

}  // namespace dalembert::packing
