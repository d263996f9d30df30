#pragma once
/// Proof that a formulation's equations are Lagrange's in other words, by identity and never by
/// inversion. With L = M q'' - Q - C and everything put on the constraints, a formulation with
/// residuals E agrees if (docs/theory.md, section 18)
///
///     left Z^T L = combination E,     A Z = 0,     constraint_left (A q'' - b) =
///     constraint_combination E,
///
/// for all positions, free velocities, unknowns, C and parameters: then E = 0 gives (i) A q'' = b
/// and (ii) Z^T L = 0, which have one solution q'' where [M; A] has full rank. Each side is an
/// expression, and the exact algebra (expr/algebra.hpp) decides; where it cannot, the identity is
/// tried at random states on the constraints in arithmetic of fifty digits.

#include <optional>
#include <string>
#include <vector>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/effort.hpp"

namespace dalembert::mechanics {

using expr::Expr;
struct Formulation;
struct Setting;

/// left = right, to be shown for all values of the symbols.
struct Claim {
  std::string what;  ///< "equation of phi"
  Expr left, right;
};

/// What must hold for a formulation to agree with Lagrange's equations.
std::vector<Claim> claims(const Formulation& f, const Setting& s);

enum class How { proof, numeric };

struct Verification {
  bool holds = false;
  How how = How::proof;
  double error = 0;                      ///< largest relative difference seen; 0 when proven
  std::string failed;                    ///< the claim that does not hold
  std::string not_decided;               ///< why the algebra could not decide, if it could not
  std::optional<expr::Witness> witness;  ///< where it does not hold
};

struct VerifyOptions {
  bool prove = true;         ///< else every claim is tried at random states
  std::vector<Expr> modulo;  ///< zero on the set where the claims are to hold
  int points = 5;            ///< random states tried where there is no proof
  int digits = 50;
  double tolerance = 1e-40;  ///< relative, of a numerical agreement
};

Verification verify(const std::vector<Claim>& claims, const Setting& s,
                    const VerifyOptions& options = {});

/// One formulation against Lagrange's equations.
struct Agreement {
  std::string method;
  bool mechanical = true;
  std::string ruled_out;  ///< the one line that says why there is none; then nothing else counts
  bool given_up = false;  ///< it took more effort than was allowed; then nothing else counts
  Verification result;
};

/// Every formulation of the model, in their order, or the one of that name. For `vakonomic`
/// agreement is not expected. Where a proof takes more effort than there is patience for each, the
/// comparison is numerical, and given up where that does too.
std::vector<Agreement> compare_formulations(const Setting& s, std::string_view only = {},
                                            const expr::Patience& patience = {});

/// Whether a constraint that was left out follows from the others: A_j Z = 0 and its b fits, on the
/// positions the constraints allow.
struct Redundancy {
  std::size_t constraint;  ///< in the order of the model
  Verification result;
  std::string combination;  ///< "2·guide" where the row is a multiple or sum by numbers, else empty
  std::vector<std::size_t> of;  ///< the constraints it depends on
  bool given_up = false;        ///< it took more effort than was allowed: seen at one state only
};
std::vector<Redundancy> examine_redundant(const Setting& s, const expr::Patience& patience = {});

}  // namespace dalembert::mechanics
