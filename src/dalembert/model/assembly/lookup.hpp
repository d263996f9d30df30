#pragma once
/// What a name means in one expression.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "dalembert/expr/parse.hpp"
#include "dalembert/expr/result.hpp"
#include "dalembert/model/assembly/lets.hpp"
#include "dalembert/model/assembly/names.hpp"
#include "dalembert/model/assembly/places.hpp"
#include "dalembert/model/body.hpp"

namespace dalembert::model {

/// Whether a let is put in as its value or as a marker; while lets are being read their content is
/// not known yet.
enum class LetUse { value, marker, unchecked_marker };

/// What is known of the joints by name, "pin.fx" say; filled once the bodies are known.
using JointValues = std::map<std::string, Expr, std::less<>>;

/// What has a force that expressions may use, beside joints: by the names that are said so far.
struct ForceNames {
  std::vector<std::string> constraints = {};  ///< rows, whether or not they could be read
  std::vector<std::string> contacts = {};     ///< contacts and dry friction
};

class Lookup {
 public:
  Lookup(const Names& names, Lets& lets, const JointValues& joints, const ForceNames& forces,
         const Place& place, LetUse use, Complaints& complaints)
      : names_(names),
        lets_(lets),
        joints_(joints),
        forces_(forces),
        place_(place),
        use_(use),
        complaints_(complaints) {}

  /// The meaning of a name with primes, or the sentence to show.
  expr::Result<Expr, std::string> operator()(std::string_view name, int primes);
  /// The same of a name that stands for a vector; nothing if it does not.
  std::optional<expr::Result<Vector, std::string>> vector(std::string_view name, int primes);
  /// The point of a body, or its rate.
  expr::Result<Vector, std::string> point(std::string_view body, const Vector& place, int primes);
  /// All of these, for the parser. This object must outlive it.
  expr::Scope scope();

  /// The expression uses something that was reported already: drop it without a word.
  bool is_broken() const { return broken_; }
  /// Bytes of the name that was refused, when its primes are not to blame; else 0.
  std::size_t culprit_size() const { return culprit_size_; }

 private:
  using Meaning = expr::Result<Expr, std::string>;

  Meaning dotted(std::string_view name, std::size_t dot, int primes);
  Meaning force(std::string_view name, std::size_t dot, int primes);
  Meaning joint(std::string_view name, int primes);
  Meaning multiplier(std::string_view name, std::string_view constraint, int primes);
  Meaning reaction(std::string_view name, std::string_view of, int primes);
  /// The sentence for a name that stands for three rows.
  std::optional<std::string> several_rows(std::string_view constraint, std::string_view kind) const;
  Meaning let(std::size_t let, int primes);
  Meaning unknown(std::string_view name);
  Meaning allowed(const Expr& symbol) const;

  const Names& names_;
  Lets& lets_;
  const JointValues& joints_;
  const ForceNames& forces_;
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
