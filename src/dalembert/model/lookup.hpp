#pragma once
/// What a name means in one expression.

#include <string>
#include <string_view>

#include "dalembert/expr/result.hpp"
#include "dalembert/model/lets.hpp"
#include "dalembert/model/names.hpp"
#include "dalembert/model/places.hpp"

namespace dalembert::model {

/// Whether a let is put in as its value or as a marker; while lets are being read their content is
/// not known yet.
enum class LetUse { value, marker, unchecked_marker };

class Lookup {
 public:
  Lookup(const Names& names, Lets& lets, const Place& place, LetUse use, Complaints& complaints)
      : names_(names), lets_(lets), place_(place), use_(use), complaints_(complaints) {}

  /// The meaning of a name with primes, or the sentence to show.
  expr::Result<Expr, std::string> operator()(std::string_view name, int primes);

  /// The expression uses something that was reported already: drop it without a word.
  bool is_broken() const { return broken_; }
  /// Bytes of the name that was refused, when its primes are not to blame; else 0.
  std::size_t culprit_size() const { return culprit_size_; }

 private:
  using Meaning = expr::Result<Expr, std::string>;

  Meaning force(std::string_view name, std::size_t dot, int primes);
  Meaning let(std::string_view name, std::size_t index, int primes);
  Meaning unknown(std::string_view name);
  Meaning allowed(const Expr& symbol) const;

  const Names& names_;
  Lets& lets_;
  const Place& place_;
  LetUse use_;
  Complaints& complaints_;
  bool broken_ = false;
  std::size_t culprit_size_ = 0;
};

/// Why a derivative of a let with this content may not stand in a place, if it may not.
std::optional<std::string> objection(std::string_view let, int primes, const LetContent& content,
                                     const Place& place);

}  // namespace dalembert::model
