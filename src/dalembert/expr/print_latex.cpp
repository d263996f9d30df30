#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "dalembert/expr/functions.hpp"
#include "dalembert/expr/parse.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/expr/print_parts.hpp"
#include "dalembert/expr/table.hpp"

namespace dalembert::expr {

namespace {

struct LatexLetter {
  std::string_view name;  ///< as typed in ASCII
  std::string_view letter;
  std::string_view latex;
};

constexpr std::array latex_letters = {
    LatexLetter{"alpha", "α", "\\alpha"},     LatexLetter{"beta", "β", "\\beta"},
    LatexLetter{"gamma", "γ", "\\gamma"},     LatexLetter{"delta", "δ", "\\delta"},
    LatexLetter{"epsilon", "ϵ", "\\epsilon"}, LatexLetter{"varepsilon", "ε", "\\varepsilon"},
    LatexLetter{"zeta", "ζ", "\\zeta"},       LatexLetter{"eta", "η", "\\eta"},
    LatexLetter{"theta", "θ", "\\theta"},     LatexLetter{"vartheta", "ϑ", "\\vartheta"},
    LatexLetter{"iota", "ι", "\\iota"},       LatexLetter{"kappa", "κ", "\\kappa"},
    LatexLetter{"lambda", "λ", "\\lambda"},   LatexLetter{"mu", "μ", "\\mu"},
    LatexLetter{"micro", "µ", "\\mu"},        LatexLetter{"nu", "ν", "\\nu"},
    LatexLetter{"xi", "ξ", "\\xi"},           LatexLetter{"omicron", "ο", "o"},
    LatexLetter{"pi", "π", "\\pi"},           LatexLetter{"varpi", "ϖ", "\\varpi"},
    LatexLetter{"rho", "ρ", "\\rho"},         LatexLetter{"varrho", "ϱ", "\\varrho"},
    LatexLetter{"sigma", "σ", "\\sigma"},     LatexLetter{"varsigma", "ς", "\\varsigma"},
    LatexLetter{"tau", "τ", "\\tau"},         LatexLetter{"upsilon", "υ", "\\upsilon"},
    LatexLetter{"phi", "φ", "\\phi"},         LatexLetter{"varphi", "ϕ", "\\varphi"},
    LatexLetter{"chi", "χ", "\\chi"},         LatexLetter{"psi", "ψ", "\\psi"},
    LatexLetter{"omega", "ω", "\\omega"},     LatexLetter{"Alpha", "Α", "\\mathrm{A}"},
    LatexLetter{"Beta", "Β", "\\mathrm{B}"},  LatexLetter{"Gamma", "Γ", "\\Gamma"},
    LatexLetter{"Delta", "Δ", "\\Delta"},     LatexLetter{"Epsilon", "Ε", "\\mathrm{E}"},
    LatexLetter{"Zeta", "Ζ", "\\mathrm{Z}"},  LatexLetter{"Eta", "Η", "\\mathrm{H}"},
    LatexLetter{"Theta", "Θ", "\\Theta"},     LatexLetter{"Iota", "Ι", "\\mathrm{I}"},
    LatexLetter{"Kappa", "Κ", "\\mathrm{K}"}, LatexLetter{"Lambda", "Λ", "\\Lambda"},
    LatexLetter{"Mu", "Μ", "\\mathrm{M}"},    LatexLetter{"Nu", "Ν", "\\mathrm{N}"},
    LatexLetter{"Xi", "Ξ", "\\Xi"},           LatexLetter{"Omicron", "Ο", "\\mathrm{O}"},
    LatexLetter{"Pi", "Π", "\\Pi"},           LatexLetter{"Rho", "Ρ", "\\mathrm{P}"},
    LatexLetter{"Sigma", "Σ", "\\Sigma"},     LatexLetter{"Tau", "Τ", "\\mathrm{T}"},
    LatexLetter{"Upsilon", "Υ", "\\Upsilon"}, LatexLetter{"Phi", "Φ", "\\Phi"},
    LatexLetter{"Chi", "Χ", "\\mathrm{X}"},   LatexLetter{"Psi", "Ψ", "\\Psi"},
    LatexLetter{"Omega", "Ω", "\\Omega"},     LatexLetter{"ell", "ℓ", "\\ell"},
    LatexLetter{"hbar", "ℏ", "\\hbar"},
};

constexpr std::array<std::string_view, 10> subscript_digits = {"₀", "₁", "₂", "₃", "₄",
                                                               "₅", "₆", "₇", "₈", "₉"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Any text as text: nothing in it is a command.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\textbackslash{}";
    } else if (c == '~') {
      result += "\\textasciitilde{}";
    } else if (c == '^') {
      result += "\\textasciicircum{}";
    } else if (std::string_view("#$%&_{}").find(c) != std::string_view::npos) {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) {
      result += c;
    }
  }
  return result;
}

char32_t code_point(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(text[i]));
  };
  switch (utf8_length(text)) {
    case 2:
      return (byte(0) & 0x1f) << 6 | (byte(1) & 0x3f);
    case 3:
      return (byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
    case 4:
      return (byte(0) & 0x07) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 |
             (byte(3) & 0x3f);
    default:
      return text.empty() ? 0 : byte(0);
  }
}

/// Accents and other marks that Unicode puts on the letter before them.
bool is_combining(char32_t c) {
  return (c >= 0x300 && c <= 0x36f) || (c >= 0x1ab0 && c <= 0x1aff) ||
         (c >= 0x1dc0 && c <= 0x1dff) || (c >= 0x20d0 && c <= 0x20ff) ||
         (c >= 0xfe20 && c <= 0xfe2f);
}

/// Bold, italic, script and other mathematical letters of Unicode as the letters they are.
std::string plain_letter(std::string_view letter) {
  static constexpr std::array<std::string_view, 58> greek = {
      "Α", "Β", "Γ", "Δ", "Ε", "Ζ", "Η", "Θ", "Ι", "Κ", "Λ", "Μ", "Ν", "Ξ", "Ο",
      "Π", "Ρ", "Θ", "Σ", "Τ", "Υ", "Φ", "Χ", "Ψ", "Ω", "∇", "α", "β", "γ", "δ",
      "ε", "ζ", "η", "θ", "ι", "κ", "λ", "μ", "ν", "ξ", "ο", "π", "ρ", "ς", "σ",
      "τ", "υ", "φ", "χ", "ψ", "ω", "∂", "ϵ", "ϑ", "κ", "ϕ", "ϱ", "ϖ"};
  const char32_t c = code_point(letter);
  if (c >= 0x1d400 && c < 0x1d6a4) {
    const auto k = static_cast<char>((c - 0x1d400) % 52);
    return std::string(1, static_cast<char>(k < 26 ? 'A' + k : 'a' + k - 26));
  }
  if (c >= 0x1d6a8 && c < 0x1d7ca) return std::string(greek[(c - 0x1d6a8) % 58]);
  return std::string(letter);
}

/// One part of a name, between underscores: a letter, a Greek letter, a number, or a word.
std::string latex_part(std::string_view part) {
  for (const LatexLetter& known : latex_letters) {
    if (part == known.name || part == known.letter) return std::string(known.latex);
  }
  if (part.size() == 1 || std::all_of(part.begin(), part.end(), is_digit)) return std::string(part);
  if (std::all_of(part.begin(), part.end(), [](char c) { return is_digit(c) || is_letter(c); })) {
    return fmt::format("\\mathrm{{{}}}", part);
  }
  std::string result;  // letters of several alphabets, one by one
  while (!part.empty()) {
    std::string_view letter = part.substr(0, std::max<std::size_t>(1, utf8_length(part)));
    part.remove_prefix(letter.size());
    bool marked = false;  // any accents behind a letter become one mark, so that names stay apart
    while (!part.empty() && is_combining(code_point(part))) {
      part.remove_prefix(utf8_length(part));
      marked = true;
    }
    if (!result.empty()) result += ' ';
    if (is_combining(code_point(letter))) continue;
    const std::string plain = plain_letter(letter);
    const auto known = std::find_if(latex_letters.begin(), latex_letters.end(),
                                    [&plain](const LatexLetter& l) { return l.letter == plain; });
    const std::string written = known != latex_letters.end() ? std::string(known->latex)
                                : plain.size() == 1          ? plain
                                                             : fmt::format("\\text{{{}}}", plain);
    result += marked ? fmt::format("\\check{{{}}}", written) : written;
  }
  return fmt::format("{{{}}}", result.empty() ? "\\Box" : result);
}

struct LatexName {
  std::string letter;
  std::string subscript;
};

LatexName latex_name_as_written(std::string_view name) {
  // φ₁ is φ_1.
  std::string plain;
  bool small = false;
  for (std::string_view rest = name; !rest.empty();) {
    const std::string_view c = rest.substr(0, utf8_length(rest));
    rest.remove_prefix(c.size());
    const auto digit = std::find(subscript_digits.begin(), subscript_digits.end(), c);
    const bool is_subscript = digit != subscript_digits.end();
    if (is_subscript && !small && !plain.empty()) plain += '_';
    small = is_subscript;
    plain += is_subscript
                 ? std::string(1, static_cast<char>('0' + (digit - subscript_digits.begin())))
                 : std::string(c);
  }
  std::vector<std::string_view> parts;
  for (std::string_view rest = plain;;) {
    const std::size_t end = rest.find('_');
    parts.push_back(rest.substr(0, end));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  if (std::any_of(parts.begin(), parts.end(), [](std::string_view part) { return part.empty(); })) {
    return {fmt::format("\\mathrm{{{}}}", escaped(plain)), {}};
  }
  std::string_view head = parts.front();
  std::size_t digits = 0;
  while (digits < head.size() && is_digit(head[head.size() - 1 - digits])) ++digits;
  std::string subscript;
  const auto add_subscript = [&subscript](std::string_view part) {
    if (!subscript.empty()) subscript += ",";
    subscript += latex_part(part);
  };
  if (digits > 0 && digits < head.size()) {
    add_subscript(head.substr(head.size() - digits));
    head.remove_suffix(digits);
  }
  for (std::size_t i = 1; i < parts.size(); ++i) add_subscript(parts[i]);
  return {latex_part(head), subscript};
}

LatexName latex_name(std::string_view name) {
  if (!is_name(name)) return {fmt::format("\\text{{{}}}", escaped(name)), {}};
  // δx is a variation of x, whatever letters x has; δ alone and δ1 are names like others.
  constexpr std::string_view variation = "δ";
  std::size_t variations = 0;
  std::string_view varied = name;
  for (; varied.starts_with(variation); ++variations) varied.remove_prefix(variation.size());
  if (variations > 0 && !is_name(varied)) {
    --variations;
    varied = name.substr(variations * variation.size());
  }
  LatexName result = latex_name_as_written(varied);
  std::string deltas;
  for (std::size_t i = 0; i < variations; ++i) deltas += "\\delta ";
  result.letter.insert(0, deltas);
  return result;
}

std::string join(const LatexName& name) {
  return name.subscript.empty() ? name.letter
                                : fmt::format("{}_{{{}}}", name.letter, name.subscript);
}

std::string latex_symbol(const Symbol& s) {
  if (s.kind == SymbolKind::ideal_force)
    return fmt::format("Q^{{\\mathrm{{i}}}}_{{{}}}", join(latex_name(s.name)));
  if (s.kind == SymbolKind::nonideal_force)
    return fmt::format("Q^{{\\mathrm{{ni}}}}_{{{}}}", join(latex_name(s.name)));
  if (s.kind == SymbolKind::multiplier)
    return fmt::format("\\lambda_{{{}}}", join(latex_name(s.name)));
  LatexName name = latex_name(s.name);
  if (s.order > 4) {
    name.letter = fmt::format("\\overset{{({})}}{{{}}}", s.order, name.letter);
  } else if (s.order > 0) {
    name.letter = fmt::format("\\{:d<{}}ot{{{}}}", "", s.order, name.letter);
  }
  return join(name);
}

bool is_force(const Expr& e) {
  return e.is(Op::symbol) && (e.symbol().kind == SymbolKind::ideal_force ||
                              e.symbol().kind == SymbolKind::nonideal_force);
}

std::string latex_number(const NumberText& n) {
  if (n.exponent == 0) return n.numerator;
  return fmt::format("{}10^{{{}}}", n.numerator == "1" ? "" : n.numerator + " \\cdot ", n.exponent);
}

/// sin²φ, the exponent at the function's name.
bool takes_exponent(Op op) {
  return is_function(op) && function_info(op).latex.takes_exponent;
}

/// Digits, perhaps with a decimal point.
bool is_plain_number(const Expr& e) {
  if (!e.is(Op::constant) || sgn(e.value()) < 0) return false;
  const NumberText n = write_number(e.value());
  return n.denominator.empty() && n.exponent == 0;
}

bool is_positive_integer(const Expr& e) {
  return e.is(Op::constant) && sgn(e.value()) > 0 && e.value().get_den() == 1;
}

/// What needs no parentheses behind the name of a function.
bool is_atom(const Expr& e) {
  return e.is(Op::symbol) || e.is(Op::pi) || is_plain_number(e);
}

/// A number that would run into the one before it.
bool starts_with_digit(const Expr& e) {
  return e.is(Op::constant) || (e.is(Op::power) && e.args()[0].is(Op::constant));
}

/// A word in upright letters, which needs a space from its neighbours.
bool is_word(const Expr& e) {
  const Expr& base = e.is(Op::power) ? e.args()[0] : e;
  return base.is(Op::symbol) && latex_symbol(base.symbol()).find("\\mathrm{") != std::string::npos;
}

/// Between signs of its own, to which an exponent can be put.
bool is_enclosed(const Expr& e) {
  return is_function(e.op()) && !e.is(Op::exp) && !e.is(Op::choose) &&
         !function_info(e.op()).latex.behind.empty();
}

enum class Place { expression, term, factor, base };

bool needs_parentheses(const Expr& e, Place place) {
  if (e.is(Op::sum)) return place >= Place::term;
  if (e.is(Op::choose)) return place >= Place::factor;
  if (is_negative(e) || e.is(Op::product)) return place >= Place::factor;
  if (place < Place::base) return false;
  if (e.is(Op::constant)) return !is_plain_number(e);
  return !(is_enclosed(e) || e.is(Op::pi) || (e.is(Op::symbol) && !is_force(e)));
}

class LatexWriter {
 public:
  LatexWriter(const Expr& root, std::size_t limit)
      : order_(root, FunctionPlace::last), limit_(limit) {
    waiting_.push_back({{}, root, Place::expression});
  }

  std::string write() {
    bool full = false;
    while (!waiting_.empty()) {
      const Piece next = std::move(waiting_.back());
      waiting_.pop_back();
      if (full) {
        if (next.structural) out_ += next.text;
      } else if (next.e && out_.size() > limit_) {
        out_ += "\\ldots ";
        full = true;
      } else if (next.e) {
        expand(*next.e, next.place);
        waiting_.insert(waiting_.end(), std::make_move_iterator(pieces_.rbegin()),
                        std::make_move_iterator(pieces_.rend()));
        pieces_.clear();
      } else {
        out_ += next.text;
      }
    }
    return std::move(out_);
  }

 private:
  /// Either finished text or an expression still to be written. Structural text opens and closes
  /// groups; it is kept when the rest is cut.
  struct Piece {
    std::string text;
    std::optional<Expr> e;
    Place place = Place::expression;
    bool structural = false;
  };

  void add(std::string text) { pieces_.push_back({std::move(text), {}, {}, false}); }
  void add_group(std::string text) { pieces_.push_back({std::move(text), {}, {}, true}); }
  void add(const Expr& e, Place place) { pieces_.push_back({{}, e, place, false}); }

  void expand(const Expr& e, Place place) {
    const bool parentheses = needs_parentheses(e, place);
    if (parentheses) add_group("\\left(");
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
        } else {
          add_power(e.args()[0], e.args()[1]);
        }
        break;
      case NodeKind::symbol:
        add(latex_symbol(e.symbol()));
        break;
      case NodeKind::pi:
        add("\\pi");
        break;
      case NodeKind::table:
        add_table(e);
        break;
      case NodeKind::function:
        add_function(e, {});
        break;
    }
    if (parentheses) add_group("\\right)");
  }

  void add_sum(const Expr& e) {
    bool first = true;
    for (const Expr& term : order_.terms(e)) {
      const bool negative = is_negative(term);
      add(first ? (negative ? "-" : "") : (negative ? " - " : " + "));
      if (negative) {
        add_fraction(order_.fraction(term));
      } else {
        add(term, Place::term);
      }
      first = false;
    }
  }

  void add_power(const Expr& base, const Expr& exponent) {
    if (takes_exponent(base.op()) && is_positive_integer(exponent)) {
      add_function(base, fmt::format("^{{{}}}", exponent.value().get_str()));
      return;
    }
    add(base, Place::base);
    add_group("^{");
    if (exponent.is(Op::constant)) {
      const NumberText n = write_number(abs(exponent.value()));
      const std::string_view sign = sgn(exponent.value()) < 0 ? "-" : "";
      const std::string_view line = n.denominator.empty() ? "" : "/";
      add(fmt::format("{}{}{}{}", sign, latex_number(n), line, n.denominator));
    } else {
      add(exponent, Place::expression);
    }
    add_group("}");
  }

  void add_signed_fraction(const Expr& e) {
    if (is_negative(e)) add("-");
    add_fraction(order_.fraction(e));
  }

  void add_choice(const Expr& e) {
    const Comparison c = comparison(e);
    const LatexForm& form = function_info(e.op()).latex;
    add_group(std::string(form.before) + " ");
    add(c.then, Place::expression);
    add_group(" & ");
    add(c.left, Place::expression);
    add(c.sign == ">=" ? " \\ge " : c.sign == "<=" ? " \\le " : fmt::format(" {} ", c.sign));
    add(c.right, Place::expression);
    add_group(" \\\\ ");
    add(c.otherwise, Place::expression);
    add_group(" & \\text{otherwise} " + std::string(form.behind));
  }

  /// F'(s), the primes at the name.
  void add_table(const Expr& e) {
    std::string name = latex_symbol({SymbolKind::parameter, 0, e.table()->name()});
    if (e.table()->order() > 0) {
      name = fmt::format("{{{}}}", name);
      name.append(static_cast<std::size_t>(e.table()->order()), '\'');
    }
    add(name);
    add_group("\\left(");
    add(e.args()[0], Place::expression);
    add_group("\\right)");
  }

  void add_function(const Expr& e, const std::string& exponent) {
    if (e.is(Op::choose)) return add_choice(e);
    const Expr& x = e.args()[0];
    const FunctionInfo& f = function_info(e.op());
    if (!f.latex.behind.empty()) {
      add_group(std::string(f.latex.before));
      add(x, Place::expression);
      add_group(std::string(f.latex.behind));
      return;
    }
    add(std::string(f.latex.before) + exponent);
    if (e.args().size() == 1 && is_atom(x)) {
      add(" ");
      add(x, Place::expression);
      return;
    }
    const std::vector<Expr> args =
        f.is_symmetric ? order_.arguments(e) : std::vector<Expr>(e.args().begin(), e.args().end());
    add_group("\\left(");
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (i > 0) add(", ");
      add(args[i], Place::expression);
    }
    add_group("\\right)");
  }

  /// The fraction without its sign. A numerical fraction stands in front, as in ½ m v²; with
  /// letters below, everything is one fraction.
  void add_fraction(const Fraction& f) {
    const NumberText number = write_number(abs(f.coefficient));
    if (!f.denominator.empty()) {
      add_group("\\frac{");
      add_line(latex_number(number), f.numerator);
      add_group("}{");
      add_line(number.denominator, merged(f.denominator));
      add_group("}");
      return;
    }
    const bool bare =
        !f.numerator.empty() && latex_number(number) == "1" && number.denominator.empty();
    if (!number.denominator.empty()) {
      add(fmt::format("\\frac{{{}}}{{{}}}", number.numerator, number.denominator));
    } else if (!bare) {
      add(latex_number(number));
    }
    add_juxtaposed(f.numerator, !bare);
  }

  /// The factors with products among them taken apart: 1/(2 (y z)) reads 1/(2 y z).
  std::vector<Expr> merged(const std::vector<Expr>& factors) const {
    std::vector<Expr> result;
    for (const Expr& factor : factors) {
      if (factor.is(Op::product)) {
        const Fraction inner = order_.fraction(factor);
        if (inner.coefficient == 1 && inner.denominator.empty()) {
          result.insert(result.end(), inner.numerator.begin(), inner.numerator.end());
          continue;
        }
      }
      result.push_back(factor);
    }
    return result;
  }

  /// What stands above or below the line of a fraction, where a lone factor needs no parentheses.
  void add_line(const std::string& number, const std::vector<Expr>& factors) {
    const bool bare = number.empty() || number == "1";
    if (factors.empty()) {
      add(bare ? "1" : number);
    } else if (bare && factors.size() == 1) {
      add(factors.front(), Place::expression);
    } else {
      if (!bare) add(number);
      add_juxtaposed(factors, !bare);
    }
  }

  void add_juxtaposed(const std::vector<Expr>& factors, bool behind_number) {
    for (std::size_t i = 0; i < factors.size(); ++i) {
      const bool behind = i > 0 || behind_number;
      if (behind) add(" ");
      if (behind && starts_with_digit(factors[i])) {
        add("\\cdot ");
      } else if (behind && (is_word(factors[i]) || (i > 0 && is_word(factors[i - 1])))) {
        add("\\, ");
      }
      add(factors[i], Place::factor);
    }
  }

  ReadingOrder order_;
  std::size_t limit_;
  std::string out_;
  std::vector<Piece> waiting_;  // what is still to come, the next one last
  std::vector<Piece> pieces_;   // of the expression being expanded, the first one first
};

}  // namespace

std::string to_latex(const Expr& e, std::size_t limit) {
  return LatexWriter(e, limit).write();
}

}  // namespace dalembert::expr
