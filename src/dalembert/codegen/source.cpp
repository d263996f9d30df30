#include "dalembert/codegen/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "dalembert/codegen/chunks.hpp"

namespace dalembert::codegen {

namespace {

/// The operation in a language; {0}, {1}, {2} are a, b and c, {P} the prefix. Empty: there is none.
std::string_view pattern_in_c(Operation operation) {
  switch (operation) {
    case Operation::add:
      return "{0} + {1}";
    case Operation::subtract:
      return "{0} - {1}";
    case Operation::multiply:
      return "{0} * {1}";
    case Operation::divide:
      return "{0} / {1}";
    case Operation::negate:
      return "-{0}";
    case Operation::sqrt:
      return "sqrt({0})";
    case Operation::abs:
      return "fabs({0})";
    case Operation::sign:
      return "{0} > 0 ? 1.0 : ({0} < 0 ? -1.0 : {0})";
    case Operation::min:
      return "{0} < {1} || isnan({0}) ? {0} : {1}";
    case Operation::max:
      return "{0} > {1} || isnan({0}) ? {0} : {1}";
    case Operation::floor:
      return "floor({0})";
    case Operation::multiply_add:
      return "{P}_fma({0}, {1}, {2})";
    case Operation::multiply_subtract:
      return "{P}_fma({0}, {1}, -{2})";
    case Operation::subtract_product:
      return "{P}_fma(-{0}, {1}, {2})";
    case Operation::choose:
      return "{2} >= 0 ? {0} : ({2} < 0 ? {1} : {2})";
    case Operation::power:
      return "pow({0}, {1})";
    case Operation::sin:
      return "{P}_sin({0})";
    case Operation::cos:
      return "{P}_cos({0})";
    case Operation::atan2:
      return "atan2({0}, {1})";
    case Operation::hypot:
      return "hypot({0}, {1})";
#define DALEMBERT_UNARY(name) \
  case Operation::name:       \
    return #name "({0})";
      DALEMBERT_UNARY(tan)
      DALEMBERT_UNARY(asin)
      DALEMBERT_UNARY(acos)
      DALEMBERT_UNARY(atan)
      DALEMBERT_UNARY(sinh)
      DALEMBERT_UNARY(cosh)
      DALEMBERT_UNARY(tanh)
      DALEMBERT_UNARY(exp)
      DALEMBERT_UNARY(log)
      DALEMBERT_UNARY(log10)
      DALEMBERT_UNARY(asinh)
      DALEMBERT_UNARY(acosh)
      DALEMBERT_UNARY(atanh)
      DALEMBERT_UNARY(erf)
#undef DALEMBERT_UNARY
    case Operation::table:
      return "";
  }
  return "";
}

std::string_view pattern_in_python(Operation operation) {
  switch (operation) {
    case Operation::sqrt:
      return "np.sqrt({0})";
    case Operation::abs:
      return "np.abs({0})";
    case Operation::sign:
      return "np.sign({0})";
    case Operation::min:
      return "np.minimum({0}, {1})";
    case Operation::max:
      return "np.maximum({0}, {1})";
    case Operation::floor:
      return "np.floor({0})";
    case Operation::multiply_add:
      return "{0} * {1} + {2}";
    case Operation::multiply_subtract:
      return "{0} * {1} - {2}";
    case Operation::subtract_product:
      return "{2} - {0} * {1}";
    case Operation::choose:
      return "np.where({2} >= 0, {0}, np.where({2} < 0, {1}, {2}))";
    case Operation::power:
      return "np.power({0}, {1})";
    case Operation::atan2:
      return "np.arctan2({0}, {1})";
    case Operation::asin:
      return "np.arcsin({0})";
    case Operation::acos:
      return "np.arccos({0})";
    case Operation::atan:
      return "np.arctan({0})";
    case Operation::asinh:
      return "np.arcsinh({0})";
    case Operation::acosh:
      return "np.arccosh({0})";
    case Operation::atanh:
      return "np.arctanh({0})";
    case Operation::erf:
      return "_erf({0})";
#define DALEMBERT_SAME(name) \
  case Operation::name:      \
    return "np." #name "({0})";
      DALEMBERT_SAME(sin)
      DALEMBERT_SAME(cos)
      DALEMBERT_SAME(tan)
      DALEMBERT_SAME(sinh)
      DALEMBERT_SAME(cosh)
      DALEMBERT_SAME(tanh)
      DALEMBERT_SAME(exp)
      DALEMBERT_SAME(log)
      DALEMBERT_SAME(log10)
#undef DALEMBERT_SAME
    case Operation::hypot:
      return "np.hypot({0}, {1})";
    case Operation::table:
      return "";
    case Operation::add:
    case Operation::subtract:
    case Operation::multiply:
    case Operation::divide:
    case Operation::negate:
      return pattern_in_c(operation);
  }
  return "";
}

std::string_view pattern_in_javascript(Operation operation) {
  switch (operation) {
    case Operation::sqrt:
      return "Math.sqrt({0})";
    case Operation::abs:
      return "Math.abs({0})";
    case Operation::min:
      return "{0} < {1} || {0} !== {0} ? {0} : {1}";
    case Operation::max:
      return "{0} > {1} || {0} !== {0} ? {0} : {1}";
    case Operation::floor:
      return "Math.floor({0})";
    case Operation::multiply_add:
    case Operation::multiply_subtract:
    case Operation::subtract_product:
      return pattern_in_python(operation);
    case Operation::power:
      return "Math.pow({0}, {1})";
    case Operation::atan2:
      return "Math.atan2({0}, {1})";
    case Operation::hypot:
      return "Math.hypot({0}, {1})";
    case Operation::erf:
    case Operation::table:
      return "";
#define DALEMBERT_SAME(name) \
  case Operation::name:      \
    return "Math." #name "({0})";
      DALEMBERT_SAME(sin)
      DALEMBERT_SAME(cos)
      DALEMBERT_SAME(tan)
      DALEMBERT_SAME(asin)
      DALEMBERT_SAME(acos)
      DALEMBERT_SAME(atan)
      DALEMBERT_SAME(sinh)
      DALEMBERT_SAME(cosh)
      DALEMBERT_SAME(tanh)
      DALEMBERT_SAME(exp)
      DALEMBERT_SAME(log)
      DALEMBERT_SAME(log10)
      DALEMBERT_SAME(asinh)
      DALEMBERT_SAME(acosh)
      DALEMBERT_SAME(atanh)
#undef DALEMBERT_SAME
    case Operation::sign:
    case Operation::choose:
    case Operation::add:
    case Operation::subtract:
    case Operation::multiply:
    case Operation::divide:
    case Operation::negate:
      return pattern_in_c(operation);
  }
  return "";
}

std::string_view pattern(Language language, Operation operation) {
  switch (language) {
    case Language::c:
      return pattern_in_c(operation);
    case Language::python:
      return pattern_in_python(operation);
    case Language::javascript:
      return pattern_in_javascript(operation);
  }
  return "";
}

std::string filled(std::string_view pattern, std::string_view prefix, std::string_view a,
                   std::string_view b, std::string_view c) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '{') {
      text += pattern[i];
      continue;
    }
    const char which = pattern[i + 1];
    text += which == '0' ? a : which == '1' ? b : which == '2' ? c : prefix;
    i += 2;
  }
  return text;
}

class Writer {
 public:
  Writer(const Tape& tape, Language language, const SourceNames& names)
      : tape_(tape),
        language_(language),
        names_(names),
        cut_(cut(tape)),
        first_(tape.first_result()),
        kept_(tape.prologue, none),
        parted_(tape.registers(), none) {
    for (const Chunk& chunk : cut_.chunks) loops_ += chunk.prologue ? 0 : 1;
    for (std::uint32_t i = 0; i < tape.prologue; ++i) {
      if (cut_.place[first_ + i] != Chunks::nowhere) kept_[i] = known_++;
    }
    if (language == Language::c && loops_ > 1) {
      std::vector<std::uint32_t> dense(tape.registers(), none);
      for (std::size_t i = tape.prologue; i < tape.code.size(); ++i) {
        const std::uint32_t place = cut_.place[first_ + i];
        if (place == Chunks::nowhere) continue;
        if (dense[place] == none) dense[place] = buffer_++;
        parted_[first_ + i] = dense[place];
      }
    }
  }

  std::optional<SourceFunction> write() {
    for (const Instruction& one : tape_.code)
      if (one.operation != Operation::table && pattern(language_, one.operation).empty())
        return std::nullopt;
    switch (language_) {
      case Language::c:
        write_c();
        break;
      case Language::python:
        write_script("def {}({}):\n", "", "", "    ");
        break;
      case Language::javascript:
        write_script("function {}({}) {{\n", "const ", ";", "  ");
        break;
    }
    return SourceFunction{std::move(text_), known_};
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  std::string operand(std::uint32_t r) const {
    const auto constants = static_cast<std::uint32_t>(tape_.constants.size());
    if (r < constants) return source_number(tape_.constants[r], language_);
    if (r < tape_.first_input()) return fmt::format("p[{}]", r - constants);
    if (r < first_) {
      const std::uint32_t i = r - tape_.first_input();
      const auto own = tape_.inputs - static_cast<std::uint32_t>(names_.apart.value_or(0));
      if (i >= own) return fmt::format("u[{}]", i - own);
      if (!names_.parted) return fmt::format("x[{}]", i);
      return i == 0 ? "t" : fmt::format("x[{}]", i - 1);
    }
    const std::uint32_t i = r - first_;
    if (i < tape_.prologue && !in_prologue_) return fmt::format("k[{}]", kept_[i]);
    if (i < tape_.prologue && kept_[i] != none && language_ == Language::c)
      return fmt::format("k[{}]", kept_[i]);
    if (parted_[r] != none) return fmt::format("b[{}]", parted_[r]);
    return fmt::format("r{}", i);
  }

  std::string value(const Instruction& one) const {
    if (one.operation == Operation::table)
      return look_up(table_of_handle(tape_.constants[one.b]), operand(one.a));
    const int count = operands(one.operation);
    return filled(pattern(language_, one.operation), names_.prefix, operand(one.a),
                  operand(count > 1 ? one.b : one.a), operand(count > 2 ? one.c : one.a));
  }

  std::string look_up(const expr::Table& table, const std::string& at) const {
    const auto found =
        std::ranges::find_if(names_.tables, [&](const auto* one) { return *one == table; });
    const auto number = found - names_.tables.begin();
    switch (language_) {
      case Language::c:
        return fmt::format("{0}_look_up(&{0}_table_{1}, {2})", names_.prefix, number, at);
      case Language::python:
        return fmt::format("_look_up(_table_{}, {})", number, at);
      case Language::javascript:
        break;
    }
    return fmt::format("look_up(table_{}, {})", number, at);
  }

  void declare(std::uint32_t i) {
    const std::string place = operand(first_ + i);
    text_ += place.front() == 'r' ? fmt::format("  const double {} = ", place)
                                  : fmt::format("  {} = ", place);
  }

  void write_chunk(const Chunk& chunk) {
    for (std::uint32_t at = chunk.begin; at < chunk.end; ++at) {
      const std::uint32_t i = cut_.order[at];
      const Instruction& one = tape_.code[i];
      const bool pair = one.operation == Operation::sin && at + 1 < chunk.end &&
                        tape_.code[cut_.order[at + 1]].operation == Operation::cos &&
                        tape_.code[cut_.order[at + 1]].a == one.a;
      if (pair) {
        const std::uint32_t other = cut_.order[++at];
        text_ += fmt::format("  double s{0}, c{0};\n  {1}_sincos({2}, &s{0}, &c{0});\n", i,
                             names_.prefix, operand(one.a));
        declare(i);
        text_ += fmt::format("s{};\n", i);
        declare(other);
        text_ += fmt::format("c{};\n", i);
        continue;
      }
      declare(i);
      text_ += value(one) + ";\n";
    }
  }

  void write_c() {
    in_prologue_ = true;
    text_ +=
        fmt::format("static void {}_known(const double *p, double *k) {{\n  (void)p;\n  (void)k;\n",
                    names_.function);
    // Pieces of a long prologue exchange values by k, which has all that more than one of them
    // needs.
    for (const Chunk& chunk : cut_.chunks) {
      if (!chunk.prologue) continue;
      text_ += "  {\n";
      write_chunk(chunk);
      text_ += "  }\n";
    }
    text_ += "}\n\n";
    in_prologue_ = false;
    const bool parted = names_.parted.has_value();
    const bool apart = names_.apart.has_value();
    const std::string unused = std::string("  (void)p;\n  (void)k;\n  (void)x;\n") +
                               (parted ? "  (void)t;\n" : "") + (apart ? "  (void)u;\n" : "");
    const std::string inputs = std::string("const double *p, const double *k, ") +
                               (parted ? "double t, " : "") + "const double *x" +
                               (apart ? ", const double *u" : "");
    const std::string outputs = parted ? "double *y, double *d" : "double *y";
    if (buffer_ == 0) {
      text_ +=
          fmt::format("static void {}({}, {}) {{\n{}", names_.function, inputs, outputs, unused);
      for (const Chunk& chunk : cut_.chunks)
        if (!chunk.prologue) write_chunk(chunk);
      write_outputs();
      return;
    }
    std::size_t piece = 0;
    for (const Chunk& chunk : cut_.chunks) {
      if (chunk.prologue) continue;
      text_ += fmt::format("static void {}_{}({}, double *b) {{\n{}", names_.function, ++piece,
                           inputs, unused);
      write_chunk(chunk);
      text_ += "}\n\n";
    }
    text_ += fmt::format("static void {}({}, {}) {{\n  double b[{}];\n", names_.function, inputs,
                         outputs, buffer_);
    for (std::size_t i = 1; i <= piece; ++i)
      text_ += fmt::format("  {}_{}(p, k, {}x, {}b);\n", names_.function, i, parted ? "t, " : "",
                           apart ? "u, " : "");
    write_outputs();
  }

  void write_outputs() {
    if (tape_.outputs.empty()) text_ += "  (void)y;\n";
    const std::size_t count = names_.parted.value_or(tape_.outputs.size());
    for (std::size_t o = 0; o < tape_.outputs.size(); ++o) {
      text_ += fmt::format("  {}[{}] = {};\n", o < count ? "y" : "d", o < count ? o : o - count,
                           operand(tape_.outputs[o]));
    }
    text_ += "}\n\n";
  }

  void write_script(std::string_view head, std::string_view assign, std::string_view end,
                    std::string_view indent) {
    const std::string_view close = language_ == Language::python ? "\n\n" : "}\n\n";
    const auto line = [&](std::uint32_t i) {
      text_ += fmt::format("{}{}r{} = {}{}\n", indent, assign, i, value(tape_.code[i]), end);
    };
    const auto list = [&](const std::vector<std::string>& values) {
      text_ += fmt::format("{}return [{}]{}\n{}", indent, fmt::join(values, ", "), end, close);
    };
    in_prologue_ = true;
    text_ += fmt::format(fmt::runtime(head), names_.function + "_known", "p");
    std::vector<std::string> values;
    for (std::uint32_t i = 0; i < tape_.prologue; ++i) {
      line(i);
      if (kept_[i] != none) values.push_back(fmt::format("r{}", i));
    }
    list(values);
    in_prologue_ = false;
    text_ += fmt::format(fmt::runtime(head), names_.function, "p, k, x");
    values.clear();
    for (auto i = tape_.prologue; i < tape_.code.size(); ++i) line(i);
    for (const std::uint32_t output : tape_.outputs) values.push_back(operand(output));
    list(values);
  }

  const Tape& tape_;
  Language language_;
  const SourceNames& names_;
  Chunks cut_;
  std::uint32_t first_;
  std::vector<std::uint32_t> kept_;    ///< of the prologue: where in k
  std::vector<std::uint32_t> parted_;  ///< of all registers: where in the buffer between functions
  std::uint32_t known_ = 0, buffer_ = 0, loops_ = 0;
  bool in_prologue_ = false;
  std::string text_;
};

}  // namespace

std::string source_number(double x, Language language) {
  if (std::isnan(x))
    return language == Language::c ? "NAN" : language == Language::python ? "np.nan" : "NaN";
  if (std::isinf(x)) {
    const std::string_view infinity = language == Language::c        ? "INFINITY"
                                      : language == Language::python ? "np.inf"
                                                                     : "Infinity";
    return x > 0 ? std::string(infinity) : fmt::format("(-{})", infinity);
  }
  std::string text = fmt::format("{}", x);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return std::signbit(x) ? "(" + text + ")" : text;
}

std::optional<SourceFunction> source_of(const Tape& tape, Language language,
                                        const SourceNames& names) {
  return Writer(tape, language, names).write();
}

std::vector<std::string> library_functions(const Tape& tape) {
  std::set<std::string> functions;
  for (const Instruction& one : tape.code) {
    if (!is_elementary(one.operation) || one.operation == Operation::sin ||
        one.operation == Operation::cos)
      continue;
    const std::string_view text = pattern_in_c(one.operation);
    functions.emplace(text.substr(0, text.find('(')));
  }
  return {functions.begin(), functions.end()};
}

}  // namespace dalembert::codegen
