#include "dalembert/model/assembly/names.hpp"

#include <fmt/format.h>

#include "dalembert/expr/characters.hpp"
#include "dalembert/expr/parse.hpp"

namespace dalembert::model {

namespace {

std::string_view described(const Declaration& declaration) {
  switch (declaration.kind) {
    case NameKind::coordinate:
      return "a coordinate";
    case NameKind::parameter:
      return declaration.discrete ? "a discrete value"
             : declaration.input  ? "an input"
                                  : "a parameter";
    case NameKind::let:
    case NameKind::vector:
      return "a let";
    case NameKind::body:
      return "a body";
    case NameKind::joint:
      return "a joint";
    case NameKind::table:
      return "a table";
  }
  return "something";
}

/// Complains about what cannot be a name.
bool check_name(std::string_view name, std::string_view what, Location where,
                Complaints& complaints) {
  if (!expr::is_name(name)) {
    complaints.add(
        where,
        fmt::format("{} cannot be the name of {}: a name is a letter or '_', then letters, digits "
                    "and '_'",
                    in_quotes(name), what));
    return false;
  }
  if (expr::is_reserved(name)) {
    complaints.add(where, fmt::format("{} has a meaning of its own and cannot be the name of {}",
                                      in_quotes(name), what));
    return false;
  }
  return true;
}

}  // namespace

bool check_label(std::string_view name, std::string_view what, Location where, const Names& names,
                 Complaints& complaints) {
  if (!check_name(name, what, where, complaints)) return false;
  if (!names.is_coordinate(name)) return true;
  complaints.add(where, fmt::format("{} is a coordinate and cannot be the name of {} too",
                                    in_quotes(name), what));
  return false;
}

bool check_shows(std::string_view text, std::string_view what, std::string_view allowed,
                 Location where, Complaints& complaints) {
  const auto hidden = expr::first_hidden(text, allowed);
  if (!hidden) return true;
  complaints.add(where,
                 fmt::format("{} must not hold {}, a character that does not show", what, *hidden));
  return false;
}

bool check_title(std::string_view title, std::string_view what, Location where,
                 Complaints& complaints) {
  if (title.empty()) {
    complaints.add(where, fmt::format("the name of {} must not be empty", what));
    return false;
  }
  return check_shows(title, fmt::format("the name of {}", what), "", where, complaints);
}

bool Names::declare(const std::string& name, const Declaration& declaration,
                    Complaints& complaints) {
  if (!check_name(name, described(declaration), declaration.where, complaints)) {
    mark_incomplete();
    return false;
  }
  const auto [place, inserted] = declared_.emplace(name, declaration);
  if (!inserted) {
    const Declaration& earlier = place->second;
    std::string line = earlier.where.line > 0 ? fmt::format(" (line {})", earlier.where.line) : "";
    complaints.add(declaration.where, fmt::format("{} is already the name of {}{}", in_quotes(name),
                                                  described(earlier), line));
    return false;
  }
  all_.push_back(name);
  if (declaration.kind == NameKind::coordinate) coordinates_.push_back(name);
  if (declaration.kind == NameKind::table) tables_.push_back(name);
  if (declaration.kind == NameKind::body) bodies_.push_back(name);
  return true;
}

void Names::mark_broken(const std::string& name) {
  if (const auto found = declared_.find(name); found != declared_.end())
    found->second.broken = true;
}

void Names::set_table(const std::string& name, std::shared_ptr<const expr::Table> table) {
  declared_.at(name).table = std::move(table);
}

void Names::mark_vector(const std::string& name) {
  if (const auto found = declared_.find(name); found != declared_.end())
    found->second.kind = NameKind::vector;
}

const Declaration* Names::find(std::string_view name) const {
  const auto found = declared_.find(name);
  return found == declared_.end() ? nullptr : &found->second;
}

bool Names::is_coordinate(std::string_view name) const {
  const Declaration* declaration = find(name);
  return declaration != nullptr && declaration->kind == NameKind::coordinate;
}

}  // namespace dalembert::model
