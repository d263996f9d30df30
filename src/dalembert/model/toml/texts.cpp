#include "dalembert/model/toml/texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/parse.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/model/assembly/lets.hpp"

namespace dalembert::model {

namespace {

using expr::Node;
using expr::Op;

constexpr double readable_nodes = 4000;  ///< in all texts; below, sharing is left alone
constexpr double repetition = 2;         ///< nodes of text for every edge of the graph; likewise
constexpr int deepest = 100;             ///< nesting of operations in a text
constexpr double smallest_part = 12;     ///< nodes of what is taken out because it is shared

bool is_leaf(const Expr& e) {
  return e.args().empty();
}

class TextWriter {
 public:
  TextWriter(const std::vector<Expr>& roots, const std::vector<TextLet>& lets,
             const std::set<std::string>& taken)
      : roots_(roots), lets_(lets), taken_(taken) {
    std::vector<Expr> all = roots;
    for (const TextLet& let : lets) all.push_back(let.e);
    order_ = expr::postorder(all);
    for (const TextLet& let : lets) {
      if (!is_leaf(let.e)) named_.emplace(let.e.node(), expr::auxiliary(let.name));
    }
    find_forces();
  }

  /// Every later text may say h' for the rate of the let h where these hold it.
  void name_rates(const std::vector<std::vector<Expr>>& rates) {
    for (std::size_t i = 0; i < rates.size(); ++i) {
      for (std::size_t k = 0; k < rates[i].size(); ++k) {
        if (!is_leaf(rates[i][k]))
          named_.emplace(rates[i][k].node(),
                         expr::auxiliary(lets_[i].name, static_cast<int>(k + 1)));
      }
    }
  }

  Texts write() {
    choose_parts();
    name_parts();
    build_images();
    constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
    Texts texts;
    for (const Expr& root : roots_) texts.roots.push_back(expr::to_text(seen(root), unlimited));
    std::unordered_set<const Node*> written;
    for (const TextLet& let : lets_) {
      const bool first = written.insert(let.e.node()).second;
      texts.lets.push_back(expr::to_text(first ? image_.at(let.e.node()) : seen(let.e), unlimited));
    }
    for (const auto& [name, e] : parts_)
      texts.parts.emplace_back(name, expr::to_text(image_.at(e.node()), unlimited));
    return texts;
  }

 private:
  struct Measure {
    double size = 1;  ///< nodes of the text
    int depth = 1;
  };

  void find_forces() {
    for (const Expr& e : order_) {
      bool force = false;
      if (e.is(Op::symbol)) {
        const expr::SymbolKind kind = e.symbol().kind;
        force = kind == expr::SymbolKind::ideal_force || kind == expr::SymbolKind::nonideal_force ||
                kind == expr::SymbolKind::multiplier;
      }
      for (const Expr& arg : e.args()) force = force || forces_.contains(arg.node());
      if (force) forces_.insert(e.node());
    }
  }

  bool is_replaced(const Expr& e) const {
    return named_.contains(e.node()) || chosen_.contains(e.node());
  }
  bool may_be_part(const Expr& e) const {
    return !is_leaf(e) && !is_replaced(e) && !forces_.contains(e.node());
  }

  /// How large the text of e is when what is replaced counts one.
  Measure measure(const Expr& e, const std::unordered_map<const Node*, Measure>& known) const {
    Measure total;
    for (const Expr& arg : e.args()) {
      if (is_replaced(arg)) {
        total.size += 1;
        total.depth = std::max(total.depth, 2);
      } else {
        const Measure& part = known.at(arg.node());
        total.size += part.size;
        total.depth = std::max(total.depth, part.depth + 1);
      }
    }
    return total;
  }

  /// Whether the texts say the same things so often that they are much longer than the graph.
  bool is_repetitive() const {
    std::unordered_map<const Node*, Measure> known;
    double edges = 0;
    for (const Expr& e : order_) {
      known.emplace(e.node(), measure(e, known));
      edges += 1 + static_cast<double>(e.args().size());
    }
    double total = 0;
    for (const Expr& root : roots_) total += is_replaced(root) ? 1 : known.at(root.node()).size;
    for (const TextLet& let : lets_) total += known.at(let.e.node()).size;
    return total > readable_nodes &&
           total > repetition * (edges + static_cast<double>(roots_.size()));
  }

  void choose_parts() {
    const bool shorten = is_repetitive();
    std::unordered_map<const Node*, int> uses;
    for (const Expr& e : order_) {
      for (const Expr& arg : e.args()) ++uses[arg.node()];
    }
    for (const Expr& root : roots_) ++uses[root.node()];
    std::unordered_map<const Node*, Measure> known;
    for (const Expr& e : order_) {
      const Measure m = measure(e, known);
      known.emplace(e.node(), m);
      const bool shared = shorten && uses[e.node()] > 1 && m.size >= smallest_part;
      if ((shared || m.depth >= deepest) && may_be_part(e)) chosen_.insert(e.node());
    }
    while (keep_sums_apart()) {
    }
  }

  /// A sum in a sum (a product in a product) is merged when both together are short. A name in
  /// place of one operand makes them shorter; so the others that would be merged then get names
  /// too. Returns whether any did.
  bool keep_sums_apart() {
    bool changed = false;
    for (const Expr& e : order_) {
      if (!e.is(Op::sum) && !e.is(Op::product)) continue;
      const auto args = e.args();
      if (std::none_of(args.begin(), args.end(), [this](const Expr& a) { return is_replaced(a); }))
        continue;
      for (const Expr& arg : args) {
        if (arg.is(e.op()) && may_be_part(arg)) changed |= chosen_.insert(arg.node()).second;
      }
    }
    return changed;
  }

  void name_parts() {
    std::size_t number = 0;
    for (const Expr& e : order_) {
      if (!chosen_.contains(e.node())) continue;
      std::string name;
      do {
        name = fmt::format("part{}", ++number);
      } while (taken_.contains(name));
      named_.emplace(e.node(), expr::auxiliary(name));
      parts_.emplace_back(std::move(name), e);
    }
  }

  /// e as a larger text says it: by name where it has one.
  const Expr& seen(const Expr& e) const {
    const auto name = named_.find(e.node());
    return name == named_.end() ? image_.at(e.node()) : name->second;
  }

  void build_images() {
    for (const Expr& e : order_) {
      std::vector<Expr> args;
      bool changed = false;
      for (const Expr& arg : e.args()) {
        args.push_back(seen(arg));
        changed = changed || !expr::same(args.back(), arg);
      }
      image_.emplace(e.node(), changed ? expr::rebuild(e, args) : e);
    }
  }

  const std::vector<Expr>& roots_;
  const std::vector<TextLet>& lets_;
  const std::set<std::string>& taken_;
  std::vector<Expr> order_;  ///< operands before what uses them
  std::unordered_set<const Node*> forces_;
  std::unordered_map<const Node*, Expr> named_;  ///< the symbols that stand for named nodes
  std::unordered_set<const Node*> chosen_;       ///< to become further lets
  std::vector<std::pair<std::string, Expr>> parts_;
  std::unordered_map<const Node*, Expr> image_;  ///< nodes, with names in place of what has one
};

/// What the reader of model files makes of the texts.
class TextReading {
 public:
  TextReading(const std::vector<Expr>& all, const std::vector<TextLet>& lets, const Texts& texts) {
    for (const Expr& s : expr::symbols(all)) {
      if (s.symbol().kind == expr::SymbolKind::coordinate) coordinates_.insert(s.symbol().name);
    }
    for (const TextLet& let : lets) lets_.add(let.name);
    for (const auto& [name, text] : texts.parts) lets_.add(name);
    for (std::size_t i = 0; i < lets.size(); ++i) define(i, texts.lets[i]);
    for (std::size_t i = 0; i < texts.parts.size(); ++i)
      define(lets.size() + i, texts.parts[i].second);
    sound_ = sound_ && !has_circle();
  }

  /// All names are defined, and none by itself.
  bool is_sound() const { return sound_; }
  const Expr& let(std::size_t index, std::size_t order) { return lets_.value(index, order); }
  bool gives(const std::string& text, const Expr& wanted) {
    const auto read = parse(text);
    return read && expr::same(lets_.resolved(*read), wanted);
  }

 private:
  expr::Result<Expr, expr::ParseError> parse(const std::string& text) const {
    return expr::parse(
        text, [this](std::string_view name, int primes) -> expr::Result<Expr, std::string> {
          if (const auto let = lets_.find(name)) return lets_.marker(*let, primes);
          if (name == "t" && primes == 0) return expr::time();
          if (name.starts_with("ideal.")) return expr::ideal_force(name.substr(6));
          if (name.starts_with("nonideal.")) return expr::nonideal_force(name.substr(9));
          if (name.starts_with("lambda."))
            return expr::multiplier(expr::without_quotes(name.substr(7)));
          if (coordinates_.contains(name)) return expr::coordinate(name, primes);
          return expr::parameter(name);
        });
  }

  void define(std::size_t let, const std::string& text) {
    auto read = parse(text);
    sound_ = sound_ && read;
    lets_.define(let, read ? *read : Expr(0));
  }

  bool has_circle() {
    enum class State { unseen, open, done };
    std::vector<State> state(lets_.size(), State::unseen);
    struct Frame {
      std::size_t let;
      std::vector<std::size_t> uses;
    };
    for (std::size_t start = 0; start < lets_.size(); ++start) {
      if (state[start] != State::unseen) continue;
      std::vector<Frame> stack{{start, lets_.uses(start)}};
      state[start] = State::open;
      while (!stack.empty()) {
        Frame& top = stack.back();
        if (top.uses.empty()) {
          state[top.let] = State::done;
          stack.pop_back();
          continue;
        }
        const std::size_t next = top.uses.back();
        top.uses.pop_back();
        if (state[next] == State::open) return true;
        if (state[next] == State::done) continue;
        state[next] = State::open;
        stack.push_back({next, lets_.uses(next)});
      }
    }
    return false;
  }

  std::set<std::string, std::less<>> coordinates_;
  Lets lets_;
  bool sound_ = true;
};

/// The highest order of a coordinate in an expression; 2 if it contains a force, which has no rate.
int highest_order(const Expr& e) {
  int highest = 0;
  for (const Expr& s : expr::symbols({&e, 1})) {
    const expr::SymbolKind kind = s.symbol().kind;
    if (kind == expr::SymbolKind::ideal_force || kind == expr::SymbolKind::nonideal_force ||
        kind == expr::SymbolKind::multiplier)
      return 2;
    highest = std::max(highest, s.symbol().order);
  }
  return highest;
}

/// The rates of lets up to accelerations, found together, as lets share what they are made of.
std::vector<std::vector<Expr>> rates_of(const std::vector<TextLet>& lets) {
  std::vector<std::vector<Expr>> rates(lets.size());
  std::vector<int> highest;
  for (const TextLet& let : lets) highest.push_back(highest_order(let.e));
  for (std::size_t k = 0; k < 2; ++k) {
    std::vector<std::size_t> moving;
    std::vector<Expr> roots;
    for (std::size_t i = 0; i < lets.size(); ++i) {
      if (highest[i] + static_cast<int>(k) >= 2) continue;
      moving.push_back(i);
      roots.push_back(k == 0 ? lets[i].e : rates[i].back());
    }
    const std::vector<Expr> found = expr::directional(roots, [](const expr::Symbol& s) {
      if (s.kind == expr::SymbolKind::parameter) return Expr(0);
      if (s.kind == expr::SymbolKind::time) return Expr(1);
      return expr::symbol({s.kind, s.order + 1, s.name});
    });
    for (std::size_t i = 0; i < moving.size(); ++i) rates[moving[i]].push_back(found[i]);
  }
  return rates;
}

class TextsOfAll {
 public:
  TextsOfAll(std::vector<Expr> roots, std::vector<TextLet> lets, std::set<std::string> taken)
      : roots_(std::move(roots)), lets_(std::move(lets)), taken_(std::move(taken)) {
    all_ = roots_;
    for (const TextLet& let : lets_) {
      all_.push_back(let.e);
      taken_.insert(let.name);
    }
  }

  /// With h' for the rates of the lets h if the reader gives back the same then, else without.
  Texts write() const {
    Texts plain = TextWriter(roots_, lets_, taken_).write();
    if (lets_.empty()) return plain;
    TextReading reading(all_, lets_, plain);
    if (!reading.is_sound()) return plain;
    // A rate may be written as h' where the reader differentiates to the very same expression.
    std::vector<std::vector<Expr>> rates = rates_of(lets_);
    bool any = false;
    for (std::size_t i = 0; i < lets_.size(); ++i) {
      std::vector<Expr>& own = rates[i];
      for (std::size_t k = 0; k < own.size(); ++k) {
        if (!expr::same(reading.let(i, k + 1), own[k])) own.resize(k);
      }
      any = any || !own.empty();
    }
    if (!any) return plain;
    TextWriter writer(roots_, lets_, taken_);
    writer.name_rates(rates);
    Texts shorter = writer.write();
    return gives_back(shorter) ? shorter : plain;
  }

  /// Whether the reader makes the same expressions of the texts.
  bool gives_back(const Texts& texts) const {
    TextReading reading(all_, lets_, texts);
    if (!reading.is_sound()) return false;
    for (std::size_t i = 0; i < lets_.size(); ++i) {
      if (!expr::same(reading.let(i, 0), lets_[i].e)) return false;
    }
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      if (!reading.gives(texts.roots[i], roots_[i])) return false;
    }
    return true;
  }

 private:
  std::vector<Expr> roots_;
  std::vector<TextLet> lets_;
  std::set<std::string> taken_;
  std::vector<Expr> all_;
};

}  // namespace

Texts texts_of(std::vector<Expr> expressions, std::vector<TextLet> lets,
               std::set<std::string> taken) {
  return TextsOfAll(std::move(expressions), std::move(lets), std::move(taken)).write();
}

}  // namespace dalembert::model
