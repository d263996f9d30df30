#include "dalembert/model/edit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/parse.hpp"
#include "dalembert/model/assembly/places.hpp"
#include "dalembert/model/draft_formulas.hpp"
#include "dalembert/model/families.hpp"

namespace dalembert::model {

using namespace std::string_view_literals;

namespace {

/// Gives every formula the text or the expression with the new name.
class Renaming {
 public:
  Renaming(std::string_view from, std::string_view to) : from_(from), to_(to) {}

  void operator()(Formula& formula) const {
    if (formula.form == Formula::Form::text) {
      std::string text = expr::renamed(formula.text, from_, to_);
      if (text == formula.text) return;
      // It stands nowhere in the source any more.
      formula.text = std::move(text);
      formula.offset = std::string::npos;
      formula.written.reset();
    } else if (formula.form == Formula::Form::expression) {
      formula.expr = renamed(formula.expr, from_, to_);
    }
  }

 private:
  std::string from_, to_;
};

/// A family's name or a row's: "loop" is also that of "loop.x" and "loop[2]".
std::optional<std::string> renamed_title(std::string_view title, std::string_view from,
                                         std::string_view to) {
  if (!title.starts_with(from)) return std::nullopt;
  const std::string_view rest = title.substr(from.size());
  if (!rest.empty() && rest.front() != '.' && rest.front() != '[') return std::nullopt;
  return std::string(to).append(rest);
}

/// The title of a constraint, joint, contact or friction behind `lambda.` and `reaction.`
class TitleRenaming {
 public:
  TitleRenaming(std::string_view from, std::string_view to) : from_(from), to_(to) {}

  void operator()(Formula& formula) const {
    const auto title_of = [&](std::string_view title) {
      return renamed_title(title, from_, to_).value_or(std::string(title));
    };
    if (formula.form == Formula::Form::text) {
      std::string text = expr::with_titles(formula.text, title_of);
      if (text == formula.text) return;
      formula.text = std::move(text);
      formula.offset = std::string::npos;
      formula.written.reset();
    } else if (formula.form == Formula::Form::expression) {
      expr::ExprMap replacements;
      for (const Expr& symbol : expr::symbols(std::span(&formula.expr, 1))) {
        const expr::Symbol& s = symbol.symbol();
        if (s.kind == expr::SymbolKind::multiplier) {
          if (const auto title = renamed_title(s.name, from_, to_))
            replacements.emplace(symbol, expr::multiplier(*title));
        } else if (is_reaction(s)) {
          const std::string_view of = std::string_view(s.name).substr(reaction_prefix.size());
          if (const auto title = renamed_title(of, from_, to_))
            replacements.emplace(symbol, expr::parameter(std::string(reaction_prefix) + *title));
        }
      }
      if (!replacements.empty()) formula.expr = expr::substitute(formula.expr, replacements);
    }
  }

 private:
  std::string from_, to_;
};

/// A name as it is or with indices behind it: "th" is also that of "th[1..6]".
bool is_called(std::string_view said, std::string_view name) {
  return said == name || (expr::has_index(said) && family_of(said) == name);
}

/// `said`, which is called so, under another name.
std::string renamed_name(std::string_view said, std::string_view to) {
  return expr::has_index(said) ? std::string(to).append(said.substr(family_of(said).size()))
                               : std::string(to);
}

/// The name of a statement: its own, or what it is called without one.
template <class Statement>
std::string name_of(const Statement& statement, std::string_view prefix, std::size_t number) {
  if constexpr (requires { statement.name->text; }) {
    return statement.name ? statement.name->text : fmt::format("{}{}", prefix, number);
  } else if constexpr (requires { statement.name; }) {
    return statement.name;
  } else {
    return statement.text;
  }
}

template <class Statement>
void set_name(Statement& statement, std::string_view name) {
  if constexpr (requires { statement.name->text; }) {
    statement.name = Word{std::string(name), statement.where};
  } else if constexpr (requires { statement.name; }) {
    statement.name = name;
  } else {
    statement.text = name;
  }
}

/// Calls `use` with the statements of a part, and what those without a name are called before their
/// number. Nothing where the draft has no such list.
template <class Use>
bool with_statements(Draft& draft, Part part, Use use) {
  switch (part) {
    case Part::coordinate:
      return draft.coordinates && use(draft.coordinates->items, "");
    case Part::parameter:
      return use(draft.parameters, "");
    case Part::let:
      return use(draft.lets, "");
    case Part::body:
      return use(draft.bodies, "");
    case Part::joint:
      return use(draft.joints, "");
    case Part::spring:
      return use(draft.springs, "");
    case Part::point_force:
      return use(draft.point_forces, "");
    case Part::force:
      return use(draft.forces, "");
    case Part::constraint:
      return use(draft.constraints, "constraint ");
    case Part::virtual_work:
      return use(draft.virtual_work, "");
    case Part::quasi_velocity:
      return use(draft.quasi_velocities, "");
    case Part::output:
      return use(draft.outputs, "");
    case Part::initial:
      return draft.initial && use(draft.initial->values, "");
    case Part::multiplier:
      return draft.initial && use(draft.initial->mu, "");
    case Part::discrete:
      return use(draft.discretes, "");
    case Part::event:
      return use(draft.events, "event ");
    case Part::contact:
      return use(draft.contacts, "contact ");
    case Part::friction:
      return use(draft.dry_frictions, "friction ");
  }
  return false;
}

void rename_words(std::vector<Word>& words, const std::string& from, std::string_view to) {
  for (Word& word : words) {
    if (is_called(word.text, from)) word.text = renamed_name(word.text, to);
  }
}

void rename_definitions(std::vector<Definition>& list, const std::string& from,
                        std::string_view to) {
  for (Definition& definition : list) {
    if (is_called(definition.name, from)) definition.name = renamed_name(definition.name, to);
  }
}

void rename_coordinate(Draft& draft, const std::string& from, const std::string& to) {
  rename_definitions(draft.forces, from, to);
  rename_definitions(draft.virtual_work, from, to);
  if (draft.independent) rename_words(draft.independent->items, from, to);
  for (const std::string primes : {"", "'"}) {
    for (EventStatement& event : draft.events)
      rename_definitions(event.set, from + primes, to + primes);
    if (!draft.initial) continue;
    rename_definitions(draft.initial->values, from + primes, to + primes);
    if (draft.initial->hold) rename_words(draft.initial->hold->items, from + primes, to + primes);
  }
}

void rename_word(std::optional<Word>& word, const std::string& from, std::string_view to) {
  if (word && is_called(word->text, from)) word->text = renamed_name(word->text, to);
}

void rename_body(Draft& draft, const std::string& from, std::string_view to) {
  for (BodyStatement& body : draft.bodies) rename_word(body.frame, from, to);
  for (JointStatement& joint : draft.joints) {
    for (std::optional<Word>& body : joint.bodies) rename_word(body, from, to);
  }
  for (SpringStatement& spring : draft.springs) {
    for (std::optional<Word>& body : spring.bodies) rename_word(body, from, to);
  }
  for (PointForceStatement& force : draft.point_forces) rename_word(force.body, from, to);
  for (ContactStatement& contact : draft.contacts) {
    if (!contact.bodies) continue;
    for (std::optional<Word>& body : *contact.bodies) rename_word(body, from, to);
  }
  if (!draft.initial) return;
  for (Definition& value : draft.initial->values) {  // angular velocities, "disk.wx"
    if (value.name.starts_with(from + "."))
      value.name = std::string(to).append(value.name.substr(from.size()));
  }
}

}  // namespace

Expr renamed(const Expr& e, std::string_view from, std::string_view to) {
  expr::ExprMap replacements;
  for (const Expr& symbol : expr::symbols(std::span(&e, 1))) {
    const expr::Symbol& s = symbol.symbol();
    if (s.name == from && s.kind != expr::SymbolKind::multiplier)
      replacements.emplace(symbol, expr::symbol({s.kind, s.order, std::string(to)}));
  }
  return replacements.empty() ? e : expr::substitute(e, replacements);
}

void rename_title(Formula& formula, std::string_view from, std::string_view to) {
  TitleRenaming(from, to)(formula);
}

bool remove(Draft& draft, Part part, std::string_view name) {
  return with_statements(draft, part, [&](auto& statements, std::string_view prefix) {
    std::size_t number = 0;
    return std::erase_if(statements, [&](const auto& statement) {
             return is_called(name_of(statement, prefix, ++number), name);
           }) > 0;
  });
}

bool rename(Draft& draft, Part part, std::string_view from, std::string_view to) {
  const std::string before(from), after(to);
  const bool found = with_statements(draft, part, [&](auto& statements, std::string_view prefix) {
    bool any = false;
    std::size_t number = 0;
    for (auto& statement : statements) {
      const std::string said = name_of(statement, prefix, ++number);
      if (!is_called(said, before)) continue;
      set_name(statement, renamed_name(said, after));
      any = true;
    }
    return any;
  });
  if (!found) return false;
  switch (part) {
    case Part::coordinate:
      rename_coordinate(draft, before, after);
      break;
    case Part::body:
      rename_body(draft, before, after);
      break;
    case Part::joint:
      for (SpringStatement& spring : draft.springs) rename_word(spring.joint, before, after);
      Formulas<TitleRenaming>(TitleRenaming(before, after))(draft);
      break;
    case Part::constraint:
      if (draft.initial) rename_definitions(draft.initial->mu, before, after);
      Formulas<TitleRenaming>(TitleRenaming(before, after))(draft);
      return true;
    case Part::contact:
    case Part::friction:
      Formulas<TitleRenaming>(TitleRenaming(before, after))(draft);
      return true;
    case Part::discrete:
      for (EventStatement& event : draft.events) rename_definitions(event.set, before, after);
      break;
    case Part::parameter:
    case Part::let:
      break;
    default:  // no expression knows these names
      return true;
  }
  Formulas<Renaming>(Renaming(before, after))(draft);
  return true;
}

}  // namespace dalembert::model
