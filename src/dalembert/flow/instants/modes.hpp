#pragma once
/// Which contacts are closed, and which frictions stick: a problem in the space of rows.
///
///     y = W p + c,     W = A M^-1 A^T,
///
/// y the accelerations of the rows and p their forces; or, in an impact, y their velocities behind
/// it and p their impulses. Constraints have y = 0. A contact has
///
///     p_gap >= 0,  y_gap >= 0,  p_gap y_gap = 0,     and along its slips, with Coulomb's friction,
///     |p_slip| <= mu p_gap  if it sticks (y_slip = 0),     p_slip = -mu p_gap d  if it slides,
///
/// d the direction of the sliding velocity: known while there is one, else that of y_slip, which
/// sets in. Dry friction is the same with a limit in place of mu p_gap.
///
/// A mode says for each element which of these cases holds; then p and y follow from linear
/// equations, and the inequalities tell whether the mode is possible. There may be one mode, none
/// or several that differ in y (Painlevé): all are counted where their number is at most
/// `most_modes`; beyond, one is sought by exchanging what is violated most.
///
/// Cost: for k equations O(k^3) a mode.

#include <Eigen/Core>
#include <Eigen/QR>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/flow/instants/kernels.hpp"

namespace dalembert::flow {

inline Eigen::Index index(std::size_t i) {
  return static_cast<Eigen::Index>(i);
}

enum class Hold : std::uint8_t {
  open,    ///< of a contact
  smooth,  ///< of a contact: closed, without friction
  stick,
  slide
};

struct TouchMode {
  Hold hold = Hold::open;
  std::array<double, 3> d = {0, 0, 0};  ///< unit, where it slides
  bool from_rest = false;               ///< slides, but has no velocity yet
  /// Of a contact that is not open: its gap is not held, its normal force is RowProblem::base. Of
  /// one that is open: it is apart, and its acceleration does not matter.
  bool given = false;

  bool closed() const { return hold != Hold::open; }
  bool operator==(const TouchMode&) const = default;
};

using Modes = std::vector<TouchMode>;  ///< one an element

/// The law of an element: of a contact its coefficients, of dry friction its limits.
struct TouchLaw {
  double restitution = 0;
  double sliding = 0, sticking = 0;
};

struct RowSolution;

/// Whether limits that reactions decide are the only ones that a mode has
/// (flow/instants/limits.hpp).
enum class Limits : std::uint8_t { sole, several, undecided };

struct RowProblem {
  std::span<const TouchElement> elements;
  std::size_t constraints = 0;  ///< the rows that always hold, which come first
  const Eigen::MatrixXd* W = nullptr;
  Eigen::VectorXd c = {};
  std::vector<TouchLaw> laws = {};  ///< one an element
  /// The size of what is in play, in units of y / sqrt(W_jj): small is small beside it.
  double size = 0;
  /// What the normal forces of closed contacts are at least, by element; empty: zero.
  std::vector<double> base = {};
  /// Where reactions decide limits: the laws for the forces p, of a mode.
  std::function<void(const Eigen::VectorXd& p, std::vector<TouchLaw>& laws)> limits = {};
  /// And whether those of a mode are the only ones.
  std::function<Limits(const Modes& modes, const RowSolution& solution)> judge_limits = {};
};

/// p and y of a mode, and what they say of it.
struct RowSolution {
  Eigen::VectorXd p, y;
  std::vector<TouchLaw> laws;
  bool solved = false;       ///< the equations have a solution
  bool unique = true;        ///< their only one
  double worst = 0;          ///< the largest violation of an inequality, scaled as RowProblem::size
  std::size_t worst_at = 0;  ///< of which element
};

/// Solves for the forces of one mode. Storage is kept from call to call.
class RowSolver {
 public:
  /// Small beside RowProblem::size.
  static constexpr double tolerance = 1e-9;
  /// Below this the equations of a mode count as dependent. W is known to some 1e-15 of its scale.
  static constexpr double dependent = 1e-11;

  void solve(const RowProblem& problem, const Modes& modes, RowSolution& solution);
  /// The same with the limits of dry friction that `solution.laws` has.
  void solve_with_limits(const RowProblem& problem, const Modes& modes, RowSolution& solution);
  /// The rows that a mode holds at y = 0, of the last solution.
  std::span<const std::size_t> held() const { return held_; }
  /// Of the scaled equations of the last solution; its sign changes where they have none. O(k^3).
  double determinant() const;
  /// Corrects p for what is left of y in the held rows; `rest` by held row.
  void correct(const Eigen::VectorXd& rest, Eigen::VectorXd& p);

 private:
  void prepare(const RowProblem& problem, const Modes& modes);
  void solve_for_limits(const RowProblem& problem, const Modes& modes, RowSolution& solution);
  void find_limits(const RowProblem& problem, const Modes& modes, RowSolution& solution);
  void judge(const RowProblem& problem, const Modes& modes, RowSolution& solution) const;
  void prefer_constraints(const RowProblem& problem, RowSolution& solution);
  void find_admissible(const RowProblem& problem, const Modes& modes, RowSolution& solution,
                       bool without_friction);

  std::vector<std::size_t> held_;
  std::vector<std::size_t> slid_;  ///< elements of dry friction that slide
  Eigen::MatrixXd S_, K_;
  Eigen::VectorXd scale_, rhs_, x_;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver_;
};

/// Adds to the size of a problem the dry friction that acts for certain: that of what slides
/// already. Other forces may be none.
void count_friction(RowProblem& problem, const Modes& modes);

/// Of each element the mode that comes first.
Modes first_of(const std::vector<Modes>& candidates);

inline constexpr long most_modes = 4096;

/// What is found of the modes.
struct ModeChoice {
  enum class Outcome : std::uint8_t { one, none, several };
  Outcome outcome = Outcome::none;
  Modes modes;  ///< the one chosen; of several the first
  RowSolution solution;
  Modes other;          ///< of several: one that differs
  bool counted = true;  ///< whether all modes were looked at
  bool decided = true;  ///< whether the limits that reactions decide are known to be the only ones
};

/// `candidates` has for each element the modes in question, those preferred first. Where static
/// friction is above the sliding one, rest is taken of several.
ModeChoice choose_modes(const RowProblem& problem, const std::vector<Modes>& candidates,
                        RowSolver& solver);

/// Turns the direction of the elements that begin to slide into the one that sets in: y_slip along
/// d. False if none was found.
bool find_directions(const RowProblem& problem, Modes& modes, RowSolver& solver,
                     RowSolution& solution);

/// "closed, slides" and so on.
std::string describe(const TouchMode& mode, const TouchElement& element);

}  // namespace dalembert::flow
