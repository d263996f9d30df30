#include "dalembert/codegen/series.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <span>
#include <tuple>

#include "dalembert/codegen/tape_passes.hpp"

namespace dalembert::codegen {

namespace {

constexpr std::uint32_t absent = UINT32_MAX;

/// A tape that grows. Equal operations are done once.
class OrderWriter {
 public:
  /// The constants, parameters and prologue of f, and room for `inputs`.
  OrderWriter(const Tape& f, std::uint32_t inputs) : f_(f), moved_(f.registers(), absent) {
    tape_.constants = f.constants;
    tape_.low = f.low;
    tape_.tables = f.tables;
    for (const auto& table : f.tables) {
      for (const expr::Table* slope = table->derivative().get(); slope != nullptr;
           slope = slope->derivative().get())
        constant_.try_emplace(std::bit_cast<std::uint64_t>(table_handle(*slope)), absent);
    }
    for (const double x :
         {0.0, 0.5, 1.0, 2.0, 2 * std::numbers::inv_sqrtpi, 1 / std::numbers::ln10})
      constant_.try_emplace(std::bit_cast<std::uint64_t>(x), absent);
    for (auto& [bits, place] : constant_) {
      place = static_cast<std::uint32_t>(tape_.constants.size());
      tape_.constants.push_back(std::bit_cast<double>(bits));
      if (!f.low.empty()) tape_.low.push_back(low_of(tape_.constants.back()));
    }
    tape_.parameters = f.parameters;
    tape_.inputs = inputs;
    const auto constants = static_cast<std::uint32_t>(f.constants.size());
    for (std::uint32_t r = 0; r < constants; ++r) moved_[r] = r;
    for (std::uint32_t i = 0; i < f.parameters; ++i)
      moved_[constants + i] = static_cast<std::uint32_t>(tape_.constants.size()) + i;
    for (std::uint32_t i = 0; i < f.prologue; ++i) repeat(i);
    tape_.prologue = static_cast<std::uint32_t>(tape_.code.size());
  }

  std::uint32_t input(std::uint32_t i) const { return tape_.first_input() + i; }
  std::uint32_t constant(double x) const { return constant_.at(std::bit_cast<std::uint64_t>(x)); }
  std::uint32_t& moved(std::uint32_t r) { return moved_[r]; }

  std::uint32_t add(Operation operation, std::uint32_t a, std::uint32_t b, std::uint32_t c = 0) {
    const auto [place, inserted] = made_.try_emplace(std::tuple(operation, a, b, c), absent);
    if (inserted) {
      const int count = operands(operation);
      const int deepest = std::max(depth(a), count > 1 ? depth(b) : 0);
      depths_.push_back(1 + std::max(deepest, count > 2 ? depth(c) : 0));
      tape_.code.push_back({operation, a, b, c});
      place->second = tape_.first_result() + static_cast<std::uint32_t>(tape_.code.size()) - 1;
    }
    return place->second;
  }
  std::uint32_t add(Operation operation, std::uint32_t a) { return add(operation, a, a); }
  /// How many operations a register waits for, one after the other.
  int depth(std::uint32_t r) const {
    return r == absent || r < tape_.first_result() ? 0 : depths_[r - tape_.first_result()];
  }

  /// Instruction i of f once more.
  void repeat(std::uint32_t i) {
    const Instruction& one = f_.code[i];
    moved_[f_.first_result() + i] = add(one.operation, moved_[one.a], moved_[one.b],
                                        operands(one.operation) == 3 ? moved_[one.c] : 0);
  }

  Tape& tape() { return tape_; }

 private:
  /// What a constant of the recurrences lacks, as Tape::low.
  static double low_of(double x) {
    if (x == 2 * std::numbers::inv_sqrtpi) return 0x1.1ae3a914fed80p-56;
    return x == 1 / std::numbers::ln10 ? 0x1.32a6ab7555f5ap-54 : 0.0;
  }

  const Tape& f_;
  Tape tape_;
  std::vector<int> depths_;           ///< of results
  std::vector<std::uint32_t> moved_;  ///< where the registers of f are
  std::map<std::uint64_t, std::uint32_t> constant_;
  std::map<std::tuple<Operation, std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> made_;
};

/// A series: where its coefficient of order 0 stands in `start`, and that of order k in `order`;
/// absent if that is zero for all k >= 1.
struct Jet {
  std::uint32_t first = absent;
  std::uint32_t next = absent;
  bool varies() const { return next != absent; }
};

class Lowering {
 public:
  Lowering(const Tape& f, std::size_t watched, bool exact)
      : f_(f),
        exact_(exact),
        first_watched_(f.outputs.size() - watched),
        size_(static_cast<std::uint32_t>(f.inputs - 1)),
        start_(f, f.inputs),
        // Inputs that are found on the way follow those that are known; `finish` puts them in
        // order.
        order_(f, Series::y_input + size_ + most_inputs(f)),
        jets_(f.registers()) {}

  Series lower() {
    for (std::uint32_t r = 0; r < f_.first_result() + f_.prologue; ++r)
      jets_[r].first = start_.moved(r);
    for (std::uint32_t i = 0; i < f_.inputs; ++i) {
      start_.moved(f_.first_input() + i) = start_.input(i);
      jets_[f_.first_input() + i] = {start_.input(i), order_.input(Series::t_input + i)};
    }
    const std::vector<bool> needed = needed_by_rates();
    for (std::uint32_t i = f_.prologue; i < f_.code.size(); ++i) {
      start_.repeat(i);
      const std::uint32_t r = f_.first_result() + i;
      if (needed[i]) jets_[r] = lower(f_.code[i], start_.moved(r));
    }
    return finish();
  }

 private:
  /// Each operation needs a few values of order 0 and at most four sums.
  static std::uint32_t most_inputs(const Tape& f) {
    return 16 * static_cast<std::uint32_t>(f.code.size() + 1);
  }

  /// The instructions that y' and what is watched follow from: the others are of order 0 only.
  std::vector<bool> needed_by_rates() const {
    std::vector<bool> needed(f_.code.size(), false);
    const auto mark = [&](std::uint32_t r) {
      if (r >= f_.first_result()) needed[r - f_.first_result()] = true;
    };
    for (std::uint32_t i = 0; i < size_; ++i) mark(f_.outputs[i]);
    for (std::size_t i = first_watched_; i < f_.outputs.size(); ++i) mark(f_.outputs[i]);
    for (std::size_t i = f_.code.size(); i-- > 0;) {
      if (!needed[i]) continue;
      const Instruction& one = f_.code[i];
      mark(one.a);
      if (operands(one.operation) > 1) mark(one.b);
      if (operands(one.operation) > 2) mark(one.c);
    }
    return needed;
  }

  using Register = std::uint32_t;

  // In the tape of the orders; `absent` is zero.
  Register plus(Register a, Register b) {
    return a == absent ? b : b == absent ? a : order_.add(Operation::add, a, b);
  }
  Register minus(Register a, Register b) {
    if (b == absent) return a;
    return a == absent ? order_.add(Operation::negate, b) : order_.add(Operation::subtract, a, b);
  }
  Register times(Register a, Register b) {
    return a == absent || b == absent ? absent : order_.add(Operation::multiply, a, b);
  }
  /// a b + c
  Register times_plus(Register a, Register b, Register c) {
    if (a == absent || b == absent) return c;
    return c == absent ? times(a, b) : order_.add(Operation::multiply_add, a, b, c);
  }
  /// c - a b
  Register minus_times(Register a, Register b, Register c) {
    if (a == absent || b == absent) return c;
    return c == absent ? order_.add(Operation::negate, times(a, b))
                       : order_.add(Operation::subtract_product, a, b, c);
  }
  Register over_k(Register a) {
    if (exact_ && a != absent)
      return order_.add(Operation::divide, a, order_.input(Series::k_input));
    return times(a, order_.input(Series::reciprocal_input));
  }
  Register times_k(Register a) { return times(a, order_.input(Series::k_input)); }

  /// Of something in `start`, a value for all orders.
  Register later(Register first) {
    const auto [place, inserted] = later_.try_emplace(first, absent);
    if (inserted) {
      place->second = order_.input(Series::y_input + size_ + inputs_++);
      later_order_.push_back(first);
      later_inputs_.push_back(place->second);
    }
    return place->second;
  }
  /// The value of a register of f that no series enters.
  Register fixed(Register r) {
    return r < f_.first_result() + f_.prologue ? order_.moved(r) : later(start_.moved(r));
  }

  std::uint32_t keep(Register next) {
    const auto [place, inserted] = kept_.try_emplace(next, absent);
    if (inserted) {
      place->second = static_cast<std::uint32_t>(kept_order_.size());
      kept_order_.push_back(next);
    }
    return place->second;
  }
  /// P(a, b); absent where one of them does not vary.
  Register sum(Register a, Register b) {
    if (a == absent || b == absent) return absent;
    return sum_of(keep(a), keep(b));
  }
  Register sum_of(std::uint32_t a, std::uint32_t b) {
    const SeriesPair pair{std::min(a, b), std::max(a, b)};
    const auto [place, inserted] = sums_.try_emplace(std::pair(pair.a, pair.b), absent);
    if (inserted) {
      place->second = order_.input(Series::y_input + size_ + inputs_++);
      pairs_.push_back(pair);
      pair_inputs_.push_back(place->second);
    }
    return place->second;
  }
  /// A series that is its own operand: its sums are wanted before it is known.
  std::uint32_t reserve() {
    kept_order_.push_back(absent);
    return static_cast<std::uint32_t>(kept_order_.size() - 1);
  }
  void is(std::uint32_t reserved, Register next) {
    kept_order_[reserved] = next;
    kept_.try_emplace(next, reserved);
  }

  Register start(Operation operation, Register a, Register b) {
    return start_.add(operation, a, b);
  }
  Register start(Operation operation, Register a) { return start_.add(operation, a); }
  /// 1 / a, of order 0.
  Register reciprocal(Register first) {
    return later(start(Operation::divide, start_.constant(1), first));
  }

  Jet jet(Register r) const { return jets_[r]; }

  /// x y + rest, or rest - x y. What is known last is added last.
  Register product(const Jet& x, const Jet& y, Register rest, bool subtracted = false) {
    struct Term {
      Register next, factor;
    };
    std::array<Term, 2> terms{Term{x.next, later(y.first)}, Term{y.next, later(x.first)}};
    if (order_.depth(terms[0].next) > order_.depth(terms[1].next)) std::swap(terms[0], terms[1]);
    if (x.next == y.next && x.first == y.first)
      terms = {Term{absent, absent}, {x.next, later(start(Operation::add, x.first, x.first))}};
    const bool rest_last = rest != absent && order_.depth(rest) > order_.depth(terms[1].next);
    const Register p = sum(x.next, y.next), first = rest_last ? absent : rest;
    Register total = subtracted ? minus(first, p) : plus(p, first);
    for (const Term& term : terms)
      total = subtracted ? minus_times(term.next, term.factor, total)
                         : times_plus(term.next, term.factor, total);
    return rest_last ? plus(total, rest) : total;
  }
  Register less_product(const Jet& x, const Jet& y, Register rest) {
    return product(x, y, rest, true);
  }
  Register square(const Jet& x) { return product(x, x, absent); }

  /// a b with one of them fixed or both series, plus `rest`, or subtracted from it.
  Register times(Register a, Register b, Register rest, bool subtracted) {
    const Jet x = jet(a), y = jet(b);
    if (x.varies() && y.varies()) return product(x, y, rest, subtracted);
    if (!x.varies() && !y.varies()) return rest;
    const Register factor = fixed(x.varies() ? b : a);
    const Register next = x.varies() ? x.next : y.next;
    return subtracted ? minus_times(factor, next, rest) : times_plus(factor, next, rest);
  }

  Register quotient(const Jet& x, const Jet& y, Register z_first) {
    const std::uint32_t z = reserve();
    const Register p = sum_of(keep(y.next), z), over = reciprocal(y.first);
    Register next = absent;
    if (x.varies() && order_.depth(x.next) > order_.depth(y.next)) {
      const Register known = times(times_plus(y.next, later(z_first), p), over);
      next = order_.add(Operation::multiply_subtract, x.next, over, known);
    } else {
      const Register known = times(minus(x.next, p), over);
      const Register slope = later(start(Operation::divide, z_first, y.first));
      next = minus_times(y.next, slope, known);
    }
    is(z, next);
    return next;
  }

  Register root(Register x_next, Register z_first) {
    const std::uint32_t z = reserve();
    const Register p = minus(x_next, sum_of(z, z));
    const Register half = later(start(Operation::divide, start_.constant(0.5), z_first));
    const Register next = times(p, half);
    is(z, next);
    return next;
  }

  /// z' = w x', w known.
  Register integral(const Jet& x, const Jet& w) {
    const Register p = over_k(sum(times_k(x.next), w.next));
    return times_plus(x.next, later(w.first), p);
  }
  /// z' = x' / w
  Register integral_over(Register x_next, const Jet& w) {
    const std::uint32_t rate = reserve();
    const Register p = minus(x_next, over_k(sum_of(rate, keep(w.next))));
    const Register next = times(p, reciprocal(w.first));
    is(rate, times_k(next));
    return next;
  }
  /// z' = z x'
  Register exponential(const Jet& x, Register z_first) {
    const std::uint32_t z = reserve();
    const Register p = over_k(sum_of(keep(times_k(x.next)), z));
    const Register next = times_plus(x.next, later(z_first), p);
    is(z, next);
    return next;
  }

  /// sin and cos, or sinh and cosh, of one argument: both are made.
  std::pair<Jet, Jet> circular(const Jet& x, bool hyperbolic) {
    const auto found = circular_.find({x.next, hyperbolic});
    if (found != circular_.end()) return found->second;
    Jet s{start(hyperbolic ? Operation::sinh : Operation::sin, x.first), absent};
    Jet c{start(hyperbolic ? Operation::cosh : Operation::cos, x.first), absent};
    const std::uint32_t s_kept = reserve(), c_kept = reserve();
    const std::uint32_t rate = keep(times_k(x.next));
    s.next = times_plus(x.next, later(c.first), over_k(sum_of(rate, c_kept)));
    const Register up = over_k(sum_of(rate, s_kept));
    c.next = hyperbolic ? times_plus(x.next, later(s.first), up)
                        : minus_times(x.next, later(s.first), minus(absent, up));
    is(s_kept, s.next);
    is(c_kept, c.next);
    return circular_.emplace(std::pair(x.next, hyperbolic), std::pair(s, c)).first->second;
  }

  /// tan and tanh: z' = (1 + z^2) x', (1 - z^2) x'.
  Register tangent(const Jet& x, Register z_first, bool hyperbolic) {
    const std::uint32_t z = reserve(), v = reserve();
    const Register z_square = start(Operation::multiply, z_first, z_first);
    const Register v_first =
        start(hyperbolic ? Operation::subtract : Operation::add, start_.constant(1), z_square);
    const Register p = over_k(sum_of(keep(times_k(x.next)), v));
    const Register next = times_plus(x.next, later(v_first), p);
    is(z, next);
    const Register twice = later(start(Operation::multiply, start_.constant(2), z_first));
    const Register square = times_plus(twice, next, sum_of(z, z));
    is(v, hyperbolic ? order_.add(Operation::negate, square) : square);
    return next;
  }

  /// c + s x^2 with s = 1 or -1, as a series.
  Jet shifted_square(const Jet& x, double c, bool negative) {
    const Register squared = start(Operation::multiply, x.first, x.first);
    const Register first =
        start(negative ? Operation::subtract : Operation::add, start_.constant(c), squared);
    return {first, negative ? less_product(x, x, absent) : square(x)};
  }
  Jet root_of(const Jet& x) {
    const Register first = start(Operation::sqrt, x.first);
    return {first, root(x.next, first)};
  }

  Register logarithm(const Jet& x) { return integral_over(x.next, x); }
  Register power(const Instruction& one, Register z_first) {
    const Jet x = jet(one.a), a = jet(one.b);
    if (a.varies()) {  // exp(a log x)
      const Jet log{start(Operation::log, x.first), x.varies() ? logarithm(x) : absent};
      const Jet exponent{start(Operation::multiply, a.first, log.first), product(a, log, absent)};
      return exponential(exponent, z_first);
    }
    const std::uint32_t z = reserve(), z_rate = reserve();
    const Register up = over_k(sum_of(keep(times_k(x.next)), z));
    const Register grown = times(fixed(one.b), times_plus(x.next, later(z_first), up));
    const Register p = minus(grown, over_k(sum_of(z_rate, keep(x.next))));
    const Register next = times(p, reciprocal(x.first));
    is(z, next);
    is(z_rate, times_k(next));
    return next;
  }
  Register error_function(const Jet& x) {
    const Jet u = {start(Operation::negate, start(Operation::multiply, x.first, x.first)),
                   less_product(x, x, absent)};
    const Register w_first = start(Operation::exp, u.first);
    const Jet w{w_first, exponential(u, w_first)};
    return times(order_.constant(2 * std::numbers::inv_sqrtpi), integral(x, w));
  }
  /// z' = F'(x) x', and F' is a table of a lower degree.
  Jet table_value(const expr::Table& table, const Jet& x, Register z_first) {
    if (table.derivative() == nullptr) return {z_first, absent};
    const expr::Table& derivative = *table.derivative();
    const Register first =
        start(Operation::table, x.first, start_.constant(table_handle(derivative)));
    const Jet slope = table_value(derivative, x, first);
    return {z_first, slope.varies() ? integral(x, slope) : times(later(first), x.next)};
  }
  Register angle_of(const Jet& y, const Jet& x) {
    const Register first = start(Operation::add, start(Operation::multiply, x.first, x.first),
                                 start(Operation::multiply, y.first, y.first));
    const Jet v{first, plus(x.varies() ? square(x) : absent, y.varies() ? square(y) : absent)};
    // v z' = x y' - y x'
    const std::uint32_t rate = reserve();
    Register p = sum(times_k(y.next), x.next);
    p = minus(p, sum(times_k(x.next), y.next));
    p = over_k(minus(p, sum_of(rate, keep(v.next))));
    p = times_plus(y.next, later(x.first), p);
    p = minus_times(x.next, later(y.first), p);
    const Register next = times(p, reciprocal(first));
    is(rate, times_k(next));
    return next;
  }
  Register length_of(const Jet& x, const Jet& y, Register z_first) {
    const Register inside = plus(x.varies() ? square(x) : absent, y.varies() ? square(y) : absent);
    return root(inside, z_first);
  }

  /// a where the value of order 0 is not negative, else b.
  Register chosen(Register a, Register b, Register decides_first) {
    if (a == absent && b == absent) return absent;
    const auto or_zero = [&](Register r) { return r == absent ? order_.constant(0) : r; };
    return order_.add(Operation::choose, or_zero(a), or_zero(b), later(decides_first));
  }

  /// Coefficient k of what an instruction computes from operands that vary.
  Register elementary(const Instruction& one, Register z_first) {
    const Jet x = jet(one.a);
    switch (one.operation) {
      case Operation::sin:
        return circular(x, false).first.next;
      case Operation::cos:
        return circular(x, false).second.next;
      case Operation::sinh:
        return circular(x, true).first.next;
      case Operation::cosh:
        return circular(x, true).second.next;
      case Operation::tan:
        return tangent(x, z_first, false);
      case Operation::tanh:
        return tangent(x, z_first, true);
      case Operation::exp:
        return exponential(x, z_first);
      case Operation::log:
        return logarithm(x);
      case Operation::log10:
        return times(order_.constant(1 / std::numbers::ln10), logarithm(x));
      case Operation::asin:
        return integral_over(x.next, root_of(shifted_square(x, 1, true)));
      case Operation::acos:
        return minus(absent, integral_over(x.next, root_of(shifted_square(x, 1, true))));
      case Operation::asinh:
        return integral_over(x.next, root_of(shifted_square(x, 1, false)));
      case Operation::acosh:
        return integral_over(x.next, root_of(square_less_one(x)));
      case Operation::atan:
        return integral_over(x.next, shifted_square(x, 1, false));
      case Operation::atanh:
        return integral_over(x.next, shifted_square(x, 1, true));
      case Operation::atan2:
        return angle_of(x, jet(one.b));
      case Operation::hypot:
        return length_of(x, jet(one.b), z_first);
      case Operation::erf:
        return error_function(x);
      case Operation::power:
        return power(one, z_first);
      default:
        return absent;
    }
  }
  Jet square_less_one(const Jet& x) {
    const Register squared = start(Operation::multiply, x.first, x.first);
    return {start(Operation::subtract, squared, start_.constant(1)), square(x)};
  }

  Jet lower(const Instruction& one, Register first) {
    const Jet a = jet(one.a), b = jet(one.b);
    const int count = operands(one.operation);
    const bool varies =
        a.varies() || (count > 1 && b.varies()) || (count > 2 && jet(one.c).varies());
    if (!varies) return {first, absent};
    const auto c = [&] { return jet(one.c).next; };
    switch (one.operation) {
      case Operation::add:
        return {first, plus(a.next, b.next)};
      case Operation::subtract:
        return {first, minus(a.next, b.next)};
      case Operation::negate:
        return {first, minus(absent, a.next)};
      case Operation::multiply:
        return {first, times(one.a, one.b, absent, false)};
      case Operation::multiply_add:
        return {first, times(one.a, one.b, c(), false)};
      case Operation::multiply_subtract:
        return {first, times(one.a, one.b, minus(absent, c()), false)};
      case Operation::subtract_product:
        return {first, times(one.a, one.b, c(), true)};
      case Operation::divide:
        if (b.varies()) return {first, quotient(a, b, first)};
        return {first, order_.add(Operation::divide, a.next, fixed(one.b))};
      case Operation::sqrt:
        return {first, root(a.next, first)};
      case Operation::abs:
        return {first, times(later(start(Operation::sign, a.first)), a.next)};
      case Operation::sign:
      case Operation::floor:
        return {first, absent};
      case Operation::min:
        return {first, chosen(a.next, b.next, start(Operation::subtract, b.first, a.first))};
      case Operation::max:
        return {first, chosen(a.next, b.next, start(Operation::subtract, a.first, b.first))};
      case Operation::table:
        return table_value(table_of_handle(f_.constants[one.b]), a, first);
      case Operation::choose:
        return {first, chosen(a.next, b.next, jet(one.c).first)};
        DALEMBERT_CASES_OF_ELEMENTARY
        return {first, elementary(one, first)};
    }
    return {first, absent};
  }

  Series finish();

  const Tape& f_;
  bool exact_;
  std::size_t first_watched_;  ///< of the outputs of f
  std::uint32_t size_;
  OrderWriter start_, order_;
  std::vector<Jet> jets_;     ///< of each register of f
  std::uint32_t inputs_ = 0;  ///< of `order` after y_k
  std::map<Register, Register> later_;
  std::vector<Register> later_order_, later_inputs_;
  std::map<Register, std::uint32_t> kept_;  ///< the number of a kept series, by its coefficient
  std::vector<Register> kept_order_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Register> sums_;
  std::vector<SeriesPair> pairs_;
  std::vector<Register> pair_inputs_;
  std::map<std::pair<Register, bool>, std::pair<Jet, Jet>> circular_;
};

/// The pairs, turned so that few series are read in both directions: of two series in a pair one is
/// read upwards, the other downwards, as far as pairs in a ring allow.
std::vector<SeriesPair> oriented(std::vector<SeriesPair> pairs, std::uint32_t kept) {
  enum class Way : std::uint8_t { unknown, up, down };
  std::vector<Way> way(kept, Way::unknown);
  for (bool grown = true; grown;) {
    grown = false;
    for (const SeriesPair& pair : pairs) {
      if (way[pair.a] != Way::unknown && way[pair.b] == Way::unknown) {
        way[pair.b] = way[pair.a] == Way::up ? Way::down : Way::up;
        grown = true;
      } else if (way[pair.b] != Way::unknown && way[pair.a] == Way::unknown) {
        way[pair.a] = way[pair.b] == Way::up ? Way::down : Way::up;
        grown = true;
      }
    }
    const auto fresh =
        std::ranges::find_if(pairs, [&](const SeriesPair& p) { return way[p.a] == Way::unknown; });
    if (!grown && fresh != pairs.end()) {
      way[fresh->a] = Way::up;
      grown = true;
    }
  }
  for (SeriesPair& pair : pairs) {
    if (way[pair.a] == Way::down && way[pair.b] == Way::up) std::swap(pair.a, pair.b);
  }
  return pairs;
}

/// The tapes, with the inputs of `order` in their places.
Series Lowering::finish() {
  Series series;
  series.size = size_;
  series.exact = exact_;
  for (std::size_t i = first_watched_; i < f_.outputs.size(); ++i) {
    const Register next = jets_[f_.outputs[i]].next;
    series.watched.push_back(next == absent ? Series::no_series : keep(next));
  }
  series.kept = static_cast<std::uint32_t>(kept_order_.size());
  series.later = static_cast<std::uint32_t>(later_order_.size());
  series.pairs = oriented(pairs_, series.kept);

  Tape& start = start_.tape();
  for (const std::uint32_t output : f_.outputs) start.outputs.push_back(start_.moved(output));
  start.outputs.insert(start.outputs.end(), later_order_.begin(), later_order_.end());
  remove_unused(start);
  series.start = std::move(start);

  Tape& order = order_.tape();
  for (std::uint32_t i = 0; i < size_; ++i) {
    const Register next = jets_[f_.outputs[i]].next;
    order.outputs.push_back(next == absent ? order_.constant(0) : next);
  }
  order.outputs.insert(order.outputs.end(), kept_order_.begin(), kept_order_.end());
  const Register first_input = order.first_input(), first_result = order.first_result();
  const std::uint32_t inputs =
      Series::y_input + size_ + series.later + static_cast<std::uint32_t>(pairs_.size());
  std::vector<Register> place(first_result, absent);
  for (Register r = 0; r < first_input + Series::y_input + size_; ++r) place[r] = r;
  for (std::uint32_t i = 0; i < series.later; ++i)
    place[later_inputs_[i]] = first_input + series.later_input() + i;
  for (std::uint32_t i = 0; i < pairs_.size(); ++i)
    place[pair_inputs_[i]] = first_input + series.pair_input() + i;
  const auto move = [&](Register& r) {
    r = r < first_result ? place[r] : r - first_result + first_input + inputs;
  };
  for (Instruction& one : order.code) {
    const int count = operands(one.operation);
    move(one.a);
    if (count > 1) move(one.b);
    if (count > 2) move(one.c);
    if (count == 1) one.b = one.a;
    if (count < 3) one.c = 0;
  }
  for (Register& output : order.outputs) move(output);
  order.inputs = inputs;
  remove_unused(order);
  series.order = std::move(order);
  return series;
}

}  // namespace

Series make_series(const Tape& f, std::size_t watched, bool exact) {
  return Lowering(f, watched, exact).lower();
}

bool has_kinks(const Tape& f, std::size_t outputs, bool in_time) {
  std::vector<bool> moves(f.registers()), kinked(f.registers());
  for (std::uint32_t i = in_time ? 0 : 1; i < f.inputs; ++i) moves[f.first_input() + i] = true;
  for (std::size_t i = 0; i < f.code.size(); ++i) {
    const Instruction& one = f.code[i];
    const std::array<std::uint32_t, 3> of{one.a, one.b, one.c};
    const std::span operand(of.data(), static_cast<std::size_t>(operands(one.operation)));
    const std::size_t result = f.first_result() + i;
    for (const std::uint32_t r : operand) {
      moves[result] = moves[result] || moves[r];
      kinked[result] = kinked[result] || kinked[r];
    }
    switch (one.operation) {
      case Operation::abs:
      case Operation::sign:
      case Operation::min:
      case Operation::max:
      case Operation::floor:
      case Operation::table:
        kinked[result] = kinked[result] || moves[result];
        break;
      case Operation::choose:
        kinked[result] = kinked[result] || moves[one.c];
        break;
      case Operation::add:
      case Operation::subtract:
      case Operation::multiply:
      case Operation::divide:
      case Operation::negate:
      case Operation::sqrt:
      case Operation::multiply_add:
      case Operation::multiply_subtract:
      case Operation::subtract_product:
        DALEMBERT_CASES_OF_ELEMENTARY
        break;
    }
  }
  return std::any_of(f.outputs.begin(), f.outputs.begin() + static_cast<std::ptrdiff_t>(outputs),
                     [&](std::uint32_t r) { return kinked[r]; });
}

}  // namespace dalembert::codegen
