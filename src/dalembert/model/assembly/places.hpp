#pragma once
/// What an expression may contain, place by place, and the sentences for what it may not.

#include <optional>
#include <string>
#include <string_view>

#include "dalembert/expr/expr.hpp"

namespace dalembert::model {

struct Place {
  std::string_view name;
  std::string_view allows;  ///< in words
  int order =
      -1;  ///< highest derivative of a coordinate: 0 positions ... 2 accelerations; -1 none at all
  bool parameters = true;
  bool lets = true;
  bool time = true;
  bool ideal = false;
  bool nonideal = false;
  bool multipliers = false;
  bool reactions = false;  ///< `reaction.NAME`
  std::string_view advice = {};
};

namespace places {

inline constexpr std::string_view q_t = "positions and time";
inline constexpr std::string_view q_v_t = "positions, velocities and time";

inline constexpr Place number{"this value", "numbers", -1, false, false, false};
inline constexpr Place parameter{"a parameter", "other parameters", -1, true, false, false};
inline constexpr Place duration{"the duration", "parameters", -1, true, true, false};
inline constexpr Place multiplier{"a multiplier", "parameters", -1, true, true, false};
inline constexpr Place resolved_initial{"an initial value", "parameters", -1, true, true, false};
inline constexpr Place kinetic{"the kinetic energy", q_v_t, 1};
inline constexpr Place lagrangian{"the Lagrangian", q_v_t, 1};
inline constexpr Place potential{
    .name = "the potential energy",
    .allows = q_t,
    .order = 0,
    .advice = "; a force that depends on velocities goes into [forces] or the dissipation"};
inline constexpr Place dissipation{"the dissipation", q_v_t, 1};
inline constexpr Place mass_matrix{"the mass matrix", q_t, 0};
inline constexpr Place force{"a force", q_v_t, 1};
inline constexpr Place virtual_work{.name = "virtual work",
                                    .allows = "positions, velocities, time and ideal forces",
                                    .order = 1,
                                    .ideal = true};
inline constexpr Place normal_force{.name = "a normal force",
                                    .allows =
                                        "positions, velocities, accelerations, time and "
                                        "multipliers",
                                    .order = 2,
                                    .multipliers = true};
inline constexpr Place constraint{"a constraint", "positions, velocities, accelerations and time",
                                  2};
inline constexpr Place joint_geometry{"the geometry of a joint", "parameters and time"};
inline constexpr Place joint_motion{"the motion of a joint", q_t, 0};
inline constexpr Place joint_friction{"the friction of a joint", "parameters and time"};
inline constexpr Place spring{"a spring", "parameters and time"};
inline constexpr Place quasi_velocity{"a quasi-velocity", q_v_t, 1};
inline constexpr Place initial{"an initial value", "positions, velocities and parameters", 1};
inline constexpr Place output{.name = "an output",
                              .allows = "anything",
                              .order = 2,
                              .ideal = true,
                              .nonideal = true,
                              .multipliers = true,
                              .reactions = true};
inline constexpr std::string_view q_v_t_reactions = "positions, velocities, time and reactions";
inline constexpr Place event{
    .name = "an event", .allows = q_v_t_reactions, .order = 1, .reactions = true};
inline constexpr Place event_value{
    .name = "what an event sets", .allows = q_v_t_reactions, .order = 1, .reactions = true};
inline constexpr Place clock{"the period of an event", "parameters", -1, true, true, false};
inline constexpr Place gap{"a gap", q_t, 0};
inline constexpr Place contact{"a number of a contact", q_t, 0};
inline constexpr Place contact_geometry{"the geometry of a contact", "parameters and time"};
inline constexpr Place slip{"a slip", q_v_t, 1};
inline constexpr Place friction_limit{
    .name = "a limit of friction", .allows = q_v_t_reactions, .order = 1, .reactions = true};
inline constexpr Place mass{"a mass", "parameters", -1, true, true, false};
inline constexpr Place inertia{"a moment of inertia", "parameters", -1, true, true, false};
inline constexpr Place gravity{"gravity", "parameters and time", -1};
inline constexpr Place body_point{"a place in a body", "parameters and time", -1};
inline constexpr Place body_position{"a position", q_t, 0};
inline constexpr Place orientation{"an orientation", q_t, 0};
inline constexpr Place drawn_size{"this value", "parameters", -1, true, true, false};
inline constexpr Place drawn_place{"a place in [view]", q_t, 0};
inline constexpr Place drawn_arrow{
    .name = "an arrow in [view]",
    .allows = "positions, velocities, accelerations, time and constraint forces",
    .order = 2,
    .ideal = true,
    .nonideal = true};
inline constexpr Place let{.name = "a let",
                           .allows = "anything",
                           .order = 2,
                           .ideal = true,
                           .nonideal = true,
                           .multipliers = true,
                           .reactions = true};

}  // namespace places

/// A force of constraint that stands for itself in an expression: the parameter "reaction.NAME".
inline constexpr std::string_view reaction_prefix = "reaction.";
bool is_reaction(const expr::Symbol& symbol);

/// "velocity x'", "time t", "parameter m" ...: a symbol as a sentence speaks of it.
std::string describe(const expr::Symbol& symbol);

/// Why a symbol may not stand in a place, if it may not.
std::optional<std::string> objection(const expr::Symbol& symbol, const Place& place);

/// The sentence for something that a place does not allow.
std::string not_allowed(std::string_view subject, const Place& place);

/// The sentence for a constraint force outside the places it may stand in; `subject` is `'ideal.x'`
/// or `let 'n' contains 'ideal.x' and`.
std::string force_not_allowed(std::string_view subject, bool ideal);

/// The same for `'reaction.plane'`.
std::string reaction_not_allowed(std::string_view subject, const Place& place);

}  // namespace dalembert::model
