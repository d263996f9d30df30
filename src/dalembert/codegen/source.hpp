#pragma once
/// A tape as source text of another language: the same operations in the same order, so that C with
/// fused multiply-add gives the bits of machine code in one lane. Python and JavaScript have no
/// such operation everywhere: they round products of their own.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/codegen/tape.hpp"

namespace dalembert::codegen {

enum class Language : std::uint8_t { c, python, javascript };

/// Two functions. NAME_known computes of the parameters p what follows from them alone, `known`
/// numbers k; NAME computes the outputs y of the inputs x, with both:
///
///     C           static void NAME_known(const double *p, double *k)
///                 static void NAME(const double *p, const double *k, const double *x, double *y)
///     Python      def NAME_known(p): return [...]
///                 def NAME(p, k, x): return [...]
///     JavaScript  the same two functions
///
/// Tables are data beside them (table_source), read by `PREFIX_look_up(&PREFIX_table_0, s)` in C,
/// `_look_up(_table_0, s)` in Python and `look_up(table_0, s)` in JavaScript.
///
/// Long tapes are cut into C functions of at most some 1000 operations, which compilers digest in
/// linear time; what passes between them lies on the stack. Nothing is allocated in C.
struct SourceFunction {
  std::string text;
  std::size_t known = 0;
};

/// What the text calls beside the language's own library: in C sine and cosine `PREFIX_sincos(x,
/// &s, &c)`, `PREFIX_fma(a, b, c)`.
struct SourceNames {
  std::string function;
  std::string prefix;
  /// In C, of a tape t x -> y d with so many y: NAME(p, k, t, x, y, d), so that nobody copies.
  std::optional<std::size_t> parted = {};
  /// In C: so many inputs of the tape, the last ones, are read from an array of their own, the
  /// argument `const double *u` behind x. None given: there is no such argument.
  std::optional<std::size_t> apart = {};
  /// All tables that the tape may read, in the order of their numbers (tables_of).
  std::span<const expr::Table* const> tables = {};
};

/// None where the language lacks a function of the tape (erf in JavaScript). O(operations).
std::optional<SourceFunction> source_of(const Tape& tape, Language language,
                                        const SourceNames& names);

/// The tables that the tapes read, each once. They live as long as the tapes.
std::vector<const expr::Table*> tables_of(std::span<const Tape* const> tapes);

/// Nodes and polynomials of a table under its number, as data that the look-up of the language
/// (packing/sources) reads.
std::string table_source(const expr::Table& table, std::size_t number, Language language,
                         const std::string& prefix);

/// A number that the language reads back as the same double.
std::string source_number(double x, Language language);

/// The functions of the language's library that a tape calls and that need not agree with SLEEF's
/// in the last bit, by their names in C; sorted.
std::vector<std::string> library_functions(const Tape& tape);

}  // namespace dalembert::codegen
