#pragma once
/// The one set of names that coordinates, parameters, lets, bodies and joints share.

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dalembert/expr/table.hpp"
#include "dalembert/model/complaints.hpp"

namespace dalembert::model {

enum class NameKind { coordinate, parameter, let, vector, body, joint, table };

struct Declaration {
  NameKind kind = NameKind::coordinate;
  std::size_t index = 0;  ///< among those of its kind
  Location where = {};
  bool broken = false;    ///< reported already; whoever uses it keeps quiet
  bool discrete = false;  ///< of a parameter: events change it
  bool input = false;     ///< of a parameter: it is set from outside
  std::shared_ptr<const expr::Table> table = {};
};

class Names {
 public:
  /// Complains about a name that is malformed, reserved or taken; false then.
  bool declare(const std::string& name, const Declaration& declaration, Complaints& complaints);

  /// A parameter of the program's own, whose name no model can bear and nobody is told.
  void declare_internal(const std::string& name, const Declaration& declaration) {
    declared_.emplace(name, declaration);
  }

  /// Something that may have declared names could not be read: unknown names are no news.
  void mark_incomplete() { incomplete_ = true; }
  bool is_incomplete() const { return incomplete_; }
  void mark_broken(const std::string& name);
  void set_table(const std::string& name, std::shared_ptr<const expr::Table> table);
  /// A let turned out to be a vector.
  void mark_vector(const std::string& name);

  const Declaration* find(std::string_view name) const;
  bool is_coordinate(std::string_view name) const;

  const std::vector<std::string>& all() const { return all_; }
  const std::vector<std::string>& coordinates() const { return coordinates_; }
  const std::vector<std::string>& bodies() const { return bodies_; }
  const std::vector<std::string>& tables() const { return tables_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>()(name);
    }
  };

  std::unordered_map<std::string, Declaration, Hash, std::equal_to<>> declared_;
  std::vector<std::string> all_;
  std::vector<std::string> coordinates_;
  std::vector<std::string> bodies_;
  std::vector<std::string> tables_;
  bool incomplete_ = false;
};

/// Complains about a text, named by `what`, that holds characters which do not show (controls,
/// marks of direction) but those `allowed`. False then.
bool check_shows(std::string_view text, std::string_view what, std::string_view allowed,
                 Location where, Complaints& complaints);

/// Complains about a title, such as a constraint's name, that is empty or does not show. False
/// then.
bool check_title(std::string_view title, std::string_view what, Location where,
                 Complaints& complaints);

/// Complains about the name of something that expressions do not use, an output say (`what` is "an
/// output"): it must be a name, and not that of a coordinate. False then.
bool check_label(std::string_view name, std::string_view what, Location where, const Names& names,
                 Complaints& complaints);

}  // namespace dalembert::model
