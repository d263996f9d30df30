#pragma once
/// A motion made ready to leave the program: its flow (flow/tapes/flow.hpp) trimmed to what others
/// need, with names and numbers. Its inputs u stand behind the other inputs of each tape. y = (q,
/// v), or (q, u) where the constraints hold by construction; M q'' = Q + Q_ideal + Q_nonideal as
/// everywhere.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/codegen/tape.hpp"
#include "dalembert/motion/simulate.hpp"
#include "dalembert/packing/touches.hpp"

namespace dalembert::packing {

struct PackedParameter {
  std::string name;
  double value = 0;
  bool free = true;       ///< else it follows from others
  bool internal = false;  ///< the reference of a hinge whose turns are counted
  bool input = false;     ///< in `inputs`; no tape reads it here
  bool discrete = false;  ///< set by events; not free: starts from other parameters
};

/// An event of the model. What it sets: positions, velocities, parameters, by index.
struct PackedEvent {
  std::string name;
  model::Event::Direction direction = model::Event::Direction::both;
  bool is_clock = false;
  bool stop = false;
  std::vector<std::pair<model::Event::Set::Target, std::size_t>> sets;
};

struct PackedSystem {
  std::string name;         ///< of the model, for people
  std::string description;  ///< likewise
  std::string prefix;       ///< an identifier
  std::string form;         ///< how the equations were written
  std::size_t n = 0, states = 0;
  bool reduced = false;
  bool as_run = false;  ///< the program itself goes by these tapes
  bool projects_positions = false, projects_velocities = false;
  std::vector<PackedParameter> parameters;
  std::vector<std::size_t> inputs;        ///< u: which of the parameters
  std::vector<std::string> state_names;   ///< q, then v or quasi.1 ...
  std::vector<std::string> sample_names;  ///< x' ..., x'' ..., ideal.x ..., nonideal.x ...,
                                          ///< energies, outputs
  std::vector<std::string> left_out;      ///< outputs and reactions with shares of dependent
                                          ///< constraints, which are not unique
  std::vector<std::string> not_kept;      ///< outputs of the works of friction and impacts
  std::vector<double> start, written;     ///< q, v: found on the constraints, and as the model says
  std::vector<double> start_y;            ///< y there
  double duration = 10, rtol = 1e-9, atol = 1e-12;

  codegen::Tape derivative;              ///< t y -> y', doubt, doubt on the constraints
  codegen::Tape sample;                  ///< t y -> samples, doubt
  codegen::Tape rates;                   ///< t q v -> u
  codegen::Tape positions, velocities;   ///< as of Flow; without outputs: none
  codegen::Tape conditions;              ///< likewise
  codegen::Tape initial;                 ///< -> q, v as the model writes them, of the parameters
  codegen::Tape dependent;               ///< -> the parameters that follow from others, likewise
  std::vector<PackedEvent> events;       ///< behind the model's, two of each contact and friction
  std::size_t own_events = 0;            ///< the model's
  std::optional<PackedTouches> touches;  ///< then y = (q, v), and tapes of y are not there
  codegen::Tape watched;   ///< t q v q'' -> the expressions that events wait for, then their rates
  codegen::Tape settings;  ///< t q v -> all that events set, event by event
  codegen::Tape periods;   ///< -> of the clocks
  codegen::Tape begun;     ///< -> the discrete values that start from parameters, in their order
  std::vector<std::size_t> begun_of;    ///< which parameters these are
  codegen::Tape angles;                 ///< t q v -> the angles whose turns are counted, likewise
  std::vector<std::size_t> references;  ///< the parameters they are nearest to: to be moved along
  /// t y u dy du -> dy' and -> d(samples); none for models that are too large for them.
  std::optional<codegen::Tape> turning, changing;
};

/// The largest tapes of y' and samples, in operations, that derivatives are written of.
inline constexpr std::size_t most_differentiated = 20000;

/// What the system is packed for: motions, or numbers at single states alone, which need no solver
/// for constraints that depend on others than at the start.
enum class Purpose : std::uint8_t { motions, states };

/// Or the reason in one line why this model cannot leave. `name` becomes the prefix.
model::Result<PackedSystem, model::ModelError> pack(const motion::Motion& motion,
                                                    const std::string& name, Purpose purpose);

}  // namespace dalembert::packing
