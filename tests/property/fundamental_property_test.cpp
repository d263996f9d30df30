// Laws of the fundamental equation on random systems of random rank, judged in extended precision.

#include <dalembert/solve/fundamental.hpp>

#include "random_systems.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace dalembert::motion::fundamental_property_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using property::kEpsilon;
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

Matrix m_inverse(const System& s, Method method) {
  Fundamental f(s.n(), s.m(), with(method));
  RC_ASSERT(f.decide(s.M, s.A) == Status::ok);
  MatrixXd X(s.n(), s.m());
  VectorXd x(s.n());
  for (int j = 0; j < s.m(); ++j) {
    f.apply_m_inverse(VectorXd::Unit(s.m(), j), x);
    X.col(j) = x;
  }
  return X.cast<Real>();
}

RC_GTEST_PROP(FundamentalLaws, EveryMethodGivesTheAnswerOfU01, ()) {
  const System s = property::random_system();
  RC_LOG() << s;
  const Truth truth(s);
  RC_PRE(truth.fair());
  const double tolerance = truth.tolerance() * truth.size;
  for (const Method method : kMethods) {
    RC_LOG() << to_string(method) << '\n';
    const FundamentalResult r = solve(s, with(method));
    RC_ASSERT(r.status == Status::ok);
    RC_ASSERT(r.rank == truth.rank);
    RC_ASSERT(r.consistent);
    RC_ASSERT(truth.kinetic_norm(r.qdd.cast<Real>() - truth.qdd) <= tolerance);
    RC_ASSERT(truth.kinetic_norm(r.a.cast<Real>() - truth.a) <= tolerance);
    RC_ASSERT(truth.force_norm(r.ideal.cast<Real>() - truth.ideal) <= tolerance);
    RC_ASSERT(truth.force_norm(r.nonideal.cast<Real>() - truth.nonideal) <= tolerance);
  }
}

// lambda = S^+ e carries cond(B) once more, and |B^+| in the rows' own scale.
RC_GTEST_PROP(FundamentalLaws, MultipliersHaveMinimumNorm, ()) {
  const System s = property::random_system();
  RC_LOG() << s;
  const Truth truth(s);
  RC_PRE(truth.fair() && s.m() > 0);
  const Matrix B_plus = property::pseudo_inverse(truth.B);
  const double tolerance = truth.tolerance() * truth.constraint_condition * truth.size *
                           static_cast<double>(B_plus.norm());
  for (const Method method : kMethods) {
    RC_LOG() << to_string(method) << '\n';
    const FundamentalResult r = solve(s, with(method));
    RC_ASSERT(static_cast<double>((r.lambda.cast<Real>() - truth.lambda).norm()) <= tolerance);
    RC_ASSERT(
        truth.force_norm(s.A.transpose().cast<Real>() * r.lambda.cast<Real>() - truth.ideal) <=
        truth.tolerance() * truth.constraint_condition * truth.size);
  }
}

// (U05.13a-d): A X A = A, X A X = X, A X and M X A symmetric. Norms in the kinetic metric: |B| and
// |M^(1/2) X| = |B^+|.
RC_GTEST_PROP(FundamentalLaws, MInverseSatisfiesItsFourConditions, ()) {
  const System s = property::random_system();
  RC_LOG() << s;
  const Truth truth(s);
  RC_PRE(truth.fair() && truth.rank > 0);
  const Matrix A = s.A.cast<Real>(), M = s.M.cast<Real>();
  const double B = static_cast<double>(truth.B.norm());
  const double B_plus = static_cast<double>((truth.root * truth.A_M_plus).norm());
  const double spread =
      B * B_plus;  // at least cond(B) of the rows as given, which (13c) depends on
  for (const Method method : kMethods) {
    RC_LOG() << to_string(method) << '\n';
    const Matrix X = m_inverse(s, method);
    const double tolerance = truth.tolerance() * spread;
    RC_ASSERT(static_cast<double>(((A * X * A - A) * truth.inverse_root).norm()) <= tolerance * B);
    RC_ASSERT(static_cast<double>((truth.root * (X * A * X - X)).norm()) <= tolerance * B_plus);
    const Matrix AX = A * X, MXA = truth.inverse_root * (M * X * A) * truth.inverse_root;
    RC_ASSERT(static_cast<double>((AX - AX.transpose()).norm()) <= tolerance);
    RC_ASSERT(static_cast<double>((MXA - MXA.transpose()).norm()) <= tolerance);
    RC_ASSERT(static_cast<double>((truth.root * (X - truth.A_M_plus)).norm()) <=
              tolerance * B_plus);
  }
}

// J B^T = B^+ and J E = I - B^+ B (theory 4.1), on the normalized rows, through the form itself.
RC_GTEST_PROP(FundamentalLaws, NullSpaceCompletedFormIsThePseudoInverse, ()) {
  const System s = property::random_system();
  RC_LOG() << s;
  const Truth truth(s);
  RC_PRE(truth.fair() && s.m() > 0);
  const int n = s.n(), m = s.m();
  const MatrixXd At = s.A.transpose();
  MassFactor mass(n, m);
  ConstraintFactor rows(n, m, VectorXd());
  ExtendedDalembertForm form(n, m);
  Diagnosis diagnosis;
  diagnosis.direction.resize(n);
  RC_ASSERT(mass.decide(s.M, At, 1e-12, diagnosis) == Status::ok);
  RC_ASSERT(rows.set_rows(At, mass));
  std::vector<int> order(static_cast<std::size_t>(m));
  RC_ASSERT(rows.decide(1e-8, order) == truth.rank);
  form.factor(rows);
  const Matrix Bh = rows.normalized().transpose().cast<Real>();
  // Bh is given in double, its redundant rows dependent to rounding only: the truth takes its rank
  // from the decision.
  const Eigen::JacobiSVD<Matrix> svd(Bh, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Matrix U = svd.matrixU().leftCols(truth.rank), V = svd.matrixV().leftCols(truth.rank);
  const Matrix Bh_plus =
      V * svd.singularValues().head(truth.rank).cwiseInverse().asDiagonal() * U.transpose();
  const double tolerance = truth.tolerance() * static_cast<double>(1 + Bh_plus.norm());
  VectorXd p(n), lambda(m);
  for (int j = 0; j < m; ++j) {
    form.pseudo_inverse(rows, VectorXd::Unit(m, j), p, lambda);
    RC_ASSERT(static_cast<double>((p.cast<Real>() - Bh_plus.col(j)).norm()) <= tolerance);
  }
  for (int i = 0; i < n; ++i) {
    VectorXd h = VectorXd::Unit(n, i);
    form.project(rows, h);
    const Vector expected = Vector::Unit(n, i) - V * V.transpose() * Vector::Unit(n, i);
    RC_ASSERT(static_cast<double>((h.cast<Real>() - expected).norm()) <= tolerance);
  }
}

RC_GTEST_PROP(FundamentalLaws, ConstraintsHoldAndTheTwoPartsAreOrthogonal, ()) {
  const System s = property::random_system();
  RC_LOG() << s;
  const Truth truth(s);
  RC_PRE(truth.fair());
  const double tolerance = truth.tolerance() * truth.size;
  const Matrix M = s.M.cast<Real>();
  for (const Method method : kMethods) {
    RC_LOG() << to_string(method) << '\n';
    Fundamental f(s.n(), s.m(), with(method));
    RC_ASSERT(f.decide(s.M, s.A) == Status::ok);
    RC_ASSERT(f.solve_ideal(s.Q, s.b) == Status::ok);
    RC_ASSERT(f.solve_nonideal(s.C) == Status::ok);
    RC_ASSERT(f.residual() <= tolerance * static_cast<double>(truth.B.norm()));
    RC_ASSERT(f.scaled_residual() <= truth.tolerance());
    RC_ASSERT(f.inconsistency() <= truth.tolerance());
    // Newton: M q'' = Q + Q_ideal + Q_nonideal.
    const Vector newton =
        M * f.acceleration().cast<Real>() - (s.Q + f.ideal() + f.nonideal()).cast<Real>();
    RC_ASSERT(truth.force_norm(newton) <= tolerance);
    // (q''_ideal - a)^T M (q'' - q''_ideal) = 0.
    const Vector ideal = (f.ideal_acceleration() - f.unconstrained()).cast<Real>();
    const Vector rest = (f.acceleration() - f.ideal_acceleration()).cast<Real>();
    RC_ASSERT(std::abs(static_cast<double>(ideal.dot(M * rest))) <= tolerance * truth.size);
  }
}

RC_GTEST_PROP(FundamentalLaws, VirtualWorkIsThatOfC, ()) {
  const System s = property::random_system();
  RC_LOG() << s;
  const Truth truth(s);
  RC_PRE(truth.fair());
  const Matrix N =
      truth.inverse_root * property::null_space(truth.B);  // A N = 0, unit kinetic norm
  const double tolerance = truth.tolerance() * truth.size;
  for (const Method method : kMethods) {
    RC_LOG() << to_string(method) << '\n';
    const FundamentalResult r = solve(s, with(method));
    RC_ASSERT(static_cast<double>((N.transpose() * r.ideal.cast<Real>()).norm()) <= tolerance);
    RC_ASSERT(static_cast<double>(
                  (N.transpose() * (r.ideal + r.nonideal - s.C).cast<Real>()).norm()) <= tolerance);
  }
}

// Gauss: no step along the constraints lowers (q'' - a - c)^T M (q'' - a - c). At the minimum a
// step d costs d^T M d.
RC_GTEST_PROP(FundamentalLaws, GaussConstraintIsLeast, ()) {
  const System s = property::random_system();
  RC_LOG() << s;
  const Truth truth(s);
  RC_PRE(truth.fair());
  const FundamentalResult r = solve(s);
  const Matrix N = truth.inverse_root * property::null_space(truth.B);
  RC_PRE(N.cols() > 0);
  const Vector free = truth.a + truth.inverse_root * (truth.inverse_root * s.C.cast<Real>());
  const auto gauss = [&](const Vector& x) { return (truth.root * (x - free)).squaredNorm(); };
  const Vector qdd = r.qdd.cast<Real>();
  for (const double step : {1e-3, 1.0}) {
    const Vector d = N * property::random_matrix(static_cast<int>(N.cols()), 1).cast<Real>() * step;
    const Real cost = (truth.root * d).squaredNorm();
    const double slack = 2 * truth.tolerance() * truth.size * std::sqrt(static_cast<double>(cost));
    RC_ASSERT(std::abs(static_cast<double>(gauss(qdd + d) - gauss(qdd) - cost)) <= slack);
  }
}

RC_GTEST_PROP(FundamentalLaws, HeldDecisionGivesTheVerySameNumbers, ()) {
  const System s = property::random_system(*rc::gen::arbitrary<bool>());
  RC_LOG() << s;
  for (const Method method : kMethods) {
    Fundamental f(s.n(), s.m(), with(method));
    if (f.decide(s.M, s.A) != Status::ok) RC_DISCARD("undetermined");
    RC_ASSERT(f.solve_ideal(s.Q, s.b) == Status::ok);
    RC_ASSERT(f.solve_nonideal(s.C) == Status::ok);
    const VectorXd qdd = f.acceleration(), ideal = f.ideal(), nonideal = f.nonideal(),
                   lambda = f.multipliers();
    RC_ASSERT(f.factor(s.M, s.A) == Status::ok);
    RC_ASSERT(f.solve_ideal(s.Q, s.b) == Status::ok);
    RC_ASSERT(f.solve_nonideal(s.C) == Status::ok);
    RC_ASSERT(f.acceleration() == qdd);
    RC_ASSERT(f.ideal() == ideal);
    RC_ASSERT(f.nonideal() == nonideal);
    RC_ASSERT(f.multipliers() == lambda);
  }
}

}  // namespace
}  // namespace dalembert::motion::fundamental_property_test
