#include "dalembert/model/toml/draft_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/model/assembly/assembly.hpp"
#include "dalembert/model/families.hpp"
#include "dalembert/model/toml/texts.hpp"

namespace dalembert::model {

namespace {

constexpr int most_primes = 2;

bool is_force(const expr::Symbol& symbol) {
  return symbol.kind == expr::SymbolKind::ideal_force ||
         symbol.kind == expr::SymbolKind::nonideal_force ||
         symbol.kind == expr::SymbolKind::multiplier;
}

Expr rate(const expr::Symbol& symbol) {
  if (symbol.kind == expr::SymbolKind::parameter) return 0;
  if (symbol.kind == expr::SymbolKind::time) return 1;
  return expr::symbol({symbol.kind, symbol.order + 1, symbol.name});
}

struct Occurrence {
  std::size_t candidate;
  int order;  ///< of the rate
  Expr e;
};

/// Those of the candidates and of their first two rates that occur in the roots.
std::vector<Occurrence> occurring(const std::vector<Expr>& roots,
                                  const std::vector<Expr>& candidates) {
  std::vector<Occurrence> found;
  std::unordered_set<const expr::Node*> nodes;
  bool has_rates = false;
  for (const Expr& e : expr::postorder(roots)) {
    nodes.insert(e.node());
    has_rates = has_rates || (e.is(expr::Op::symbol) && e.symbol().order > 0);
  }
  std::vector<std::size_t> moving;
  std::vector<Expr> forms;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (nodes.contains(candidates[i].node())) found.push_back({i, 0, candidates[i]});
    if (!has_rates || expr::find_symbol(candidates[i], is_force)) continue;
    moving.push_back(i);
    forms.push_back(candidates[i]);
  }
  for (int order = 1; order <= most_primes; ++order) {
    forms = expr::directional(forms, rate);  // together, as they share what they are made of
    for (std::size_t k = 0; k < moving.size(); ++k) {
      if (nodes.contains(forms[k].node())) found.push_back({moving[k], order, forms[k]});
    }
  }
  return found;
}

/// A scalar let, or a component of one that is a vector.
struct NamedPart {
  TextLet let;
  bool is_expression = false;  ///< of the program; else what a text stands for
};

bool is_said_in_words(const LetStatement& let) {
  return std::any_of(let.value.parts.begin(), let.value.parts.end(),
                     [](const Formula& part) { return part.form != Formula::Form::expression; });
}

/// The parts of all lets, as far as it is known what they stand for.
std::vector<NamedPart> named_parts(const Draft& draft) {
  std::optional<Assembly> meaning;
  Complaints none;
  const std::optional<Draft> without_indices = written_out(draft, none);
  if (std::any_of(draft.lets.begin(), draft.lets.end(), is_said_in_words)) {
    meaning.emplace(without_indices ? *without_indices : draft, Complaints{});
    meaning->run_names();
    if (!meaning->complaints.empty()) meaning.reset();
  }
  std::vector<NamedPart> result;
  for (const LetStatement& let : draft.lets) {
    const auto& parts = let.value.parts;
    const bool is_expression = parts.size() == 1 && !is_said_in_words(let);
    const VectorLets* components =
        meaning && !is_expression ? meaning->lets.find_vector(let.name) : nullptr;
    if (is_expression) {
      result.push_back({{let.name, parts.front().expr}, true});
    } else if (parts.size() == 1 && meaning && components == nullptr) {
      if (const auto number = meaning->lets.find(let.name))
        result.push_back({{let.name, meaning->lets.value(*number, 0)}, false});
    } else {
      for (std::size_t i = 0; i < 3; ++i) {
        const bool own = parts.size() == 3 && parts[i].form == Formula::Form::expression;
        const std::string name = member(let.name, component_names[i]);
        if (own) {
          result.push_back({{name, parts[i].expr}, true});
        } else if (components != nullptr) {
          result.push_back({{name, meaning->lets.value((*components)[i], 0)}, false});
        }
      }
    }
  }
  return result;
}

std::set<std::string> names_of(const Draft& draft) {
  Complaints none;
  const std::optional<Draft> without_indices = written_out(draft, none);
  const Draft& said = without_indices ? *without_indices : draft;
  std::set<std::string> taken;
  if (said.coordinates) {
    for (const Word& name : said.coordinates->items) taken.insert(name.text);
  }
  for (const Definition& parameter : said.parameters) taken.insert(parameter.name);
  for (const Definition& discrete : said.discretes) taken.insert(discrete.name);
  for (const Definition& input : said.inputs) taken.insert(input.name);
  for (const TableStatement& table : said.tables) taken.insert(table.name);
  for (const Definition& size : draft.sizes) taken.insert(size.name);
  for (const LetStatement& let : said.lets) taken.insert(let.name);
  for (const BodyStatement& body : said.bodies) taken.insert(body.name);
  for (const JointStatement& joint : said.joints) taken.insert(joint.name);
  return taken;
}

bool is_of_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// Calls `use` with each word of a text, names and numbers alike.
template <class Use>
void each_word(std::string_view text, Use use) {
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_of_word(text[end])) ++end;
    if (end > i) use(text.substr(i, end - i));
    i = std::max(end, i + 1);
  }
}

/// Names that stand in, while texts are made, for what a file calls "disk.x" or
/// "point(disk, r, 0, 0).x".
class StandIns {
 public:
  StandIns(const Draft& draft, const std::vector<Expr>& roots, expr::ExprMap& taken,
           const std::set<std::string>& names) {
    if (roots.empty() || draft.shown.empty()) return;
    std::string stem = "shown";
    const auto is_part = [&](const std::string& name) {
      return name.find(stem) != std::string::npos;
    };
    while (std::any_of(names.begin(), names.end(), is_part)) stem += '_';
    std::vector<Expr> candidates;
    for (const Definition& shown : draft.shown) candidates.push_back(shown.value.expr);
    for (const Occurrence& found : occurring(roots, candidates)) {
      if (!taken.emplace(found.e, found.e).second) continue;
      const std::string name = fmt::format("{}{}_", stem, lets.size());
      texts_.emplace(name, draft.shown[found.candidate].name +
                               std::string(static_cast<std::size_t>(found.order), '\''));
      lets.push_back({name, found.e});
    }
  }

  std::vector<TextLet> lets = {};

  std::string replaced(std::string_view text) const {
    std::string result;
    std::size_t begin = 0;
    each_word(text, [&](std::string_view word) {
      const auto place = static_cast<std::size_t>(word.data() - text.data());
      result += text.substr(begin, place - begin);
      const auto found = texts_.find(std::string(word));
      result += found == texts_.end() ? word : std::string_view(found->second);
      begin = place + word.size();
    });
    result += text.substr(begin);
    return result;
  }

 private:
  std::map<std::string, std::string> texts_;
};

/// Those of the lets, each defined before its use, that the texts need.
std::vector<std::pair<std::string, std::string>> used(
    const std::vector<std::pair<std::string, std::string>>& lets,
    const std::vector<std::string>& texts) {
  std::set<std::string, std::less<>> words;
  const auto note = [&](std::string_view word) { words.emplace(word); };
  for (const std::string& text : texts) each_word(text, note);
  std::vector<std::pair<std::string, std::string>> kept;
  for (auto let = lets.rbegin(); let != lets.rend(); ++let) {
    if (!words.contains(let->first)) continue;
    each_word(let->second, note);
    kept.push_back(*let);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

}  // namespace

DraftTexts texts_of(const Draft& draft, const DraftExpressions& expressions) {
  std::set<std::string> taken = names_of(draft);
  const std::vector<NamedPart> parts = named_parts(draft);
  expr::ExprMap values;
  std::vector<TextLet> lets, plain;
  for (const NamedPart& part : parts) {
    const bool is_new = values.emplace(part.let.e, part.let.e).second;
    if (!is_new && !part.is_expression) continue;
    lets.push_back(part.let);
    // A text may speak of a body, which then must not be described by it.
    if (part.is_expression || draft.bodies.empty()) plain.push_back(part.let);
  }
  DraftTexts result;
  Texts first = texts_of(expressions.of_bodies, plain, taken);
  result.of_bodies = std::move(first.roots);
  for (std::size_t i = 0; i < plain.size(); ++i) result.lets.emplace(plain[i].name, first.lets[i]);
  result.parts = std::move(first.parts);
  for (const auto& [name, text] : result.parts) taken.insert(name);

  StandIns shown(draft, expressions.others, values, taken);
  std::vector<Expr> candidates;
  for (const TextLet& let : lets) candidates.push_back(let.e);
  std::vector<bool> occurs(lets.size());
  if (!lets.empty()) {
    for (const Occurrence& found : occurring(expressions.others, candidates))
      occurs[found.candidate] = true;
  }
  std::vector<TextLet> named;
  for (std::size_t i = 0; i < lets.size(); ++i) {
    if (occurs[i]) named.push_back(lets[i]);
  }
  named.insert(named.end(), shown.lets.begin(), shown.lets.end());
  Texts second = texts_of(expressions.others, named, taken);
  if (!shown.lets.empty()) {
    second.parts = used(second.parts, second.roots);
    for (std::string& text : second.roots) text = shown.replaced(text);
    for (auto& [name, text] : second.parts) text = shown.replaced(text);
  }
  result.others = std::move(second.roots);
  result.parts.insert(result.parts.end(), second.parts.begin(), second.parts.end());
  return result;
}

}  // namespace dalembert::model
