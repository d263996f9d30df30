#pragma once
/// The tapes of a motion with instants: events, contacts, friction that sticks.
///
/// Contacts and frictions are looked at as rows beside the m constraints of the model: of a contact
/// its gap, a row on positions, then its slips; of friction its slips, rows on velocities. With all
/// of them the equations read
///
///     M q'' = Q + C + A^T p,     y = A q'' - b,
///
/// p the force and y the acceleration of each row. What holds of them is a matter of the moment
/// (flow/instants/modes.hpp).

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/mechanics/equations.hpp"
#include "dalembert/model/model.hpp"

namespace dalembert::flow {

class TimeKinks;

/// A contact or dry friction.
struct TouchElement {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::string name;
  std::size_t gap = none;           ///< row of a contact's gap; none: dry friction
  std::size_t slip = 0;             ///< row of its first slip
  std::size_t slips = 0;            ///< 0, 1 or 2; 3 of a ball that rubs
  std::size_t index = 0;            ///< in Model::contacts or Model::dry_frictions
  bool limit_of_reactions = false;  ///< whether reactions decide its limit
  /// Along the motion: its coefficient or limit while it slides, while it sticks, its restitution.
  bool sliding_varies = false, sticking_varies = false, restitution_varies = false;
  bool has_static = false;  ///< a law of its own for what sticks

  bool is_contact() const { return gap != none; }
};

/// Whose force `reaction.NAME` is the magnitude of; of a `row` it is the force itself.
struct ReactionSource {
  enum class Kind : std::uint8_t { element, constraint, joint, row };
  std::string name;
  Kind kind = Kind::element;
  /// Of the element, the row, or of the three components among those that are asked of joints.
  std::size_t index = 0;
  /// Of a constraint: whether its multiplier is measured by the length of its row (then it is a
  /// force, whatever the constraint has been multiplied by), else taken as it is.
  bool by_row = false;
};

struct InstantKernels {
  mechanics::Equations equations;  ///< with all rows
  std::size_t n = 0, constraints = 0, rows = 0;
  std::vector<TouchElement> elements;     ///< contacts, then frictions, each in the model's order
  std::size_t contacts = 0;               ///< how many of them
  std::vector<std::size_t> bound;         ///< the parameters that kernels bind, by index
  std::vector<std::size_t> discretes;     ///< by index among the parameters
  std::vector<ReactionSource> reactions;  ///< of all elements, then what else is used
  /// Components of joints' forces that are asked, three for each: affine in q'', multipliers and
  /// the reactions of rows.
  std::vector<expr::Expr> joint_forces;
  bool has_nonideal = false;     ///< whether C is not identically zero
  std::vector<bool> rate_known;  ///< of each `when`, in order: whether it contains no reaction
  /// What depends on t alone in the equations, the rows and the laws.
  std::shared_ptr<const TimeKinks> kinks;
  /// Likewise in each `when`; asked for are those that depend on t alone.
  std::shared_ptr<const TimeKinks> when_kinks;
  std::vector<std::size_t> timed;  ///< these, by their place among the whens
  struct WhenMark {
    std::size_t when;  ///< whose it is
    bool pole;
  };
  std::vector<WhenMark> marks;  ///< of all whens (flow/instants/marks.hpp)

  // Inputs of all kernels, in this order:
  //   t q v | discretes | reactions | q'' ideal nonideal multipliers | work.friction work.impact
  std::size_t discretes_at() const { return 1 + 2 * n; }
  std::size_t reactions_at() const { return discretes_at() + discretes.size(); }
  std::size_t solution_at() const { return reactions_at() + reactions.size(); }
  std::size_t works_at() const { return solution_at() + 3 * n + constraints; }
  std::size_t inputs() const { return works_at() + 2; }

  codegen::Kernel
      dynamics;  ///< -> M, A (entries), Q, b, C, applied_power, other_power, kinetic, rates
  codegen::Kernel geometry;  ///< -> residual, rate, scale, rate_scale of all rows, then M, A
  codegen::Kernel laws;    ///< -> of each contact e, mu, mu_static; of each friction limit, static
  codegen::Kernel forces;  ///< -> joint_forces
  /// -> what each sliding limit that reactions decide changes with each of them, by element.
  codegen::Kernel limit_slopes;
  bool linear_limits = true;  ///< whether these slopes contain no reaction
  /// -> residual, rate, scale, rate_scale of the rows of elements, then `when` of each event that
  /// has one, then the rates of these, not a number where reactions occur in them, then the marks.
  codegen::Kernel watched;
  codegen::Kernel settings;     ///< -> the values of all `set`, event by event
  codegen::Kernel observables;  ///< -> kinetic, potential, h, outputs
};

/// What is recorded beside the outputs of a model with instants: `reaction.NAME` of every contact
/// and friction, `work.friction`, `work.impact`. Their parameters are added to the model.
std::vector<model::Named> add_instant_outputs(model::Model& model);

/// `outputs` as Motion::outputs.
InstantKernels make_instant_kernels(const model::Model& model,
                                    const std::vector<model::Named>& outputs);

}  // namespace dalembert::flow
