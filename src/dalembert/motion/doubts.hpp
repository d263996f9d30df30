#pragma once
/// What a reader of numbers must be told of friction before trusting them.
///
/// A law of [virtual_work] in `ideal.x` uses Q_ideal, the reaction without C. While C acts the
/// reaction is another one (theory 10),
///
///     A^T lambda' = Q_ideal + R C,     R = -A^T (A M^-1 A^T)^+ A M^-1,
///
/// and R is the derivative of what the law should have used by what it gives. Where R C = 0 along
/// all `ideal.x` in it, as for a particle on a curve, the law is Coulomb's; elsewhere it is off, by
/// how much follows from C = law(Q_ideal + R C), solved by iteration.
///
/// A law with the sign of a velocity has no direction at rest, and does not stick: an acceleration
/// there is that without friction. Such a state is recognised by its jump: with q' moved along q''
/// by a time ever so short the acceleration is another. Friction could hold the system if what is
/// left of q'' then points back, q''^T M q''_moved <= 0.

#include <optional>
#include <string>
#include <vector>

#include "dalembert/flow/evaluator.hpp"

namespace dalembert::motion {

/// How far a law in `ideal.x` is from one in the reaction while it acts: of the coordinate where
/// that is worst.
struct LawError {
  std::size_t coordinate = 0;
  double used = 0, acting = 0;  ///< Q_ideal, and A^T lambda' there
  double relative = 0;          ///< |acting - used|, of the terms that the two are made of
};

/// Watches the law of a motion at states that an evaluator has solved.
class LawWatch {
 public:
  explicit LawWatch(const Motion& motion);

  /// Nothing if the law has no `ideal.x`, or where there is no answer. Allocates nothing.
  std::optional<LawError> look(Evaluator& evaluator);

 private:
  std::vector<std::size_t> used_;  ///< coordinates x whose `ideal.x` the law has
  Eigen::VectorXd reaction_, terms_;
};

/// Above this a law is said to be off.
inline constexpr double tolerable_law_error = 1e-5;

/// At one state. `instant` is for people: "here", "at the start". Of friction at rest only what
/// could hold is told unless `all`: a motion that starts to slide, or that passes rest, is not
/// disturbed by it. Nothing where there is no acceleration. Cost: a few accelerations.
std::vector<std::string> friction_doubts(const Motion& motion, const State& state,
                                         const std::string& instant, bool all);
/// The part of it about the law of [virtual_work]; empty if there is nothing to say.
std::string law_doubt(const Motion& motion, const State& state, const std::string& instant);
/// The other part.
std::vector<std::string> rest_doubts(const Motion& motion, const State& state,
                                     const std::string& instant, bool all);

}  // namespace dalembert::motion
