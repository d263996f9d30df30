#pragma once
/// Named quantities: lets, the components of those that are vectors, and the geometry of bodies.
/// Each is kept as it is written, with those that it uses as symbols of their own kind ("markers");
/// a marker of order k stands for the k-th time derivative. So the derivative of a let costs as
/// much as its own text, however deep the chain of lets under it, and is put together once.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/vector.hpp"
#include "dalembert/model/assembly/depth_first.hpp"

namespace dalembert::model {

using expr::Expr;
using expr::Vector;

/// What a let contains, with all that it uses: enough to decide where it may stand.
struct LetContent {
  int coordinate_order = -1;  ///< highest derivative of a coordinate; -1: no coordinate
  int derivatives = 0;        ///< highest derivative of anything that moves
  bool time = false;
  std::string ideal;     ///< `ideal.x`, if it contains that
  std::string nonideal;  ///< `nonideal.x`, likewise
  std::string reaction;  ///< `reaction.NAME`, likewise
};

inline constexpr std::size_t let_orders = 3;  ///< a let, its first and its second derivative

/// The components of a vector.
using VectorLets = std::array<std::size_t, 3>;

/// Where a body is and how it is turned, in the fixed frame.
struct PoseLets {
  VectorLets origin = {}, center = {}, spin = {};
  std::array<VectorLets, 3> rotation = {};
  bool oriented = false;  ///< else there is no spin and no rotation

  /// What expressions call "x", "wx" or "rxy".
  std::optional<std::size_t> find(std::string_view part) const;
};

/// What stands behind the dot, of a vector and of a body.
inline constexpr std::string_view component_names[3] = {"x", "y", "z"};
inline constexpr std::string_view body_spin[3] = {"wx", "wy", "wz"};
inline constexpr std::string_view body_rotation[3][3] = {
    {"rxx", "rxy", "rxz"}, {"ryx", "ryy", "ryz"}, {"rzx", "rzy", "rzz"}};
/// "disk.x"
std::string member(std::string_view owner, std::string_view what);

class Lets {
 public:
  /// The symbol that stands for a derivative of a let inside another one.
  Expr marker(std::size_t let, int order = 0) const;
  Vector markers(const VectorLets& vector) const;
  /// The let whose marker a symbol is.
  std::optional<std::size_t> find(const expr::Symbol& symbol) const;
  /// What has a name.
  std::optional<std::size_t> find(std::string_view name) const;
  const VectorLets* find_vector(std::string_view name) const;
  const PoseLets* find_pose(std::string_view name) const;

  std::size_t add(std::string name);
  void add_vector(const std::string& name);
  void add_pose(const std::string& name, bool oriented);
  void define(std::size_t let, Expr written);
  void set_content(std::size_t let, LetContent content) { lets_[let].content = std::move(content); }

  std::size_t size() const { return lets_.size(); }
  const std::string& name(std::size_t let) const { return lets_[let].name; }
  const LetContent& content(std::size_t let) const { return lets_[let].content; }
  /// The symbols in a let that is defined, markers among them, in the order of a postorder walk.
  const std::vector<Expr>& symbols_of(std::size_t let);
  /// The lets that occur in a let, each once.
  std::vector<std::size_t> uses(std::size_t let);
  /// Whether an expression in markers contains a coordinate, be it through lets. A let that is not
  /// defined yet counts as one that does. Circles do no harm.
  bool contains_coordinate(const Expr& in_markers) const;

  /// A derivative of a let, in markers.
  const Expr& written(std::size_t let, std::size_t order);
  /// The same in coordinates, parameters and time. The lets under it must be free of circles.
  const Expr& value(std::size_t let, std::size_t order);
  Vector values(const VectorLets& vector, std::size_t order);
  /// An expression in markers, in coordinates, parameters and time.
  Expr resolved(const Expr& in_markers);
  /// Whether the numbers in a let's value have become absurdly long. Lets that multiply constant
  /// lets can make them grow without bound, far beyond what a double could hold, so each let is
  /// checked before others build on it.
  bool has_endless_number(std::size_t let);

 private:
  struct Let {
    std::string name;
    std::array<std::optional<Expr>, let_orders> written, value;
    std::optional<std::vector<Expr>> symbols;
    LetContent content;
  };

  /// Where `resolve_` has the derivative of a let that a symbol stands for.
  std::optional<std::size_t> node_of(const Expr& symbol) const;
  /// With the values of the lets in it, which must be known.
  Expr with_values(const Expr& in_markers, const std::vector<Expr>& symbols) const;

  std::vector<Let> lets_;
  std::unordered_map<std::string, std::size_t> numbers_;  ///< by name, "disk.rxy" too
  std::unordered_map<std::string, VectorLets> vectors_;
  std::unordered_map<std::string, PoseLets> poses_;
  std::unique_ptr<DepthFirst> resolve_;  ///< its nodes are let_orders * let + order
};

}  // namespace dalembert::model
