#pragma once
/// Where the results of a study go in Python: memory of NumPy, row i for run i.

#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "dalembert/study/study.hpp"
#include "python/bindings/common.hpp"

namespace dalembert::python {

template <class T>
using Array1 = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Array2 = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Array3 = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

/// Numbers that never come stay as they are.
struct Tables {
  Array2 values;               ///< runs x variations
  Array1<double> t;            ///< and all others of length `runs`
  Array2 q, v;                 ///< runs x n
  Array1<std::uint8_t> state;  ///< 0 not over, 1 complete, 2 failed
  Array1<std::uint8_t> alone;
  Array1<std::int64_t> steps, rejected;
  Array1<double> residual, energy_change;
  Array2 statistics;  ///< runs x statistics
  Array3 samples;     ///< runs x samples x columns, or of no runs
};

/// The same as Python hands them over.
using TableArrays = std::tuple<Array2, Array1<double>, Array2, Array2, Array1<std::uint8_t>,
                               Array1<std::uint8_t>, Array1<std::int64_t>, Array1<std::int64_t>,
                               Array1<double>, Array1<double>, Array2, Array3>;

/// Raises ValueError where sizes are not those of the study.
void check_sizes(const study::Study& study, const Tables& tables);
Tables tables_of(const study::Study& study, const TableArrays& arrays);

/// Puts the runs of a journal into the tables; why some failed, by number.
std::map<std::uint64_t, std::string> fill(const study::Study& study, const Tables& tables,
                                          std::string_view journal);

/// What belongs to runs that are not over: what varies in them, and no samples.
void fill_rest(const study::Study& study, const Tables& tables);

}  // namespace dalembert::python
