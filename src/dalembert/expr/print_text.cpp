#include <fmt/format.h>

#include <optional>

#include "dalembert/expr/functions.hpp"
#include "dalembert/expr/parse.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/expr/print_parts.hpp"
#include "dalembert/expr/table.hpp"

namespace dalembert::expr {

namespace {

/// Where an expression stands decides whether it needs parentheses: each place takes less than the
/// one before.
enum class TextPlace { expression, term, factor, base };

bool text_needs_parentheses(const Expr& e, TextPlace place) {
  if (e.is(Op::sum)) return place >= TextPlace::term;
  if (e.is(Op::constant)) {
    return place >= TextPlace::factor &&
           (sgn(e.value()) < 0 || !write_number(e.value()).denominator.empty());
  }
  if (has_fraction_form(e)) return place >= TextPlace::factor;
  return e.is(Op::power) && place >= TextPlace::base;
}

std::string number_text(const NumberText& n) {
  return n.exponent == 0 ? n.numerator : n.numerator + "e" + std::to_string(n.exponent);
}

std::string symbol_text(const Symbol& s) {
  switch (s.kind) {
    case SymbolKind::ideal_force:
      return "ideal." + s.name;
    case SymbolKind::nonideal_force:
      return "nonideal." + s.name;
    case SymbolKind::multiplier:
      return "lambda." + title_text(s.name);
    case SymbolKind::parameter:  // the force of a constraint stands for itself as one
      if (constexpr std::string_view reaction = "reaction."; s.name.starts_with(reaction))
        return std::string(reaction) + title_text(std::string_view(s.name).substr(reaction.size()));
      break;
    case SymbolKind::coordinate:
    case SymbolKind::time:
    case SymbolKind::auxiliary:
      break;
  }
  return s.name + std::string(static_cast<std::size_t>(s.order), '\'');
}

class TextWriter {
 public:
  TextWriter(const Expr& root, std::size_t limit)
      : order_(root, FunctionPlace::before_velocities), limit_(limit) {
    waiting_.push_back({{}, root, TextPlace::expression});
  }

  std::string write() {
    while (!waiting_.empty()) {
      const Piece next = std::move(waiting_.back());
      waiting_.pop_back();
      if (next.e) {
        expand(*next.e, next.place);
        waiting_.insert(waiting_.end(), std::make_move_iterator(pieces_.rbegin()),
                        std::make_move_iterator(pieces_.rend()));
        pieces_.clear();
        continue;
      }
      out_ += next.text;
      if (out_.size() > limit_) return cut();
    }
    return std::move(out_);
  }

 private:
  /// Either finished text or an expression still to be written.
  struct Piece {
    std::string text;
    std::optional<Expr> e;
    TextPlace place = TextPlace::expression;
  };

  std::string cut() {
    std::size_t end = limit_;
    while (end > 0 && (static_cast<unsigned char>(out_[end]) & 0xc0) == 0x80)
      --end;  // keep UTF-8 characters whole
    out_.resize(end);
    return std::move(out_) + "...";
  }

  void add(std::string text) { pieces_.push_back({std::move(text), {}, {}}); }
  void add(const Expr& e, TextPlace place) { pieces_.push_back({{}, e, place}); }

  void expand(const Expr& e, TextPlace place) {
    const bool parentheses = text_needs_parentheses(e, place);
    if (parentheses) add("(");
    switch (e.kind()) {
      case NodeKind::sum:
        add_sum(e);
        break;
      case NodeKind::constant:
      case NodeKind::product:
        add_signed_fraction(e);
        break;
      case NodeKind::power:
        if (has_fraction_form(e)) {
          add_signed_fraction(e);
          break;
        }
        add(e.args()[0], TextPlace::base);
        add("^");
        add(e.args()[1], TextPlace::base);
        break;
      case NodeKind::symbol:
        add(symbol_text(e.symbol()));
        break;
      case NodeKind::pi:
        add("pi");
        break;
      case NodeKind::table:
        add(e.table()->title() + "(");
        add(e.args()[0], TextPlace::expression);
        add(")");
        break;
      case NodeKind::function:
        add_call(e);
        break;
    }
    if (parentheses) add(")");
  }

  void add_sum(const Expr& e) {
    bool first = true;
    for (const Expr& term : order_.terms(e)) {
      const bool negative = is_negative(term);
      add(first ? (negative ? "-" : "") : (negative ? " - " : " + "));
      if (negative) {
        add_fraction(order_.fraction(term));
      } else {
        add(term, TextPlace::term);
      }
      first = false;
    }
  }

  void add_signed_fraction(const Expr& e) {
    if (is_negative(e)) add("-");
    add_fraction(order_.fraction(e));
  }

  void add_choice(const Expr& e) {
    const Comparison c = comparison(e);
    add("if(");
    add(c.left, TextPlace::expression);
    add(fmt::format(" {} ", c.sign));
    add(c.right, TextPlace::expression);
    add(", ");
    add(c.then, TextPlace::expression);
    add(", ");
    add(c.otherwise, TextPlace::expression);
    add(")");
  }

  void add_call(const Expr& e) {
    if (e.is(Op::choose)) return add_choice(e);
    const FunctionInfo& f = function_info(e.op());
    add(std::string(f.name) + "(");
    const std::vector<Expr> args =
        f.is_symmetric ? order_.arguments(e) : std::vector<Expr>(e.args().begin(), e.args().end());
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (i > 0) add(", ");
      add(args[i], TextPlace::expression);
    }
    add(")");
  }

  /// The fraction without its sign. Below a line only the number and one factor can share
  /// parentheses: x/(y*z) is x·(y z)⁻¹, another node than x·y⁻¹·z⁻¹, which is written x/y/z.
  void add_fraction(const Fraction& f) {
    const NumberText number = write_number(abs(f.coefficient));
    bool first = true;
    if (f.numerator.empty() || number_text(number) != "1") {
      add(number_text(number));
      first = false;
    }
    for (const Expr& factor : f.numerator) {
      if (!first) add("*");
      add(factor, TextPlace::factor);
      first = false;
    }
    if (number.denominator.empty()) {
      for (const Expr& factor : f.denominator) add_divisor(factor);
    } else if (f.denominator.empty()) {
      add("/" + number.denominator);
    } else {
      add("/(" + number.denominator + "*");
      const Expr& shared = f.denominator.front();
      add(shared, shared.is(Op::product) ? TextPlace::term : TextPlace::factor);
      add(")");
      for (std::size_t i = 1; i < f.denominator.size(); ++i) add_divisor(f.denominator[i]);
    }
  }

  void add_divisor(const Expr& factor) {
    add("/");
    add(factor, TextPlace::factor);
  }

  ReadingOrder order_;
  std::size_t limit_;
  std::string out_;
  std::vector<Piece> waiting_;  // what is still to come, the next one last
  std::vector<Piece> pieces_;   // of the expression being expanded, the first one first
};

}  // namespace

std::string to_text(const Expr& e, std::size_t limit) {
  return TextWriter(e, limit).write();
}

}  // namespace dalembert::expr
