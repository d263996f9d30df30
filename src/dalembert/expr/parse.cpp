#include "dalembert/expr/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "dalembert/expr/functions.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/expr/tokens.hpp"

namespace dalembert::expr {

namespace {

using Kind = TokenKind;

constexpr std::size_t largest_constant = std::size_t{1} << 17;  // bits

constexpr std::array reserved_words = {"t",     "pi",  "π",     "ideal", "nonideal",
                                       "point", "dot", "cross", "norm"};

bool is_comparison(Kind kind) {
  return kind == Kind::less || kind == Kind::less_equal || kind == Kind::greater ||
         kind == Kind::greater_equal;
}

class Parser {
 public:
  Parser(std::string_view text, const Scope& scope) : text_(text), scope_(scope) { advance(); }

  Value whole_expression() {
    if (token_.kind == Kind::end) fail("expected an expression, found nothing", 0, text_.size());
    Value e = expression();
    if (token_.kind == Kind::equals)
      fail("'=' is not allowed in an expression", token_.begin, token_.end);
    expect_end();
    return e;
  }

  std::vector<Equation> whole_equation() {
    if (token_.kind == Kind::end) fail("expected an equation, found nothing", 0, text_.size());
    Value lhs = expression();
    refuse_inequality();
    if (token_.kind == Kind::end) {
      fail("an equation needs '='; to say that this vanishes, end it with '= 0'", 0, text_.size());
    }
    if (token_.kind != Kind::equals) expect_end();
    take();
    if (token_.kind == Kind::equals) fail("write one '=', not '=='", token_.begin - 1, token_.end);
    Value rhs = expression();
    refuse_inequality();
    if (token_.kind == Kind::equals) {
      fail("a second '='; an equation has one", token_.begin, token_.end);
    }
    expect_end();
    // `p = 0` says that a vector vanishes.
    for (Value* side : {&lhs, &rhs}) {
      const Value& other = side == &lhs ? rhs : lhs;
      if (is_vector(other) && !is_vector(*side) && std::get<Expr>(*side).is_zero())
        *side = Vector{};
    }
    if (is_vector(lhs) != is_vector(rhs))
      fail("one side of the equation is a vector, the other a number", 0, text_.size());
    if (!is_vector(lhs)) return {{std::get<Expr>(lhs), std::get<Expr>(rhs)}};
    std::vector<Equation> result;
    for (std::size_t i = 0; i < 3; ++i)
      result.push_back({std::get<Vector>(lhs)[i], std::get<Vector>(rhs)[i]});
    return result;
  }

 private:
  std::string_view slice(const Token& token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }

  void refuse_inequality() const {
    if (!is_comparison(token_.kind)) return;
    fail(fmt::format(
             "'{}': a constraint is an equation that holds throughout, and inequalities are not "
             "supported; a constraint that opens and closes is a [[contact]], with gap = \"...\"",
             slice(token_)),
         token_.begin, token_.end);
  }

  /// What stands where an operator or the end should.
  void expect_end() {
    if (token_.kind == Kind::end) return;
    const std::string_view found = slice(token_);
    switch (token_.kind) {
      case Kind::close:
        fail("')' without a '(' before it", token_.begin, token_.end);
      case Kind::number:
      case Kind::name:
      case Kind::open:
        fail(fmt::format("missing operator before '{}'; multiplication is written with '*'", found),
             token_.begin, token_.end);
      case Kind::prime:
        fail("a prime must directly follow a name", token_.begin, token_.end);
      case Kind::less:
      case Kind::less_equal:
      case Kind::greater:
      case Kind::greater_equal:
        fail(
            fmt::format("'{0}' may only stand in the condition of an if: if(x {0} y, a, b)", found),
            token_.begin, token_.end);
      case Kind::end:
      case Kind::plus:
      case Kind::minus:
      case Kind::times:
      case Kind::divide:
      case Kind::power:
      case Kind::comma:
      case Kind::dot:
      case Kind::equals:
        break;
    }
    fail(fmt::format("unexpected '{}'", found), token_.begin, token_.end);
  }

  /// Counts one level of nesting for as long as it lives.
  struct Level {
    Level(int& depth, const Token& at) : depth_(depth) {
      if (++depth_ > nesting_limit) {
        fail(fmt::format("nested more than {} levels deep", nesting_limit), at.begin, at.end);
      }
    }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    int& depth_;
  };

  /// Constants are put together as they come, so that a text cannot make a number that takes
  /// forever to add to.
  void check_size(const Rational& value, std::size_t begin) const {
    const std::size_t bits =
        mpz_sizeinbase(value.get_num_mpz_t(), 2) + mpz_sizeinbase(value.get_den_mpz_t(), 2);
    if (bits > largest_constant) fail("a number of too many digits", begin, previous_end_);
  }

  static bool is_vector(const Value& value) { return std::holds_alternative<Vector>(value); }

  /// The number that a place needs.
  Expr number(Value value, std::string_view where, std::size_t begin) const {
    if (is_vector(value))
      fail(fmt::format("{} needs a number, and this is a vector", where), begin, previous_end_);
    return std::get<Expr>(std::move(value));
  }

  Value expression() {
    const std::size_t begin = token_.begin;
    Rational constant = 0;
    std::vector<Expr> terms;
    std::optional<Vector> vectors;
    bool first = true;
    bool negative = false;
    while (true) {
      const std::size_t place = token_.begin;
      const Value value = term();
      if (!first && is_vector(value) != vectors.has_value())
        fail("a number and a vector cannot be added", place, previous_end_);
      first = false;
      if (is_vector(value)) {
        const Vector& next = std::get<Vector>(value);
        const Vector signed_next = negative ? -next : next;
        vectors = vectors ? *vectors + signed_next : signed_next;
      } else if (const Expr& next = std::get<Expr>(value); next.is(Op::constant)) {
        constant += negative ? Rational(-next.value()) : next.value();
        check_size(constant, begin);
      } else {
        terms.push_back(negative ? -next : next);
      }
      if (token_.kind != Kind::plus && token_.kind != Kind::minus) break;
      negative = token_.kind == Kind::minus;
      take();
    }
    if (vectors) return *vectors;
    if (terms.empty()) return Expr(constant);
    if (sgn(constant) != 0) terms.emplace_back(constant);
    return terms.size() == 1 ? std::move(terms.front()) : sum(terms);
  }

  Value term() {
    const std::size_t begin = token_.begin;
    Rational constant = 1;
    std::vector<Expr> factors;
    std::optional<Vector> vector;
    bool inverse = false;
    while (true) {
      const std::size_t place = token_.begin;
      const Value value = factor();
      if (is_vector(value)) {
        if (inverse) fail("division by a vector", place, previous_end_);
        if (vector)
          fail("two vectors are multiplied by dot(a, b) or cross(a, b)", begin, previous_end_);
        vector = std::get<Vector>(value);
      } else {
        const Expr& next = std::get<Expr>(value);
        if (inverse && next.is_zero()) fail("division by zero", place, previous_end_);
        if (next.is(Op::constant)) {
          constant *= inverse ? Rational(1 / next.value()) : next.value();
          check_size(constant, begin);
        } else {
          factors.push_back(inverse ? pow(next, -1) : next);
        }
      }
      if (token_.kind != Kind::times && token_.kind != Kind::divide) break;
      inverse = token_.kind == Kind::divide;
      take();
    }
    if (factors.empty())
      factors.emplace_back(constant);
    else if (constant != 1)
      factors.emplace_back(constant);
    Expr scale = factors.size() == 1 ? std::move(factors.front()) : product(factors);
    if (vector) return scale * *vector;
    return scale;
  }

  Value factor() {
    const Level level(depth_, token_);
    if (token_.kind == Kind::minus) {
      take();
      const Value value = factor();
      if (is_vector(value)) return -std::get<Vector>(value);
      return -std::get<Expr>(value);
    }
    if (token_.kind == Kind::plus) {
      take();
      return factor();
    }
    const std::size_t begin = token_.begin;
    Value value = primary();
    if (token_.kind != Kind::power) return value;
    if (is_vector(value))
      fail("a vector has no powers; its square is dot(a, a)", begin, token_.end);
    const Expr base = std::get<Expr>(std::move(value));
    take();
    const std::size_t exponent_begin = token_.begin;
    const Expr exponent = number(factor(), "an exponent", exponent_begin);
    if (base.is_zero() && exponent.is(Op::constant) && sgn(exponent.value()) < 0) {
      fail("division by zero", begin, previous_end_);
    }
    return pow(base, exponent);
  }

  Value primary() {
    const Token start = token_;
    switch (token_.kind) {
      case Kind::number: {
        take();
        const auto value = rational_from_decimal(slice(start));
        if (!value) {
          const bool exponent = slice(start).find_first_of("eE") != std::string_view::npos;
          fail(fmt::format("'{}' is not a number{}", slice(start),
                           exponent ? " (exponents go from -10000 to 10000)" : ""),
               start.begin, start.end);
        }
        return Expr(*value);
      }
      case Kind::name:
        return named();
      case Kind::open: {
        take();
        Value inner = expression();
        close(start);
        if (token_.kind == Kind::prime)
          fail("a prime must directly follow a name", token_.begin, token_.end);
        return is_vector(inner) ? component(std::get<Vector>(inner)) : inner;
      }
      case Kind::end:
        fail("expected an expression, found the end", previous_end_ == 0 ? 0 : previous_end_ - 1,
             std::max<std::size_t>(previous_end_, 1));
      case Kind::prime:
      case Kind::plus:
      case Kind::minus:
      case Kind::times:
      case Kind::divide:
      case Kind::power:
      case Kind::close:
      case Kind::comma:
      case Kind::dot:
      case Kind::equals:
      case Kind::less:
      case Kind::less_equal:
      case Kind::greater:
      case Kind::greater_equal:
        break;
    }
    fail(fmt::format("expected an expression, found '{}'", slice(start)), start.begin, start.end);
  }

  void close(const Token& open) {
    if (token_.kind == Kind::end) fail("'(' is never closed", open.begin, open.end);
    if (token_.kind == Kind::equals) fail("'(' is not closed before '='", open.begin, open.end);
    if (token_.kind == Kind::comma)
      fail("',' outside the arguments of a function", token_.begin, token_.end);
    if (token_.kind != Kind::close) expect_end();
    take();
  }

  /// Counts the primes that stand directly behind what was taken last.
  int primes() {
    int count = 0;
    while (token_.kind == Kind::prime && token_.begin == previous_end_) {
      ++count;
      take();
    }
    return count;
  }

  /// Takes `.x` behind a vector; its number, or nothing where no dot stands.
  std::optional<std::size_t> component_index() {
    if (token_.kind != Kind::dot || token_.begin != previous_end_) return std::nullopt;
    const std::size_t begin = token_.begin;
    take();
    const bool name = token_.kind == Kind::name && token_.begin == previous_end_;
    const std::string_view letter = name ? slice(token_) : std::string_view();
    const std::size_t index = letter == "x" ? 0 : letter == "y" ? 1 : letter == "z" ? 2 : 3;
    if (index == 3)
      fail("a vector has the components .x, .y and .z", begin, name ? token_.end : previous_end_);
    take();
    return index;
  }

  Value component(const Vector& vector) {
    const auto index = component_index();
    if (!index) return vector;
    if (token_.kind == Kind::prime && token_.begin == previous_end_)
      fail("a prime must directly follow a name", token_.begin, token_.end);
    return vector[*index];
  }

  Value named() {
    Token name = token_;
    take();
    const FunctionInfo* function = find_function(slice(name));
    const bool is_function = function != nullptr || slice(name) == "clamp";
    if (token_.kind == Kind::open && (is_function || token_.begin == name.end)) return call(name);
    const auto needs_parentheses = [&] {
      fail(fmt::format("function '{0}' needs its argument in parentheses: {0}(...)", slice(name)),
           name.begin, name.end);
    };
    const std::size_t word_end = name.end;
    if (function != nullptr && !function->yields_to_names) needs_parentheses();
    if (token_.kind == Kind::dot && token_.begin == name.end) {
      take();
      if (token_.kind != Kind::name || token_.begin != previous_end_) {
        fail(fmt::format("expected a name behind '{}.'", slice(name)), name.begin, previous_end_);
      }
      name.end = token_.end;
      take();
    }
    const int count = primes();
    if (count > 0 && token_.kind == Kind::open && scope_.table) {
      if (auto table = scope_.table(slice(name))) return table_value(name, std::move(table), count);
    }
    if ((slice(name) == "pi" || slice(name) == "π") && count == 0) return pi();
    if (scope_.vector && scope_.vector(slice(name), 0)) {
      const auto index = component_index();
      const auto meaning = scope_.vector(slice(name), index ? count + primes() : count);
      if (!*meaning) fail(meaning->error(), name.begin, previous_end_);
      if (index) return (**meaning)[*index];
      return **meaning;
    }
    auto meaning = scope_.scalar(slice(name), count);
    if (!meaning && is_function && previous_end_ == word_end) needs_parentheses();
    if (!meaning) fail(meaning.error(), name.begin, previous_end_);
    return *std::move(meaning);
  }

  std::vector<Value> arguments() {
    const Token open = token_;
    take();
    std::vector<Value> args;
    if (token_.kind != Kind::close) args.push_back(expression());
    while (token_.kind == Kind::comma) {
      take();
      args.push_back(expression());
    }
    close(open);
    return args;
  }

  /// dot(a, b), cross(a, b), norm(a).
  Value vector_function(const Token& name) {
    const std::string_view function = slice(name);
    const std::vector<Value> args = arguments();
    const std::size_t wanted = function == "norm" ? 1 : 2;
    if (args.size() != wanted || !std::all_of(args.begin(), args.end(), is_vector)) {
      fail(fmt::format("'{}' takes {} vector{}", function, wanted, wanted == 1 ? "" : "s"),
           name.begin, previous_end_);
    }
    const Vector& a = std::get<Vector>(args[0]);
    if (function == "norm") return norm(a);
    const Vector& b = std::get<Vector>(args[1]);
    if (function == "dot") return dot(a, b);
    return component(cross(a, b));
  }

  /// point(body, x, y, z) or point(body, vector), with primes before or behind a component.
  Value point(const Token& name) {
    const Token open = token_;
    take();
    const Token body = token_;
    if (body.kind != Kind::name)
      fail("'point' begins with the name of a body: point(body, x, y, z)", name.begin, open.end);
    take();
    std::vector<Value> place;
    while (token_.kind == Kind::comma) {
      take();
      place.push_back(expression());
    }
    close(open);
    Vector at;
    if (place.size() == 1 && is_vector(place[0])) {
      at = std::get<Vector>(place[0]);
    } else if (place.size() == 3 && std::none_of(place.begin(), place.end(), is_vector)) {
      for (std::size_t i = 0; i < 3; ++i) at[i] = std::get<Expr>(place[i]);
    } else {
      fail("'point' takes a body and three numbers, or a body and a vector: point(body, x, y, z)",
           name.begin, previous_end_);
    }
    int count = primes();
    const auto index = component_index();
    if (index) count += primes();
    auto meaning = scope_.point(slice(body), at, count);
    if (!meaning) fail(meaning.error(), body.begin, body.end);
    if (index) return (*meaning)[*index];
    return *std::move(meaning);
  }

  /// What must come next within the parentheses of an if.
  void take_comma(const Token& name) {
    if (token_.kind != Kind::comma)
      fail("'if' takes a condition and two values: if(x < y, a, b)", name.begin,
           token_.kind == Kind::end ? previous_end_ : token_.end);
    take();
  }

  /// if(x < y, a, b) and its like, as one number that is compared with 0.
  Value condition(const Token& name) {
    const Token open = token_;
    take();
    const Expr left = number(expression(), "a condition", open.end);
    const Kind sign = token_.kind;
    if (sign == Kind::equals)
      fail("a condition compares with <, <=, > or >=", token_.begin, token_.end);
    if (!is_comparison(sign))
      fail("a condition compares two numbers: if(x < y, a, b)", name.begin,
           token_.kind == Kind::end ? previous_end_ : token_.end);
    take();
    const std::size_t right_begin = token_.begin;
    const Expr right = number(expression(), "a condition", right_begin);
    if (is_comparison(token_.kind))
      fail("a condition compares two numbers; two conditions are two ifs, one within the other",
           token_.begin, token_.end);
    take_comma(name);
    std::array<Expr, 2> values;
    for (Expr& value : values) {
      if (&value != values.begin()) take_comma(name);
      const std::size_t begin = token_.begin;
      value = number(expression(), "'if'", begin);
    }
    if (token_.kind == Kind::comma)
      fail("'if' takes a condition and two values: if(x < y, a, b)", name.begin, token_.end);
    close(open);
    no_prime();
    const bool strict = sign == Kind::less || sign == Kind::greater;
    const bool falls = sign == Kind::less || sign == Kind::greater_equal;
    const Expr g = falls ? left - right : right - left;
    return strict ? choose(g, values[1], values[0]) : choose(g, values[0], values[1]);
  }

  void no_prime() const {
    if (token_.kind == Kind::prime)
      fail("a prime must directly follow a name", token_.begin, token_.end);
  }

  Value call(const Token& name) {
    if (slice(name) == "if") return condition(name);
    if (scope_.vector && (slice(name) == "dot" || slice(name) == "cross" || slice(name) == "norm"))
      return vector_function(name);
    if (scope_.point && slice(name) == "point") return point(name);
    if (scope_.table) {
      if (auto table = scope_.table(slice(name))) return table_value(name, std::move(table), 0);
    }
    const FunctionInfo* function = find_function(slice(name));
    const bool clamps = slice(name) == "clamp";
    if (function == nullptr && !clamps) {
      std::vector<std::string> known;
      for (const FunctionInfo& f : functions()) known.emplace_back(f.name);
      known.emplace_back("clamp");
      known.insert(known.end(), scope_.tables.begin(), scope_.tables.end());
      if (scope_.scalar(slice(name), 0)) {
        fail(fmt::format("'{0}' is not a function; a product is written {0}*(...)", slice(name)),
             name.begin, name.end);
      }
      std::string meant = other_name_of_function(slice(name));
      if (meant.empty()) meant = did_you_mean(slice(name), known);
      fail(fmt::format("unknown function '{}'{}", slice(name), meant), name.begin, name.end);
    }
    std::vector<Expr> args;
    for (Value& value : arguments())
      args.push_back(number(std::move(value), fmt::format("'{}'", slice(name)), name.begin));
    const bool variadic = !clamps && (function->op == Op::min || function->op == Op::max);
    const std::size_t wanted = clamps ? 3 : static_cast<std::size_t>(function->arity);
    if (args.size() < wanted || (args.size() > wanted && !variadic)) {
      fail(fmt::format("'{}' takes {}{} argument{}, not {}", slice(name),
                       variadic ? "at least " : "", wanted, wanted == 1 ? "" : "s", args.size()),
           name.begin, previous_end_);
    }
    no_prime();
    if (clamps) return clamp(args[0], args[1], args[2]);
    if (!variadic) return apply_function(function->op, args);
    return of_two_at_a_time(function->op, std::move(args));
  }

  /// F(s), or F'(s), the derivative of the table at s.
  Value table_value(const Token& name, std::shared_ptr<const Table> table, int primes) {
    const std::string title(slice(name));
    std::vector<Value> given = arguments();
    if (given.size() != 1)
      fail(fmt::format("table '{}' takes 1 argument, not {}", title, given.size()), name.begin,
           previous_end_);
    const Expr s = number(std::move(given[0]), fmt::format("'{}'", title), name.begin);
    no_prime();
    for (; primes > 0 && table != nullptr; --primes) table = table->derivative();
    return table == nullptr ? Expr(0) : apply_table(std::move(table), s);
  }

  /// min(a, b, c, d) as min(min(a, b), min(c, d)): its derivative multiplies selectors along the
  /// way to an argument, so that has to be short.
  static Expr of_two_at_a_time(Op function, std::vector<Expr> args) {
    while (args.size() > 1) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < args.size(); i += 2) {
        args[kept++] = i + 1 < args.size()
                           ? apply_function(function, std::vector<Expr>{args[i], args[i + 1]})
                           : args[i];
      }
      args.resize(kept);
    }
    return args.front();
  }

  void advance() { token_ = next_token(text_, token_.end); }

  void take() {
    previous_end_ = token_.end;
    advance();
  }

  std::string_view text_;
  const Scope& scope_;
  Token token_;
  std::size_t previous_end_ = 0;
  int depth_ = 0;
};

}  // namespace

bool is_reserved(std::string_view name) {
  const FunctionInfo* function = find_function(name);
  return (function != nullptr && !function->yields_to_names) ||
         std::find(reserved_words.begin(), reserved_words.end(), name) != reserved_words.end();
}

Result<Expr, ParseError> parse(std::string_view text, const Resolve& resolve) {
  const Scope scope{resolve};
  try {
    return std::get<Expr>(Parser(text, scope).whole_expression());
  } catch (Stop& stop) {
    return Failure{std::move(stop.error)};
  }
}

Result<Equation, ParseError> parse_equation(std::string_view text, const Resolve& resolve) {
  const Scope scope{resolve};
  try {
    return Parser(text, scope).whole_equation().front();
  } catch (Stop& stop) {
    return Failure{std::move(stop.error)};
  }
}

Result<Value, ParseError> parse_value(std::string_view text, const Scope& scope) {
  try {
    return Parser(text, scope).whole_expression();
  } catch (Stop& stop) {
    return Failure{std::move(stop.error)};
  }
}

Result<std::vector<Equation>, ParseError> parse_equations(std::string_view text,
                                                          const Scope& scope) {
  try {
    return Parser(text, scope).whole_equation();
  } catch (Stop& stop) {
    return Failure{std::move(stop.error)};
  }
}

Resolve resolve_symbols(std::vector<std::string> coordinates) {
  return [names = std::move(coordinates)](std::string_view name,
                                          int primes) -> Result<Expr, std::string> {
    if (name == "t" && primes == 0) return time();
    if (std::find(names.begin(), names.end(), name) != names.end()) return coordinate(name, primes);
    if (name.starts_with("ideal.")) return ideal_force(name.substr(6));
    if (name.starts_with("nonideal.")) return nonideal_force(name.substr(9));
    if (primes > 0) return Failure{fmt::format("'{}' has no rate", name)};
    return parameter(name);
  };
}

}  // namespace dalembert::expr
