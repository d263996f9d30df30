// How a model is drawn: the shapes of bodies, and what is drawn beside them.
#include <fmt/format.h>

#include "dalembert/model/assembly/assembly.hpp"
#include "dalembert/model/joint_geometry.hpp"

namespace dalembert::model {

/// Complains of a number that is not positive whatever the parameters.
void Assembly::require_positive(const Expr& e, std::string_view what, Location where) {
  const std::optional<double> x = constant_value(e);
  if (x && !(*x > 0)) complaints.add(where, fmt::format("{} must be positive", what));
}

std::optional<Expr> Assembly::positive(const std::optional<Formula>& formula, std::string_view key,
                                       bool& good) {
  const std::optional<Located> e = located(formula, places::drawn_size, good);
  if (!e) return std::nullopt;
  require_positive(e->expr, fmt::format("'{}'", key), e->where);
  return e->expr;
}

void Assembly::assemble_solid(const SolidStatement& said, Body& body) {
  Solid& solid = body.solid;
  solid.kind = said.kind;
  solid.where = said.where;
  bool good = true;
  solid.radius = positive(said.radius, "radius", good);
  if (said.length) solid.length = positive(said.length->value, said.length->name, good);
  if (const auto size = located(said.size, places::drawn_size, good); size && good) {
    for (std::size_t i = 0; i < 3; ++i)
      require_positive(size->vector[i], "an entry of 'size'", size->where);
    solid.size = size->vector;
  }
  if (const auto axis = located(said.axis, places::drawn_size, good); axis && good) {
    solid.axis = axis->vector;
    if (solid.axis.is_zero())
      complaints.add(axis->where, "an axis needs a direction: this one is zero");
  }
}

void Assembly::assemble_view() {
  const ViewStatement& said = draft.view;
  View& view = model.view;
  if (said.up) {
    view.up = *said.up;
    view.up_sign = said.up_sign;
  }
  view.no_ground = said.no_ground;
  if (said.ground) view.ground = expression(*said.ground, places::drawn_size);
  const auto place = [this](const VectorFormula& formula, const Place& where, bool& good) {
    const std::optional<Vector> v = vector(formula, where);
    good = good && v;
    return v.value_or(Vector{});
  };
  for (std::size_t i = 0; i < said.points.size(); ++i) {
    const ViewPointStatement& written = said.points[i];
    bool good = !written.refused;
    ViewPoint point{title_of(written.name, "a point", "point ", i + 1)};
    point.where = written.where;
    point.at = place(written.at, places::drawn_place, good);
    point.radius = positive(written.radius, "radius", good);
    point.mass = positive(written.mass, "mass", good);
    point.trail = written.trail;
    if (good) view.points.push_back(std::move(point));
  }
  for (std::size_t i = 0; i < said.segments.size(); ++i) {
    const ViewSegmentStatement& written = said.segments[i];
    bool good = !written.refused;
    ViewSegment segment{title_of(written.name, "a segment", "segment ", i + 1)};
    segment.where = written.where;
    segment.from = place(written.from, places::drawn_place, good);
    segment.to = place(written.to, places::drawn_place, good);
    segment.style = written.style;
    segment.radius = positive(written.radius, "radius", good);
    if (good) view.segments.push_back(std::move(segment));
  }
  for (std::size_t i = 0; i < said.arrows.size(); ++i) {
    const ViewArrowStatement& written = said.arrows[i];
    bool good = !written.refused;
    ViewArrow arrow{title_of(written.name, "an arrow", "arrow ", i + 1)};
    arrow.where = written.where;
    arrow.at = place(written.at, places::drawn_arrow, good);
    arrow.vector = place(written.vector, places::drawn_arrow, good);
    arrow.kind = written.kind;
    if (good) view.arrows.push_back(std::move(arrow));
  }
}

}  // namespace dalembert::model
