#include "dalembert/expr/indices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dalembert/expr/tokens.hpp"

namespace dalembert::expr {

namespace {

constexpr long largest_index = 1'000'000'000;
constexpr int deepest_index = 32;  // parentheses and signs within an index, sums within a sum

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Where the name that begins at a place ends; there, if none begins.
std::size_t name_end(std::string_view text, std::size_t at) {
  if (at >= text.size() || is_digit(text[at])) return at;
  std::size_t end = at;
  while (end < text.size()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text.substr(end)));
    if (!is_digit(text[end]) && !is_name(text.substr(end, length))) break;
    end += length;
  }
  return end;
}

/// Reads indices and ranges from a place in a text on.
class IndexReader {
 public:
  IndexReader(std::string_view text, std::size_t at, const Indices& known)
      : text_(text), at_(at), known_(known) {}

  std::size_t at() const { return at_; }

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  bool take(std::string_view sign) {
    skip_blanks();
    if (text_.substr(at_, sign.size()) != sign) return false;
    at_ += sign.size();
    return true;
  }

  std::string_view name() {
    skip_blanks();
    const std::size_t begin = at_;
    at_ = name_end(text_, at_);
    return text_.substr(begin, at_ - begin);
  }

  /// The name of a variable and '=', if they come next.
  std::optional<std::string_view> binder() {
    const std::size_t begin = at_;
    const std::string_view variable = name();
    if (!variable.empty() && take("=") && text_.substr(at_, 1) != "=") return variable;
    at_ = begin;
    return std::nullopt;
  }

  long index() {
    const std::size_t begin = at_;
    long value = term();
    while (true) {
      if (take("+")) {
        value += term();
      } else if (take("-")) {
        value -= term();
      } else {
        return checked(value, begin);
      }
      checked(value, begin);
    }
  }

  IndexRange range(std::string_view variable) {
    skip_blanks();
    const std::size_t begin = at_;
    const long first = index();
    if (!take(".."))
      fail("a range goes from one whole number to another: i = 1..6", begin, end_of_problem());
    return range_from(variable, first, begin);
  }

  /// One place between brackets.
  IndexItem item() {
    skip_blanks();
    const std::size_t begin = at_;
    if (const auto variable = binder()) return {IndexItem::Form::range, range(*variable)};
    const std::string_view variable = name();
    skip_blanks();
    const bool alone = at_ >= text_.size() || text_[at_] == ',' || text_[at_] == ']';
    if (!variable.empty() && alone && find(variable) == nullptr)
      return {IndexItem::Form::variable, {std::string(variable)}};
    at_ = begin;
    const long first = index();
    if (take("..")) return {IndexItem::Form::range, range_from("", first, begin)};
    return {IndexItem::Form::value, {"", first, first}};
  }

  /// '[' item {',' item} ']'
  std::vector<IndexItem> items() {
    const std::size_t begin = at_;
    std::vector<IndexItem> result;
    take("[");
    do result.push_back(item());
    while (take(","));
    if (!take("]")) fail("'[' is not closed after the index", begin, end_of_problem());
    return result;
  }

  std::size_t end_of_problem() const { return std::min(at_ + 1, text_.size()); }

 private:
  const long* find(std::string_view name) const {
    const auto found = std::find_if(known_.rbegin(), known_.rend(),
                                    [&](const auto& index) { return index.first == name; });
    return found == known_.rend() ? nullptr : &found->second;
  }

  long checked(long value, std::size_t begin) const {
    if (value < -largest_index || value > largest_index)
      fail("an index of too many digits", begin, at_);
    return value;
  }

  IndexRange range_from(std::string_view variable, long first, std::size_t begin) {
    const long last = index();
    if (last < first - 1)
      fail(fmt::format("the range goes from {} to {}, backwards", first, last), begin, at_);
    if (last - first >= longest_range)
      fail(fmt::format("the range has {} members; at most {} are allowed", last - first + 1,
                       longest_range),
           begin, at_);
    return {std::string(variable), first, last};
  }

  long term() {
    const std::size_t begin = at_;
    long value = factor();
    while (take("*")) value = checked(value * factor(), begin);
    return value;
  }

  long factor() {
    skip_blanks();
    const std::size_t begin = at_;
    if (++depth_ > deepest_index)
      fail(fmt::format("an index nested more than {} levels deep", deepest_index), begin,
           end_of_problem());
    long value = 0;
    if (take("-")) {
      value = -factor();
    } else if (take("(")) {
      value = index();
      if (!take(")")) fail("'(' is never closed", begin, begin + 1);
    } else if (at_ < text_.size() && is_digit(text_[at_])) {
      value = number();
    } else {
      value = variable();
    }
    --depth_;
    return value;
  }

  long number() {
    const std::size_t begin = at_;
    long value = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_)
      value = checked(10 * value + (text_[at_] - '0'), begin);
    if (text_.substr(at_, 1) == "." && text_.substr(at_, 2) != "..")
      fail("an index is a whole number", begin, end_of_problem());
    return value;
  }

  long variable() {
    const std::size_t begin = at_;
    const std::string_view word = name();
    if (word.empty())
      fail("expected an index: whole numbers and index variables with +, - and *", begin,
           end_of_problem());
    const long* value = find(word);
    if (value == nullptr)
      fail(fmt::format(
               "'{}' is not an index here; 'for' and 'sum' give one its range, as in i = 1..6",
               word),
           begin, at_);
    return *value;
  }

  std::string_view text_;
  std::size_t at_;
  const Indices& known_;
  int depth_ = 0;
};

/// Writes one text out.
class IndexWriter {
 public:
  IndexWriter(std::string_view text, const Indices& known, const IndexRules& rules)
      : text_(text), known_(known), rules_(rules) {}

  WrittenOut write() {
    result_.size = text_.size();
    walk(0, text_.size());
    return std::move(result_);
  }

 private:
  void charge(std::size_t amount, std::size_t begin, std::size_t end) {
    if (amount > *rules_.budget) {
      *rules_.budget = 0;
      fail("too long once its sums and indices are written out", begin, end);
    }
    *rules_.budget -= amount;
  }

  void copy(std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) put(text_[begin], begin, begin + 1);
  }

  void put(char c, std::size_t begin, std::size_t end) {
    result_.text += c;
    result_.begins.push_back(static_cast<std::uint32_t>(begin));
    result_.ends.push_back(static_cast<std::uint32_t>(end));
  }

  void put(std::string_view text, std::size_t begin, std::size_t end) {
    for (const char c : text) put(c, begin, end);
  }

  const long* find(std::string_view name) const {
    const auto found = std::find_if(known_.rbegin(), known_.rend(),
                                    [&](const auto& index) { return index.first == name; });
    return found == known_.rend() ? nullptr : &found->second;
  }

  /// Bytes [begin, end) of the text.
  void walk(std::size_t begin, std::size_t end) {
    charge(end - begin + 1, begin, end);
    const std::string_view text = text_.substr(0, end);
    bool member = false;  // of what stands before a dot
    while (begin < end) {
      const std::size_t word_end = name_end(text, begin);
      if (member && text[begin] == '"') {
        begin = quoted(begin, end);
        member = false;
        continue;
      }
      if (word_end == begin) {
        // A number takes its letters along: 1e5 is no product of an index.
        std::size_t next = begin + 1;
        if (is_digit(text[begin])) next = number_end(text, begin);
        member = text[begin] == '.';
        copy(begin, next);
        begin = next;
        continue;
      }
      begin = word(begin, word_end, end, member);
      member = false;
    }
  }

  /// A title behind a dot, with its indices; where to go on.
  std::size_t quoted(std::size_t begin, std::size_t end) {
    const std::size_t close = text_.find('"', begin + 1);
    if (close >= end) {
      copy(begin, end);
      return end;
    }
    put(titled(text_.substr(begin, close + 1 - begin), known_), begin, close + 1);
    return close + 1;
  }

  static std::size_t number_end(std::string_view text, std::size_t at) {
    while (at < text.size() && (is_digit(text[at]) || text[at] == '.')) ++at;
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
      std::size_t digits = at + 1;
      if (digits < text.size() && (text[digits] == '+' || text[digits] == '-')) ++digits;
      if (digits < text.size() && is_digit(text[digits])) {
        while (digits < text.size() && is_digit(text[digits])) ++digits;
        at = digits;
      }
    }
    return at;
  }

  /// A name and what belongs to it; where to go on.
  std::size_t word(std::size_t begin, std::size_t word_end, std::size_t end, bool member) {
    const std::string_view name = text_.substr(begin, word_end - begin);
    if (word_end < end && text_[word_end] == '[') return indexed(begin, word_end);
    std::size_t next = word_end;
    while (next < end && is_blank(text_[next])) ++next;
    if (name == "sum" && next < end && text_[next] == '(' && !member) return sum(begin, next, end);
    const long* value = member ? nullptr : find(name);
    if (value == nullptr) {
      copy(begin, word_end);
      return word_end;
    }
    if (word_end < end && (text_[word_end] == '\'' || text_[word_end] == '.'))
      fail(fmt::format("'{}' is an index, a number", name), begin, word_end + 1);
    put(*value < 0 ? fmt::format("({})", *value) : fmt::format("{}", *value), begin, word_end);
    return word_end;
  }

  std::size_t indexed(std::size_t begin, std::size_t word_end) {
    const std::string_view base = text_.substr(begin, word_end - begin);
    IndexReader reader(text_, word_end, known_);
    std::vector<long> values;
    for (const IndexItem& item : reader.items()) {
      if (item.form == IndexItem::Form::variable)
        fail(fmt::format(
                 "'{}' is not an index here; 'for' and 'sum' give one its range, as in i = 1..6",
                 item.range.name),
             begin, reader.at());
      if (item.form == IndexItem::Form::range)
        fail("a range in an expression is that of a sum: sum(i = 1..6, x[i])", begin, reader.at());
      values.push_back(item.range.first);
    }
    if (const auto reason = rules_.objection(base, values)) fail(*reason, begin, reader.at());
    put(indexed_name(base, values), begin, reader.at());
    return reader.at();
  }

  /// sum(i = 1..3, x[i]), which begins at `begin` and opens at `open`.
  std::size_t sum(std::size_t begin, std::size_t open, std::size_t end) {
    if (++depth_ > deepest_index)
      fail(fmt::format("sums nested more than {} levels deep", deepest_index), begin, open);
    std::size_t close = open + 1;
    for (int depth = 1; close < end; ++close) {
      depth += text_[close] == '(' ? 1 : text_[close] == ')' ? -1 : 0;
      if (depth == 0) break;
    }
    if (close == end) fail("'(' is never closed", open, open + 1);
    const IndexReader look(text_.substr(0, close), open + 1, known_);
    if (!IndexReader(look).binder())
      fail("'sum' begins with its index: sum(i = 1..6, m*x[i]^2)", begin, close + 1);
    put('(', begin, open + 1);
    const std::size_t before = result_.text.size();
    terms(open + 1, close, before);
    if (result_.text.size() == before) put('0', begin, close + 1);
    put(')', close, close + 1);
    --depth_;
    return close + 1;
  }

  /// The terms of a sum whose ranges, or what is left of them, begin at `begin`.
  void terms(std::size_t begin, std::size_t close, std::size_t first) {
    IndexReader reader(text_.substr(0, close), begin, known_);
    reader.skip_blanks();
    const std::size_t variable_begin = reader.at();
    const auto variable = reader.binder();
    if (!variable) {
      if (result_.text.size() > first) put('+', begin, begin + 1);
      put('(', begin, begin + 1);
      walk(begin, close);
      put(')', close, close + 1);
      return;
    }
    if (const auto reason = variable_objection(*variable))
      fail(*reason, variable_begin, variable_begin + variable->size());
    const IndexRange range = reader.range(*variable);
    if (!reader.take(","))
      fail("the terms of a sum follow its ranges: sum(i = 1..6, m*x[i]^2)", variable_begin,
           reader.end_of_problem());
    charge(static_cast<std::size_t>(range.size()), variable_begin, reader.at());
    for (long i = range.first; i <= range.last; ++i) {
      known_.emplace_back(range.name, i);
      terms(reader.at(), close, first);
      known_.pop_back();
    }
  }

  std::optional<std::string> variable_objection(std::string_view name) const {
    if (find(name) != nullptr) return fmt::format("'{}' is an index already", name);
    return rules_.variable_objection(name);
  }

  std::string_view text_;
  Indices known_;
  const IndexRules& rules_;
  WrittenOut result_;
  int depth_ = 0;
};

}  // namespace

bool has_index(std::string_view text) {
  const std::size_t end = name_end(text, 0);
  return end > 0 && end < text.size() && text[end] == '[';
}

std::string indexed_name(std::string_view base, std::span<const long> indices) {
  return fmt::format("{}{}", base, fmt::join(indices, "_"));
}

std::string titled(std::string_view title, const Indices& known) {
  std::string result;
  for (std::size_t at = 0; at < title.size();) {
    const std::size_t open = std::min(title.find('[', at), title.size());
    const std::size_t close = title.find(']', open);
    result += title.substr(at, open - at);
    if (close == std::string_view::npos) return result.append(title.substr(open));
    const std::string_view brackets = title.substr(open, close + 1 - open);
    const auto parsed = parse_indexed_name("x" + std::string(brackets), known);
    std::vector<long> values;
    for (const IndexItem& item : parsed ? parsed->items : std::vector<IndexItem>()) {
      if (item.form == IndexItem::Form::value) values.push_back(item.range.first);
    }
    const bool all = parsed && values.size() == parsed->items.size();
    result += all ? indexed_name("", values) : std::string(brackets);
    at = close + 1;
  }
  return result;
}

std::string spelt_out(std::string_view name) {
  if (!has_index(name)) return std::string(name);
  const auto parsed = parse_indexed_name(name, {});
  if (!parsed) return std::string(name);
  std::vector<long> values;
  for (const IndexItem& item : parsed->items) {
    if (item.form != IndexItem::Form::value || item.range.first < 0) return std::string(name);
    values.push_back(item.range.first);
  }
  return indexed_name(parsed->base, values).append(static_cast<std::size_t>(parsed->primes), '\'');
}

Result<IndexedName, ParseError> parse_indexed_name(std::string_view text, const Indices& known) {
  try {
    IndexedName result;
    const std::size_t end = name_end(text, 0);
    result.base = text.substr(0, end);
    IndexReader reader(text, end, known);
    if (end > 0 && text.substr(end, 1) == "[") result.items = reader.items();
    std::size_t at = reader.at();
    for (; text.substr(at, 1) == "'"; ++at) ++result.primes;
    if (result.base.empty() || at < text.size())
      fail(fmt::format("'{}' is not a name with an index, as x[2] is", text), at, text.size());
    return result;
  } catch (Stop& stop) {
    return Failure{std::move(stop.error)};
  }
}

Result<IndexRange, ParseError> parse_range(std::string_view text, const Indices& known) {
  try {
    IndexReader reader(text, 0, known);
    const auto variable = reader.binder();
    IndexRange range = reader.range(variable.value_or(""));
    reader.skip_blanks();
    if (reader.at() < text.size())
      fail(fmt::format("unexpected '{}' behind a range", text.substr(reader.at())), reader.at(),
           text.size());
    return range;
  } catch (Stop& stop) {
    return Failure{std::move(stop.error)};
  }
}

std::pair<std::size_t, std::size_t> WrittenOut::origin(std::size_t begin, std::size_t end) const {
  if (text.empty()) return {0, size};
  const std::size_t from = begins[std::min(begin, begins.size() - 1)];
  const std::size_t to = end > 0 ? ends[std::min(end, ends.size()) - 1] : from;
  return {from, std::max(from, to)};
}

Result<WrittenOut, ParseError> write_out(std::string_view text, const Indices& known,
                                         const IndexRules& rules) {
  try {
    return IndexWriter(text, known, rules).write();
  } catch (Stop& stop) {
    return Failure{std::move(stop.error)};
  }
}

}  // namespace dalembert::expr
