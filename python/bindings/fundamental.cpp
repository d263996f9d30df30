/// The fundamental equation for people with matrices of their own, many at a time.

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>
#include <optional>

#include "dalembert/solve/fundamental.hpp"
#include "python/bindings/numbers.hpp"

namespace dalembert::python {

namespace {

using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Where the results of N problems go, row after row.
struct Targets {
  double *acceleration, *ideal, *nonideal, *multipliers, *unconstrained, *residual;
  std::int64_t* rank;
  bool *unique, *consistent, *mass_singular, *conflicting;
};

class Problems {
 public:
  Problems(std::size_t n, std::size_t m, motion::FundamentalOptions options)
      : n_(n), m_(m), options_(std::move(options)) {}

  study::Rows M, Q, A, b, C;

  /// Solves one; its row is not numbers where it has no solution.
  motion::Status solve(motion::Fundamental& f, std::size_t i, const Targets& to) const {
    const auto n = static_cast<Eigen::Index>(n_), m = static_cast<Eigen::Index>(m_);
    const Eigen::MatrixXd mass = Eigen::Map<const ByRows>(M.row(i), n, n);
    const Eigen::MatrixXd rows = Eigen::Map<const ByRows>(A.row(i), m, n);
    motion::Status status = f.decide(mass, rows);
    if (status == motion::Status::ok) {
      status = f.solve_ideal(Eigen::Map<const Eigen::VectorXd>(Q.row(i), n),
                             Eigen::Map<const Eigen::VectorXd>(b.row(i), m));
    }
    if (status == motion::Status::ok && C.data != nullptr)
      status = f.solve_nonideal(Eigen::Map<const Eigen::VectorXd>(C.row(i), n));
    if (status == motion::Status::ok) {
      write(f, i, to);
    } else {
      write_nothing(i, to);
    }
    return status;
  }

  motion::Fundamental solver() const {
    return {static_cast<int>(n_), static_cast<int>(m_), options_};
  }

 private:
  void write(const motion::Fundamental& f, std::size_t i, const Targets& to) const {
    const auto put = [i](const Eigen::VectorXd& x, double* target) {
      std::copy(x.begin(), x.end(), target + i * static_cast<std::size_t>(x.size()));
    };
    put(f.acceleration(), to.acceleration);
    put(f.ideal(), to.ideal);
    put(f.nonideal(), to.nonideal);
    put(f.multipliers(), to.multipliers);
    put(f.unconstrained(), to.unconstrained);
    to.residual[i] = f.residual();
    to.rank[i] = f.rank();
    to.consistent[i] = f.consistent();
    to.mass_singular[i] = f.mass_singular();
    for (std::size_t j = 0; j < m_; ++j) {
      to.unique[i * m_ + j] = f.unique(static_cast<int>(j));
      to.conflicting[i * m_ + j] = f.conflicting(static_cast<int>(j));
    }
  }

  void write_nothing(std::size_t i, const Targets& to) const {
    constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
    for (double* target : {to.acceleration, to.ideal, to.nonideal, to.unconstrained})
      std::fill_n(target + i * n_, n_, nothing);
    std::fill_n(to.multipliers + i * m_, m_, nothing);
    to.residual[i] = nothing;
    to.rank[i] = -1;
    to.consistent[i] = to.mass_singular[i] = false;
    std::fill_n(to.unique + i * m_, m_, false);
    std::fill_n(to.conflicting + i * m_, m_, false);
  }

  std::size_t n_, m_;
  motion::FundamentalOptions options_;
};

/// A fresh array, and where it lies.
template <class T>
nb::object fresh(T*& data, std::size_t count, std::size_t size) {
  data = new T[count * size];
  const nb::capsule owner(data, [](void* memory) noexcept { delete[] static_cast<T*>(memory); });
  return nb::cast(nb::ndarray<nb::numpy, T>(data, {count, size}, owner));
}

}  // namespace

void bind_fundamental(nb::module_& module) {
  module.def(
      "fundamental",
      [](std::size_t count, std::size_t n, std::size_t m, const Numbers& M, const Numbers& Q,
         const Numbers& A, const Numbers& b, const std::optional<Numbers>& C,
         const std::string& method, double rank_tolerance, double mass_tolerance,
         double consistency_tolerance, const std::vector<double>& weights, int threads) {
        motion::FundamentalOptions options;
        const auto route = motion::method_from_string(method);
        if (!route || !motion::is_fundamental(*route))
          throw std::invalid_argument(
              fmt::format("'{}' is not a route through the fundamental equation", method));
        options.method = *route;
        options.rank_tolerance = rank_tolerance;
        options.mass_tolerance = mass_tolerance;
        options.consistency_tolerance = consistency_tolerance;
        options.weights = Eigen::Map<const Eigen::VectorXd>(
            weights.data(), static_cast<Eigen::Index>(weights.size()));
        Problems problems(n, m, std::move(options));
        problems.M = rows_of(M, count, n * n, "M");
        problems.Q = rows_of(Q, count, n, "Q");
        problems.A = rows_of(A, count, m * n, "A");
        problems.b = rows_of(b, count, m, "b");
        if (C) problems.C = rows_of(*C, count, n, "C");

        Targets to{};
        nb::typed<nb::dict, nb::str, nb::any> result;
        result["acceleration"] = fresh(to.acceleration, count, n);
        result["ideal"] = fresh(to.ideal, count, n);
        result["nonideal"] = fresh(to.nonideal, count, n);
        result["unconstrained"] = fresh(to.unconstrained, count, n);
        result["multipliers"] = fresh(to.multipliers, count, m);
        result["unique"] = fresh(to.unique, count, m);
        result["conflicting"] = fresh(to.conflicting, count, m);
        result["rank"] = fresh(to.rank, count, 1);
        result["residual"] = fresh(to.residual, count, 1);
        result["consistent"] = fresh(to.consistent, count, 1);
        result["mass_singular"] = fresh(to.mass_singular, count, 1);

        std::mutex mutex;
        std::size_t failures = 0, first = 0;
        std::string problem;
        study::Pool<motion::Fundamental> solvers;
        work_on_states(count, threads, [&](const study::Sharing& sharing) {
          study::share(count, sharing, 1000, [&](std::size_t begin, std::size_t end) {
            auto solver = solvers.take();
            if (!solver) solver = std::make_unique<motion::Fundamental>(problems.solver());
            for (std::size_t i = begin; i < end; ++i) {
              if (problems.solve(*solver, i, to) == motion::Status::ok) continue;
              const std::lock_guard lock(mutex);
              if (failures++ == 0 || i < first) {
                first = i;
                problem = motion::explain(*solver, {}, {});
              }
            }
            solvers.give(std::move(solver));
          });
        });
        return std::make_tuple(result, failures, first, problem);
      },
      nb::arg("count"), nb::arg("n"), nb::arg("m"), nb::arg("M").noconvert(),
      nb::arg("Q").noconvert(), nb::arg("A").noconvert(), nb::arg("b").noconvert(),
      nb::arg("C").none(), nb::arg("method"), nb::arg("rank_tolerance"), nb::arg("mass_tolerance"),
      nb::arg("consistency_tolerance"), nb::arg("weights"), nb::arg("threads") = 0);
}

}  // namespace dalembert::python
