#include "dalembert/model/families.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "dalembert/model/draft_formulas.hpp"
#include "dalembert/model/formula_places.hpp"
#include "dalembert/model/toml/literal.hpp"

namespace dalembert::model {

namespace {

using expr::IndexedName;
using expr::IndexItem;
using expr::IndexRange;
using expr::Indices;

bool may_have_indices(const Formula& formula) {
  return formula.form == Formula::Form::text && (formula.text.find('[') != std::string::npos ||
                                                 formula.text.find("sum") != std::string::npos);
}

/// Whether there is anything to write out.
bool has_indices(const Draft& draft) {
  if (!draft.sizes.empty()) return true;
  const auto any = [](const auto& list, auto test) {
    return std::any_of(list.begin(), list.end(), test);
  };
  const auto indexed = [](const auto& statement) { return expr::has_index(statement.name); };
  const auto indexed_word = [](const Word& word) { return expr::has_index(word.text); };
  const auto ranges = [](const auto& statement) { return !statement.over.empty(); };
  for (const auto& words : {draft.coordinates, draft.independent,
                            draft.initial ? draft.initial->hold : std::optional<Words>()}) {
    if (words && any(words->items, indexed_word)) return true;
  }
  for (const auto* list : {&draft.parameters, &draft.discretes, &draft.inputs, &draft.forces,
                           &draft.virtual_work, &draft.quasi_velocities, &draft.outputs}) {
    if (any(*list, indexed)) return true;
  }
  if (any(draft.events, [&](const EventStatement& event) { return any(event.set, indexed); }))
    return true;
  if (draft.initial && (any(draft.initial->values, indexed) || any(draft.initial->mu, indexed)))
    return true;
  const auto indexed_pair = [&](const auto& statement) {
    return any(statement.bodies,
               [&](const std::optional<Word>& body) { return body && indexed_word(*body); });
  };
  if (any(draft.lets, indexed) || any(draft.bodies, ranges) || any(draft.joints, ranges) ||
      any(draft.springs, ranges) || any(draft.point_forces, ranges) ||
      any(draft.constraints, ranges) || any(draft.events, ranges) || any(draft.contacts, ranges) ||
      any(draft.dry_frictions, ranges) || any(draft.view.points, ranges) ||
      any(draft.view.segments, ranges) || any(draft.view.arrows, ranges) ||
      any(draft.bodies, indexed) || any(draft.joints, indexed) || any(draft.joints, indexed_pair) ||
      any(draft.springs, indexed_pair)) {
    return true;
  }
  const auto named = [&](const std::optional<Word>& word) { return word && indexed_word(*word); };
  if (any(draft.bodies, [&](const BodyStatement& body) { return named(body.frame); }) ||
      any(draft.springs, [&](const SpringStatement& spring) { return named(spring.joint); }) ||
      any(draft.point_forces, [&](const PointForceStatement& force) { return named(force.body); }))
    return true;
  if (any(draft.constraints, [&](const ConstraintStatement& constraint) {
        return constraint.by && any(constraint.by->items, indexed_word);
      }))
    return true;
  if (any(draft.contacts, [&](const ContactStatement& contact) {
        return contact.bodies && (named((*contact.bodies)[0]) || named((*contact.bodies)[1]));
      }))
    return true;
  bool found = false;
  const auto look = [&](const Formula& formula) { found = found || may_have_indices(formula); };
  Formulas<decltype(look), true> formulas(look);
  formulas(draft);
  return found;
}

/// The indices that a family has, from the least to the greatest of each place.
using Extent = std::vector<std::pair<long, long>>;

std::string extent_text(const Extent& extent) {
  std::string text;
  for (std::size_t i = 0; i < extent.size(); ++i)
    text +=
        fmt::format("{}from {} to {}", i == 0 ? "" : " and ", extent[i].first, extent[i].second);
  return text;
}

/// What a name with indices does where it stands: it begins a family, uses one, or is a label or
/// the title of something, which makes none.
enum class KeyKind : std::uint8_t { declares, uses, label, title };

class Writing {
 public:
  Writing(const Draft& draft, Complaints& complaints)
      : draft_(draft), complaints_(complaints), places_(draft) {
    rules_.objection = [this](std::string_view base, std::span<const long> indices) {
      return objection(base, indices);
    };
    rules_.variable_objection = [this](std::string_view name) { return variable_objection(name); };
    rules_.budget = &budget_;
  }

  Draft write() {
    find_names();
    read_sizes();
    find_families();
    check_sizes();
    Draft result = draft_;
    result.sizes.clear();
    if (result.coordinates) write_words(*result.coordinates, KeyKind::declares);
    write_definitions(result.parameters, KeyKind::declares);
    write_definitions(result.discretes, KeyKind::declares);
    write_definitions(result.inputs, KeyKind::declares);
    write_definitions(result.lets, KeyKind::declares);
    write_definitions(result.forces, KeyKind::uses);
    write_definitions(result.virtual_work, KeyKind::uses);
    write_definitions(result.quasi_velocities, KeyKind::label);
    write_definitions(result.outputs, KeyKind::label);
    if (result.gravity) write_formulas(*result.gravity);
    if (result.energy) write_formulas(*result.energy);
    for (auto& row : result.mass_matrix) {
      for (Formula& formula : row) write_formula(formula);
    }
    write_bodies(result);
    const auto title = [this](auto& statement) {
      write_title(statement.name);
      return true;
    };
    write_statements(result.constraints, [this](ConstraintStatement& constraint) {
      if (constraint.by) write_words(*constraint.by, KeyKind::uses);
      write_title(constraint.name);
      return true;
    });
    write_statements(result.events, [this](EventStatement& event) {
      write_definitions(event.set, KeyKind::uses);
      write_title(event.name);
      return true;
    });
    write_statements(result.contacts, [this](ContactStatement& contact) {
      if (contact.bodies) {
        for (std::optional<Word>& body : *contact.bodies) write_name(body, contact.refused);
      }
      write_title(contact.name);
      return true;
    });
    write_statements(result.dry_frictions, title);
    if (result.independent) write_words(*result.independent, KeyKind::uses);
    if (result.initial) {
      write_definitions(result.initial->values, KeyKind::uses);
      write_definitions(result.initial->mu, KeyKind::title);
      if (result.initial->hold) write_words(*result.initial->hold, KeyKind::uses);
    }
    if (result.simulation.duration) write_formulas(*result.simulation.duration);
    if (result.view.ground) write_formula(*result.view.ground);
    write_statements(result.view.points, title);
    write_statements(result.view.segments, title);
    write_statements(result.view.arrows, title);
    result.incomplete = result.incomplete || incomplete_;
    return result;
  }

 private:
  void write_bodies(Draft& result) {
    write_statements(result.bodies, [this](BodyStatement& body) {
      write_name(body.frame, body.refused);
      return write_name(body.name, body.where);
    });
    write_statements(result.joints, [this](JointStatement& joint) {
      for (std::optional<Word>& body : joint.bodies) write_name(body, joint.refused);
      return write_name(joint.name, joint.where);
    });
    write_statements(result.springs, [this](SpringStatement& spring) {
      for (std::optional<Word>& body : spring.bodies) write_name(body, spring.refused);
      write_name(spring.joint, spring.refused);
      write_title(spring.name);
      return true;
    });
    write_statements(result.point_forces, [this](PointForceStatement& force) {
      write_name(force.body, force.refused);
      write_title(force.name);
      return true;
    });
  }

  // What there is.
  void find_names() {
    const auto add = [this](const std::string& name, std::string_view what) {
      names_.emplace(family_of(name), what);
    };
    if (draft_.coordinates) {
      for (const Word& name : draft_.coordinates->items) add(name.text, "a coordinate");
    }
    for (const Definition& parameter : draft_.parameters) add(parameter.name, "a parameter");
    for (const Definition& discrete : draft_.discretes) add(discrete.name, "a discrete value");
    for (const Definition& input : draft_.inputs) add(input.name, "an input");
    for (const TableStatement& table : draft_.tables) add(table.name, "a table");
    for (const LetStatement& let : draft_.lets) add(let.name, "a let");
    for (const BodyStatement& body : draft_.bodies) add(body.name, "a body");
    for (const JointStatement& joint : draft_.joints) add(joint.name, "a joint");
  }

  void read_sizes() {
    for (const Definition& size : draft_.sizes) {
      if (const auto reason = variable_objection(size.name)) {
        complaints_.add(size.where, *reason);
        continue;
      }
      if (size.value.form == Formula::Form::refused) {
        incomplete_ = true;
        continue;
      }
      const auto number =
          size.value.form == Formula::Form::number ? exact_number(size.value.text) : std::nullopt;
      if (!number || number->get_den() != 1 || *number < 0 || *number > 1'000'000) {
        complaints_.add(size.value.where,
                        fmt::format("the size {} must be a whole number from 0 to 1000000",
                                    in_quotes(size.name)));
        incomplete_ = true;
        continue;
      }
      indices_.emplace_back(size.name, number->get_num().get_si());
    }
  }

  /// The families that names are said of; what is wrong with them is told when they are written.
  void find_families() {
    const auto add = [this](const std::string& name) {
      const auto parsed = expr::parse_indexed_name(name, indices_);
      if (parsed) add_family(*parsed);
    };
    if (draft_.coordinates) {
      for (const Word& name : draft_.coordinates->items) add(name.text);
    }
    for (const Definition& parameter : draft_.parameters) add(parameter.name);
    for (const Definition& discrete : draft_.discretes) add(discrete.name);
    for (const Definition& input : draft_.inputs) add(input.name);
    for (const TableStatement& table : draft_.tables) add(table.name);
    for (const LetStatement& let : draft_.lets) add(let.name);
    const auto add_all = [&](const auto& statements) {
      for (const auto& statement : statements) {
        if (expr::has_index(statement.name))
          for_each_value(statement.over, 0, [&] { add(statement.name); });
      }
    };
    quiet_ = true;
    add_all(draft_.bodies);
    add_all(draft_.joints);
    quiet_ = false;
  }

  void add_family(const IndexedName& name) {
    if (name.items.empty()) {
      plain_.insert(name.base);
      return;
    }
    std::vector<std::pair<long, long>> extent;
    for (const IndexItem& item : name.items) {
      if (item.form == IndexItem::Form::variable || item.range.size() == 0) return;
      extent.emplace_back(item.range.first, item.range.last);
    }
    Extent& known = families_[name.base];
    if (known.empty()) known = extent;
    for (std::size_t i = 0; i < std::min(known.size(), extent.size()); ++i) {
      known[i].first = std::min(known[i].first, extent[i].first);
      known[i].second = std::max(known[i].second, extent[i].second);
    }
  }

  // Rules.
  std::optional<std::string> objection(std::string_view base, std::span<const long> indices) const {
    const std::string name = fmt::format("{}[{}]", shortened(base, 60), fmt::join(indices, ", "));
    const auto family = families_.find(std::string(base));
    if (family == families_.end()) {
      if (incomplete_ || draft_.incomplete) return std::nullopt;
      if (!negative_index(base, indices) && plain_.contains(expr::indexed_name(base, indices)))
        return std::nullopt;
      std::vector<std::string> known;
      for (const auto& [other, ignored] : families_) known.push_back(other);
      std::sort(known.begin(), known.end());
      return fmt::format("{}: there is no family {}{}", name, in_quotes(base),
                         complaints_.did_you_mean(base, known));
    }
    const Extent& extent = family->second;
    if (extent.size() != indices.size())
      return fmt::format("{}: the family {} has {} {}", name, shortened(base, 60), extent.size(),
                         extent.size() == 1 ? "index" : "indices");
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] < extent[i].first || indices[i] > extent[i].second)
        return fmt::format("{}: the family {} goes {}", name, shortened(base, 60),
                           extent_text(extent));
    }
    return negative_index(base, indices);
  }

  static std::optional<std::string> negative_index(std::string_view base,
                                                   std::span<const long> indices) {
    if (std::none_of(indices.begin(), indices.end(), [](long i) { return i < 0; }))
      return std::nullopt;
    return fmt::format("{}[{}]: the index of a name must not be negative", shortened(base, 60),
                       fmt::join(indices, ", "));
  }

  std::optional<std::string> variable_objection(std::string_view name) const {
    if (!expr::is_name(name) || expr::is_reserved(name))
      return fmt::format("{} cannot be the name of an index", in_quotes(name));
    if (std::any_of(indices_.begin(), indices_.end(),
                    [&](const auto& index) { return index.first == name; }))
      return fmt::format("{} is an index already", in_quotes(name));
    if (const auto found = names_.find(std::string(name)); found != names_.end())
      return fmt::format("{} is the name of {} and cannot be that of an index", in_quotes(name),
                         found->second);
    return member_objection(name);
  }

  /// Outside of brackets a member is a name like any other, which an index would hide.
  std::optional<std::string> member_objection(std::string_view name) const {
    for (const auto& [base, extent] : families_) {
      if (!name.starts_with(base)) continue;
      std::vector<long> indices;
      const char* next = name.data() + base.size();
      const char* const end = name.data() + name.size();
      bool inside = true;
      for (const auto& [first, last] : extent) {
        long index = 0;
        const auto [behind, error] = std::from_chars(next, end, index);
        inside = inside && error == std::errc() && index >= first && index <= last;
        next = behind == end ? end : behind + 1;
        indices.push_back(index);
      }
      if (inside && expr::indexed_name(base, indices) == name)
        return fmt::format("{} is a member of the family {} and cannot be the name of an index",
                           in_quotes(name), in_quotes(base));
    }
    return std::nullopt;
  }

  void check_sizes() {
    for (const Definition& size : draft_.sizes) {
      if (const auto reason = member_objection(size.name)) complaints_.add(size.where, *reason);
    }
  }

  void complain(Location where, const std::string& message) {
    if (!quiet_ && told_.insert(fmt::format("{}:{}:{}", where.line, where.column, message)).second)
      complaints_.add(where, message);
  }

  bool charge(std::size_t amount, Location where) {
    if (amount <= budget_) {
      budget_ -= amount;
      return true;
    }
    budget_ = 0;
    if (!spent_)
      complain(where, "the model is too long once its families, sums and indices are written out");
    spent_ = spent_ || !quiet_;
    return false;
  }

  // Ranges.
  /// Calls `use` for every value of the indices of some ranges, which it then knows. False: one of
  /// them is wrong.
  template <class Use>
  bool for_each_value(const Ranges& ranges, std::size_t which, const Use& use) {
    if (which == ranges.size()) {
      use();
      return true;
    }
    const Word& said = ranges[which];
    const auto range = expr::parse_range(said.text, indices_);
    if (!range || range->name.empty()) {
      complain(said.where, range ? "a range for a statement names its index: for = \"i = 1..6\""
                                 : range.error().message);
      return false;
    }
    if (const auto reason = variable_objection(range->name)) {
      complain(said.where, *reason);
      return false;
    }
    for (long i = range->first; i <= range->last; ++i) {
      if (!charge(1, said.where)) return false;
      indices_.emplace_back(range->name, i);
      const bool good = for_each_value(ranges, which + 1, use);
      indices_.pop_back();
      if (!good) return false;
    }
    return true;
  }

  /// Calls `use` with the name of every member that an indexed name says, its indices known.
  template <class Use>
  bool for_each_member(const std::string& text, Location where, KeyKind kind, const Use& use) {
    const auto name = expr::parse_indexed_name(text, indices_);
    if (!name) {
      complain(where, name.error().message);
      return false;
    }
    std::vector<long> values;
    return members(*name, where, kind, values, use);
  }

  template <class Use>
  bool members(const IndexedName& name, Location where, KeyKind kind, std::vector<long>& values,
               const Use& use) {
    if (values.size() == name.items.size()) {
      const bool of_family = kind == KeyKind::declares || kind == KeyKind::uses;
      const auto reason =
          of_family ? objection(name.base, values) : negative_index(name.base, values);
      if (reason) complain(where, *reason);
      if (reason || !charge(name.base.size() + 1, where)) return false;
      use(expr::indexed_name(name.base, values) +
          std::string(static_cast<std::size_t>(name.primes), '\''));
      return true;
    }
    const IndexItem& item = name.items[values.size()];
    IndexRange range = item.range;
    if (item.form == IndexItem::Form::variable) {
      const auto family = families_.find(name.base);
      // Where a family begins, an index without a range has none.
      if (kind != KeyKind::uses || family == families_.end() ||
          family->second.size() != name.items.size()) {
        complain(where, fmt::format("give the range of {0}, as in {1}[{0} = 1..6]", range.name,
                                    shortened(name.base, 60)));
        return false;
      }
      std::tie(range.first, range.last) = family->second[values.size()];
    }
    if (!range.name.empty()) {
      if (const auto reason = variable_objection(range.name)) {
        complain(where, *reason);
        return false;
      }
    }
    bool good = true;
    for (long i = range.first; good && i <= range.last; ++i) {
      if (!range.name.empty()) indices_.emplace_back(range.name, i);
      values.push_back(i);
      good = members(name, where, kind, values, use);
      values.pop_back();
      if (!range.name.empty()) indices_.pop_back();
    }
    return good;
  }

  // Pieces of statements.
  void write_formula(Formula& formula) {
    if (formula.form != Formula::Form::text || (indices_.empty() && !may_have_indices(formula)))
      return;
    auto written = expr::write_out(formula.text, indices_, rules_);
    if (!written) {
      const expr::ParseError& error = written.error();
      if (budget_ > 0 || !spent_)
        complain(places_.within(formula, error.begin, error.end), error.message);
      spent_ = spent_ || budget_ == 0;
      formula.form = Formula::Form::refused;
      return;
    }
    if (written->text == formula.text) return;
    formula.text = written->text;
    formula.written = std::make_shared<const expr::WrittenOut>(*std::move(written));
  }

  template <class Statement>
  void write_formulas(Statement& statement) {
    const auto write = [this](Formula& formula) { write_formula(formula); };
    Formulas<decltype(write)> formulas(write);
    formulas(statement);
  }

  /// One name, all of its indices known.
  bool write_name(std::string& name, Location where) {
    if (!expr::has_index(name)) return true;
    const auto parsed = expr::parse_indexed_name(name, indices_);
    if (!parsed) {
      complain(where, parsed.error().message);
      return false;
    }
    std::vector<long> values;
    for (const IndexItem& item : parsed->items) {
      if (item.form != IndexItem::Form::value) {
        complain(where,
                 fmt::format("{} must name one: give its index a range by for = \"i = 1..6\"",
                             in_quotes(name)));
        return false;
      }
      values.push_back(item.range.first);
    }
    if (const auto reason = objection(parsed->base, values)) {
      complain(where, *reason);
      return false;
    }
    name = expr::indexed_name(parsed->base, values);
    return true;
  }

  /// The name of another statement.
  void write_name(std::optional<Word>& name, bool& refused) {
    if (!name || write_name(name->text, name->where)) return;
    name.reset();
    refused = true;
  }

  /// A title may hold indices anywhere: "rod [i]".
  void write_title(std::optional<Word>& title) const {
    if (title && in_ranges_) title->text = expr::titled(title->text, indices_);
  }

  // Lists of statements.
  /// Each of `list` once for all values of its indices; `write_names` is false where the statement
  /// is left out.
  template <class Statement, class WriteNames>
  void write_statements(std::vector<Statement>& list, const WriteNames& write_names) {
    std::vector<Statement> result;
    const auto add = [&](Statement statement) {
      if (!write_names(statement)) {
        incomplete_ = true;
        return;
      }
      write_formulas(statement);
      result.push_back(std::move(statement));
    };
    for (Statement& said : list) {
      const Ranges over = std::exchange(said.over, {});
      in_ranges_ = !over.empty();
      if (!for_each_value(over, 0, [&] {
            if (over.empty() || charge(sizeof(Statement) / 8, over.front().where)) add(said);
          }))
        incomplete_ = true;
    }
    in_ranges_ = false;
    if (spent_) result.clear();
    list = std::move(result);
  }

  template <class Statement>
  void write_definitions(std::vector<Statement>& list, KeyKind kind) {
    std::vector<Statement> result;
    for (const Statement& said : list) {
      if (!expr::has_index(said.name) || (kind == KeyKind::title && is_title(said.name))) {
        result.push_back(said);
        write_formulas(result.back());
        continue;
      }
      const bool good = for_each_member(said.name, said.where, kind, [&](std::string name) {
        Statement member = said;
        member.name = std::move(name);
        write_formulas(member);
        result.push_back(std::move(member));
      });
      if (!good && kind == KeyKind::declares) incomplete_ = true;
    }
    list = std::move(result);
  }

  /// Whether a constraint is called just so, brackets and all.
  bool is_title(const std::string& name) const {
    return std::any_of(draft_.constraints.begin(), draft_.constraints.end(),
                       [&](const ConstraintStatement& constraint) {
                         return constraint.over.empty() && constraint.name &&
                                constraint.name->text == name;
                       });
  }

  void write_words(Words& words, KeyKind kind) {
    std::vector<Word> result;
    for (const Word& word : words.items) {
      if (!expr::has_index(word.text)) {
        result.push_back(word);
        continue;
      }
      const bool good = for_each_member(word.text, word.where, kind, [&](std::string name) {
        result.push_back({std::move(name), word.where});
      });
      if (good) continue;
      words.refused = true;
      if (kind == KeyKind::declares) incomplete_ = true;
    }
    words.items = std::move(result);
  }

  const Draft& draft_;
  Complaints& complaints_;
  FormulaPlaces places_;
  expr::IndexRules rules_;
  std::size_t budget_ = longest_written_out;
  bool spent_ = false;       ///< and told so
  bool incomplete_ = false;  ///< names may be missing
  bool quiet_ = false;
  bool in_ranges_ = false;  ///< of the statement at work
  Indices indices_;
  std::unordered_map<std::string, std::string_view> names_;  ///< without indices; what they are of
  std::unordered_set<std::string> plain_;                    ///< without indices as they are said
  std::unordered_map<std::string, Extent> families_;
  std::unordered_set<std::string> told_;
};

}  // namespace

std::optional<Draft> written_out(const Draft& draft, Complaints& complaints) {
  if (!has_indices(draft)) return std::nullopt;
  return Writing(draft, complaints).write();
}

std::string_view family_of(std::string_view name) {
  return expr::has_index(name) ? name.substr(0, name.find('[')) : name;
}

}  // namespace dalembert::model
