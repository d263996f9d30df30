// Redundant, rescaled and contradicting constraints, and singular mass matrices, on random systems.

#include <dalembert/solve/fundamental.hpp>

#include "random_systems.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace dalembert::motion::fundamental_redundancy_property_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using property::Matrix;
using property::Real;
using property::System;
using property::Truth;
using property::Vector;

constexpr Method kMethods[] = {Method::m_inverse, Method::scaled, Method::extended_dalembert,
                               Method::weighted, Method::multipliers};

FundamentalOptions with(Method method) {
  FundamentalOptions options;
  options.method = method;
  return options;
}

FundamentalResult solve(const System& s, const FundamentalOptions& options = {}) {
  return fundamental(s.M, s.Q, s.A, s.b, s.C, options);
}

// The same constraints in other words: rows rescaled by up to 1e6 either way, one duplicated, a
// combination of all added.
System reworded(const System& s) {
  System t = s;
  const int m = s.m();
  t.A.resize(m + 2, s.n());
  t.b.resize(m + 2);
  t.A.topRows(m) = s.A;
  t.b.head(m) = s.b;
  const int copied = property::random_integer(0, m - 1);
  const MatrixXd factors = property::random_matrix(1, m);
  t.A.row(m) = s.A.row(copied);
  t.b(m) = s.b(copied);
  t.A.row(m + 1) = factors * s.A;
  t.b(m + 1) = (factors * s.b)(0);
  for (int j = 0; j < m + 2; ++j) {
    const double scale = std::pow(10.0, property::random_integer(-6, 6));
    t.A.row(j) *= scale;
    t.b(j) *= scale;
  }
  return t;
}

// Rescaling by powers of ten rounds each entry once; a row that depends on others then does so to
// eps |A_j| only, which contradicts b by eps |A_j| |q''|. Least squares over a redundant set bounds
// what that does by cond(B) once more.
RC_GTEST_PROP(FundamentalRedundancy, RewordingTheConstraintsChangesNothing, ()) {
  const System s = property::random_system();
  RC_LOG() << s;
  const Truth truth(s);
  RC_PRE(truth.fair() && s.m() > 0);
  const System t = reworded(s);
  RC_LOG() << t;
  const double tolerance = truth.tolerance() * truth.constraint_condition * truth.size;
  for (const Method method : kMethods) {
    RC_LOG() << to_string(method) << '\n';
    const FundamentalResult r = solve(t, with(method));
    RC_ASSERT(r.status == Status::ok);
    RC_ASSERT(r.rank == truth.rank);
    RC_ASSERT(r.consistent);
    RC_ASSERT(truth.kinetic_norm(r.qdd.cast<Real>() - truth.qdd) <= tolerance);
    RC_ASSERT(truth.force_norm(r.ideal.cast<Real>() - truth.ideal) <= tolerance);
    RC_ASSERT(truth.force_norm(r.nonideal.cast<Real>() - truth.nonideal) <= tolerance);
    RC_ASSERT(truth.force_norm(t.A.transpose().cast<Real>() * r.lambda.cast<Real>() -
                               truth.ideal) <= tolerance * truth.constraint_condition);
  }
}

RC_GTEST_PROP(FundamentalRedundancy, WeightsDoNotMatterWhereConstraintsAgree, ()) {
  const System s = property::random_system();
  RC_LOG() << s;
  const Truth truth(s);
  RC_PRE(truth.fair());
  FundamentalOptions options = with(Method::weighted);
  options.weights.resize(s.m());
  for (int j = 0; j < s.m(); ++j)
    options.weights(j) = std::pow(10.0, property::random_integer(-6, 6));
  const FundamentalResult r = solve(s, options);
  const double tolerance = truth.tolerance() * truth.constraint_condition * truth.size;
  RC_ASSERT(truth.kinetic_norm(r.qdd.cast<Real>() - truth.qdd) <= tolerance);
  RC_ASSERT(truth.force_norm(r.ideal.cast<Real>() - truth.ideal) <= tolerance);
}

// Row j takes part in a dependency iff A keeps its rank without it.
RC_GTEST_PROP(FundamentalRedundancy, UniqueMultipliersAreThoseOfIndispensableRows, ()) {
  const System s = property::random_system();
  RC_LOG() << s;
  const Truth truth(s);
  RC_PRE(truth.fair());
  const FundamentalResult r = solve(s);
  for (int j = 0; j < s.m(); ++j) {
    Matrix others(s.m() - 1, s.n());
    others.topRows(j) = s.A.topRows(j).cast<Real>();
    others.bottomRows(s.m() - 1 - j) = s.A.bottomRows(s.m() - 1 - j).cast<Real>();
    RC_ASSERT(r.unique[static_cast<std::size_t>(j)] == (property::rank_of(others) < truth.rank));
  }
}

RC_GTEST_PROP(FundamentalRedundancy, DependenciesReproduceTheDependentRows, ()) {
  const System s = property::random_system();
  RC_LOG() << s;
  const Truth truth(s);
  RC_PRE(truth.fair());
  const FundamentalResult r = solve(s);
  RC_ASSERT(static_cast<int>(r.dependencies.size()) == s.m() - truth.rank);
  for (const Dependency& dependency : r.dependencies) {
    Vector row = s.A.row(dependency.row).transpose().cast<Real>();
    const double size = truth.force_norm(row);
    for (const auto& term : dependency.terms)
      row -= Real(term.coefficient) * s.A.row(term.row).transpose().cast<Real>();
    RC_ASSERT(truth.force_norm(row) <= truth.tolerance() * truth.constraint_condition * size);
  }
}

// b outside the range of A: least squares in the rows as given, weighted where asked (theory 4.4c).
RC_GTEST_PROP(FundamentalRedundancy, ContradictionsGetTheLeastSquaresAnswer, ()) {
  System s = property::random_system();
  s.b += property::random_matrix(s.m(), 1);
  RC_LOG() << s;
  const Truth truth(s);
  RC_PRE(truth.fair() && truth.rank < s.m());
  VectorXd weights(s.m());
  for (int j = 0; j < s.m(); ++j) weights(j) = property::random_integer(1, 8);
  for (const Method method : kMethods) {
    RC_LOG() << to_string(method) << '\n';
    FundamentalOptions options = with(method);
    options.weights = weights;
    const Vector root =
        method == Method::weighted ? Vector(weights.cast<Real>().cwiseSqrt()) : Vector::Ones(s.m());
    // The spread of the rows as given conditions the least-squares problem.
    const Matrix WB = root.asDiagonal() * truth.B, WB_plus = property::pseudo_inverse(WB);
    const double spread = truth.rank > 0 ? static_cast<double>(WB.norm() * WB_plus.norm()) : 1;
    const Vector p = WB_plus * root.cwiseProduct(truth.e);
    const Vector qdd = truth.a + truth.inverse_root * p;
    const Vector residual = s.A.cast<Real>() * qdd - s.b.cast<Real>();
    const FundamentalResult r = fundamental(s.M, s.Q, s.A, s.b, VectorXd(), options);
    RC_ASSERT(r.status == Status::ok);
    const double size =
        truth.size + static_cast<double>((WB_plus * root.cwiseProduct(s.b.cast<Real>())).norm() +
                                         WB_plus.norm() * root.cwiseProduct(residual).norm());
    const double tolerance = truth.tolerance() * spread * size;
    RC_ASSERT(truth.kinetic_norm(r.qdd.cast<Real>() - qdd) <= tolerance);
    RC_ASSERT(truth.force_norm(r.ideal.cast<Real>() - truth.root * p) <= tolerance);
    RC_ASSERT(std::abs(r.residual - static_cast<double>(residual.norm())) <=
              tolerance * static_cast<double>(truth.B.norm()));
    const bool consistent = static_cast<double>(residual.norm()) <=
                            1e-12 * (s.b.norm() + size * static_cast<double>(truth.B.norm()));
    RC_ASSERT(r.consistent == consistent);
    const auto& named = r.conflicting;
    RC_ASSERT((std::find(named.begin(), named.end(), true) == named.end()) == consistent);
  }
}

// Every set named is a contradiction: the named rows alone have no solution, and without them the
// rest of a smallest set has one. Tested for a single dependent row, where there is one set.
RC_GTEST_PROP(FundamentalRedundancy, ConflictingRowsHaveNoCommonSolution, ()) {
  System s = property::random_system();
  s.b += property::random_matrix(s.m(), 1);
  RC_LOG() << s;
  const Truth truth(s);
  RC_PRE(truth.fair() && truth.rank < s.m());
  const FundamentalResult r = solve(s);
  RC_PRE(!r.consistent);
  const auto contradict = [&](int left_out) {
    Matrix A(0, s.n()), Ab(0, s.n() + 1);
    for (int j = 0; j < s.m(); ++j) {
      if (!r.conflicting[static_cast<std::size_t>(j)] || j == left_out) continue;
      A.conservativeResize(A.rows() + 1, s.n());
      A.bottomRows(1) = s.A.row(j).cast<Real>();
      Ab.conservativeResize(Ab.rows() + 1, s.n() + 1);
      Ab.bottomRows(1) << s.A.row(j).cast<Real>(), Real(s.b(j));
    }
    return property::rank_of(Ab) > property::rank_of(A);
  };
  RC_ASSERT(contradict(-1));
  if (s.m() - truth.rank > 1) return;
  for (int j = 0; j < s.m(); ++j) {
    if (r.conflicting[static_cast<std::size_t>(j)]) RC_ASSERT(!contradict(j));
  }
}

// UP06: q'' = Mbar^+ (Q + C; b), Mbar = ((I - A^+ A) M; A), unique iff rank (M; A) = n.
RC_GTEST_PROP(FundamentalSingularMass, AgreesWithUP06, ()) {
  const System s = property::random_system(true);
  RC_LOG() << s;
  const int n = s.n(), m = s.m();
  const Matrix M = s.M.cast<Real>(), A = s.A.cast<Real>();
  Matrix stacked(n + m, n), Mbar(n + m, n);
  stacked << M, A;
  const Matrix N =
      property::null_space(A);  // orthonormal, so that I - A^+ A = N N^T without cancellation
  Mbar << N * N.transpose() * M, A;
  const bool determined = property::rank_of(stacked) == n;
  RC_CLASSIFY(determined);
  const Matrix inverse = property::pseudo_inverse(Mbar);
  const auto exact = [&](const VectorXd& force) {
    Vector right(n + m);
    right << force.cast<Real>(), s.b.cast<Real>();
    return Vector(inverse * right);
  };
  // Judged by the condition numbers of the regular system M + A^T W A, Q + A^T W b that is solved
  // in its place.
  System regular = s;
  MassFactor mass(n, m);
  Diagnosis diagnosis;
  diagnosis.direction.resize(n);
  const MatrixXd At = s.A.transpose();
  std::optional<Truth> truth;
  if (mass.decide(s.M, At, FundamentalOptions().mass_tolerance, diagnosis) == Status::ok) {
    RC_ASSERT(determined);
    regular.M += At * mass.row_weights().asDiagonal() * s.A;
    regular.Q += At * mass.row_weights().asDiagonal() * s.b;
    truth.emplace(regular);
    RC_PRE(truth->fair());
  } else if (determined) {  // refused only where (M; A), its columns scaled to unit length, is all
                            // but singular
    const Matrix scaled = stacked.colwise().normalized();
    const Vector sigma = Eigen::JacobiSVD<Matrix>(scaled).singularValues();
    RC_ASSERT(static_cast<double>(sigma(n - 1)) < 1e-4);
    RC_DISCARD("all but singular");
  }
  for (const Method method : kMethods) {
    RC_LOG() << to_string(method) << '\n';
    const FundamentalResult r = solve(s, with(method));
    if (!determined) {
      RC_ASSERT(r.status == Status::mass_undetermined);
      const Vector v = r.diagnosis.direction.cast<Real>();
      RC_ASSERT(static_cast<double>((stacked * v).norm()) <=
                1e-5 * static_cast<double>(stacked.norm()));
      continue;
    }
    RC_ASSERT(r.status == Status::ok);
    RC_ASSERT(r.mass_singular);
    const Vector ideal = exact(s.Q), total = exact(s.Q + s.C);
    const double tolerance = truth->tolerance() * truth->size;
    RC_ASSERT(truth->kinetic_norm(r.qdd.cast<Real>() - total) <= tolerance);
    RC_ASSERT(truth->force_norm(r.ideal.cast<Real>() - (M * ideal - s.Q.cast<Real>())) <=
              tolerance);
    RC_ASSERT(truth->force_norm(r.nonideal.cast<Real>() - M * (total - ideal)) <= tolerance);
  }
}

}  // namespace
}  // namespace dalembert::motion::fundamental_redundancy_property_test
