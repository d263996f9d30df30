#include "dalembert/mechanics/kept_reactions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/mechanics/body_links.hpp"
#include "dalembert/mechanics/loads_by_hand.hpp"

namespace dalembert::mechanics {

using expr::Expr;
using expr::Symbol;
using expr::SymbolKind;
using model::Body;
using model::BodyKind;
using model::Joint;
using model::KeptRow;
using model::Load;
using model::Vector;

namespace {

constexpr double negligible = 1e-9;
constexpr std::size_t most_bodies = 64;  // the rank of all that they are held by is looked at

/// log(-1): a value that is not a number wherever it is computed.
Expr not_known() {
  return expr::log(Expr(-1));
}

/// As Displacement, in expressions.
struct Virtual {
  Vector shift = {}, turn = {}, pole = {};

  Vector at(const Vector& place) const { return shift + cross(turn, place - pole); }
};

/// What moving a body takes beyond its loads: at its centre of mass, and about it.
struct Effort {
  Vector force = {}, moment = {};
};

class Completion {
 public:
  Completion(model::Model& model, const BodyLinks& links, const HandLoads& hand)
      : model_(model), links_(links), hand_(hand) {
    loads_.resize(model.bodies.size());
    for (const Load& load : model.loads) loads_[load.body].push_back(&load);
    for (const Load& load : hand.loads) loads_[load.body].push_back(&load);
    efforts_.resize(model.bodies.size());
  }

  /// The factors that are known, and why the others are not.
  void run() {
    struct Open {
      std::size_t joint, row;
    };
    std::vector<Open> open;
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      for (std::size_t r = 0; r < model_.joints[j].kept.size(); ++r) open.push_back({j, r});
    }
    // A factor that has been found may open the way to others.
    for (bool progress = true; progress && !open.empty();) {
      progress = false;
      std::erase_if(open, [&](const Open& o) {
        const bool solved = solve(o.joint, o.row);
        progress = progress || solved;
        return solved;
      });
    }
  }

  const expr::ExprMap& factors() const { return factors_; }
  /// Why the factor of this name is not known.
  std::string reason(const std::string& name) const {
    const auto found = reasons_.find(name);
    return found == reasons_.end() ? loop : found->second;
  }

 private:
  /// One displacement after the other: along the row itself, then about the points of other
  /// joints, whose forces there do no work.
  bool solve(std::size_t j, std::size_t r) {
    const Joint& joint = model_.joints[j];
    const KeptRow& row = joint.kept[r];
    const bool moment = row.force.is_zero();
    const auto own = [&](std::size_t draw) {
      Displacement d;
      if (moment) {
        d.turn = links_.moment(draw, j, r);
        d.pole = links_.point(draw, j);
      } else {
        d.shift = links_.force(draw, j, r);
      }
      return d;
    };
    if (try_displacement(j, r, own, false, [&] {
          return moment ? Virtual{{}, row.moment, joint.point} : Virtual{row.force, {}, {}};
        }))
      return true;
    if (moment || has_friction(joint)) return false;
    for (std::size_t i = 0; i < model_.joints.size(); ++i) {
      if (i == j) continue;
      const auto about = [&](std::size_t draw) {
        Displacement d;
        d.pole = links_.point(draw, i);
        const Vector3 p = links_.point(draw, j), &u = links_.force(draw, j, r);
        const Vector3 arm = {p[0] - d.pole[0], p[1] - d.pole[1], p[2] - d.pole[2]};
        d.turn = {arm[1] * u[2] - arm[2] * u[1], arm[2] * u[0] - arm[0] * u[2],
                  arm[0] * u[1] - arm[1] * u[0]};
        return d;
      };
      if (try_displacement(j, r, about, true, [&] {
            const Vector& pole = model_.joints[i].point;
            return Virtual{{}, cross(joint.point - pole, row.force), pole};
          }))
        return true;
    }
    return false;
  }

  template <class Numbers, class Formula>
  bool try_displacement(std::size_t j, std::size_t r, const Numbers& numbers, bool with_own_known,
                        const Formula& formula) {
    const std::string& name = model_.joints[j].kept[r].factor().symbol().name;
    std::vector<Displacement> drawn;
    for (std::size_t draw = 0; draw < links_.draws(); ++draw) {
      drawn.push_back(numbers(draw));
      if (std::abs(links_.work(draw, j, r, drawn.back())) < negligible) return false;
    }
    // The other unknown rows of the joint must not take part; along its own row they do not.
    for (std::size_t s = 0; with_own_known && s < model_.joints[j].kept.size(); ++s) {
      if (s != r && is_open(j, s) && does_work(j, s, drawn)) return false;
    }
    std::vector<std::array<std::size_t, 2>> edges;
    bool unnamed = false;
    for (std::size_t i = 0; i < model_.joints.size(); ++i) {
      if (i == j) continue;
      const Joint& other = model_.joints[i];
      bool counts = false;
      for (std::size_t s = 0; s < other.kept.size(); ++s) {
        if (!is_open(i, s)) continue;
        counts = counts || does_work(i, s, drawn) || has_friction(other);
      }
      if (counts) edges.push_back(links_.nodes(i));
    }
    for (std::size_t l = 0; l < links_.links().size(); ++l) {
      bool counts = false;
      for (std::size_t draw = 0; draw < drawn.size(); ++draw)
        counts = counts || links_.most_work(draw, l, drawn[draw]) > negligible;
      if (!counts) continue;
      edges.push_back(links_.links()[l].nodes);
      unnamed = true;
    }
    for (const std::size_t side : {std::size_t{1}, std::size_t{0}}) {
      const std::vector<bool> part = reached(links_.nodes(j)[side], edges);
      if (part[links_.nodes(j)[1 - side]] || part[0]) continue;
      if (const std::string* why = open_body(part)) {
        reasons_[name] = *why;
        continue;
      }
      const Virtual d = formula();
      const KeptRow& row = model_.joints[j].kept[r];
      const Expr work = dot(row.force, d.at(model_.joints[j].point)) + dot(row.moment, d.turn);
      Expr left = effort_of(part, d) - known_of_others(part, j, d);
      if (side == 0) left = -left;
      if (with_own_known) left -= known_work(j, d);
      factors_.emplace(row.factor(), left / work);
      return true;
    }
    reasons_.try_emplace(name, unnamed ? held : loop);
    return false;
  }

  bool is_open(std::size_t joint, std::size_t row) const {
    return !factors_.contains(model_.joints[joint].kept[row].factor());
  }
  bool does_work(std::size_t joint, std::size_t row, const std::vector<Displacement>& drawn) const {
    for (std::size_t draw = 0; draw < drawn.size(); ++draw) {
      if (std::abs(links_.work(draw, joint, row, drawn[draw])) > negligible) return true;
    }
    return false;
  }
  bool has_friction(const Joint& joint) const {
    return std::ranges::any_of(model_.frictions,
                               [&](const model::Friction& f) { return f.joint == joint.name; });
  }

  std::vector<bool> reached(std::size_t from,
                            const std::vector<std::array<std::size_t, 2>>& edges) const {
    std::vector<bool> in(model_.bodies.size() + 1, false);
    in[from] = true;
    for (bool grows = true; grows;) {
      grows = false;
      for (const auto& [a, b] : edges) {
        if (in[a] == in[b]) continue;
        in[a] = in[b] = grows = true;
      }
    }
    return in;
  }

  /// Why what acts on one of these bodies is not known, if so.
  const std::string* open_body(const std::vector<bool>& part) const {
    for (const auto& [body, why] : hand_.open) {
      if (part[body + 1]) return &why;
    }
    return nullptr;
  }

  const Effort& effort(std::size_t body) {
    std::optional<Effort>& known = efforts_[body];
    if (known) return *known;
    known.emplace();
    const Body& b = model_.bodies[body];
    if (b.kind != BodyKind::frame) known->force = b.mass * time_derivative(b.velocity);
    if (b.kind == BodyKind::body) {
      const Vector momentum = b.inertia * b.spin;
      known->moment = b.rotation * (b.inertia * time_derivative(b.spin) + cross(b.spin, momentum));
    }
    for (const Load* load : loads_[body]) {
      known->force = known->force - load->force;
      known->moment =
          known->moment - load->torque - cross(load->point - b.center_of_mass, load->force);
    }
    return *known;
  }

  Expr effort_of(const std::vector<bool>& part, const Virtual& d) {
    std::vector<Expr> terms;
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
      if (!part[b + 1]) continue;
      const Effort& e = effort(b);
      terms.push_back(dot(e.force, d.at(model_.bodies[b].center_of_mass)));
      terms.push_back(dot(e.moment, d.turn));
    }
    return expr::sum(terms);
  }

  /// The work of what is known of a joint's reaction, on its second body.
  Expr known_work(std::size_t i, const Virtual& d) const {
    const Joint& joint = model_.joints[i];
    expr::ExprMap known = factors_;
    for (const KeptRow& row : joint.kept) known.try_emplace(row.factor(), Expr(0));
    return expr::substitute(dot(joint.force, d.at(joint.point)) + dot(joint.moment, d.turn), known);
  }

  Expr known_of_others(const std::vector<bool>& part, std::size_t j, const Virtual& d) const {
    std::vector<Expr> terms;
    for (std::size_t i = 0; i < model_.joints.size(); ++i) {
      const auto& [a, b] = links_.nodes(i);
      if (i == j || part[a] == part[b]) continue;
      terms.push_back(part[b] ? known_work(i, d) : -known_work(i, d));
    }
    return expr::sum(terms);
  }

  static constexpr const char* loop = "a loop of joints leaves it open";
  static constexpr const char* held =
      "the coordinates hold bodies beyond it without a joint that would say how";

  model::Model& model_;
  const BodyLinks& links_;
  const HandLoads& hand_;
  std::vector<std::vector<const Load*>> loads_;
  std::vector<std::optional<Effort>> efforts_;
  expr::ExprMap factors_;
  std::unordered_map<std::string, std::string> reasons_;
};

/// The first factor in e that has no value, by the name of its symbol.
std::optional<std::string> open_factor(const Expr& e,
                                       const std::map<std::string, std::string>& open) {
  const auto found = expr::find_symbol(e, [&](const Symbol& s) {
    return s.kind == SymbolKind::multiplier && open.contains(s.name);
  });
  if (!found) return std::nullopt;
  return found->symbol().name;
}

}  // namespace

std::vector<model::Diagnostic> complete_reactions(model::Model& model) {
  std::vector<model::Diagnostic> wrong;
  const auto has_kept = [](const Joint& joint) { return !joint.kept.empty(); };
  if (std::ranges::none_of(model.joints, has_kept)) return wrong;
  expr::ExprMap factors;
  std::map<std::string, std::string> open;  // by name: why
  const auto leave_open = [&](const char* why) {
    for (const Joint& joint : model.joints) {
      for (const KeptRow& row : joint.kept) open.emplace(row.factor().symbol().name, why);
    }
  };
  if (model.bodies.size() > most_bodies) {
    leave_open("it is computed only in models of up to 64 bodies");
  } else if (const BodyLinks links(model); !links.is_known() || !model.by_hand) {
    leave_open("the geometry of the bodies cannot be judged");
  } else {
    const HandLoads hand = find_hand_loads(model, links);
    Completion completion(model, links, hand);
    completion.run();
    factors = completion.factors();
    model.reaction_notes = hand.notes;
    for (const Joint& joint : model.joints) {
      for (const KeptRow& row : joint.kept) {
        const std::string& name = row.factor().symbol().name;
        if (!factors.contains(row.factor())) open.emplace(name, completion.reason(name));
      }
    }
  }
  std::map<std::string, std::string> joint_of;
  for (const Joint& joint : model.joints) {
    for (const KeptRow& row : joint.kept) joint_of.emplace(row.factor().symbol().name, joint.name);
  }
  for (model::Friction& friction : model.frictions) {
    friction.normal = expr::substitute(friction.normal, factors);
    for (const Expr& e : friction.normal) {
      const auto name = open_factor(e, open);
      if (!name) continue;
      wrong.push_back(
          {fmt::format(
               "friction of joint '{}': the coordinates keep what it presses on, and the force "
               "there is not known, because {}; give the body a coordinate in that direction",
               friction.joint, open.at(*name)),
           friction.where});
      break;
    }
  }
  for (model::Named& output : model.outputs) {
    output.expr = expr::substitute(output.expr, factors);
    if (const auto name = open_factor(output.expr, open)) {
      wrong.push_back({fmt::format("output '{}' needs a part of the reaction of joint '{}' that is "
                                   "not known: {}",
                                   output.name, joint_of.at(*name), open.at(*name)),
                       output.where});
    }
  }
  for (model::Named& reaction : model.reactions) {
    reaction.expr = expr::substitute(reaction.expr, factors);
    const auto name = open_factor(reaction.expr, open);
    if (!name) continue;
    const std::string& joint = joint_of.at(*name);
    model.unknown_reactions.push_back(
        {reaction.name, joint,
         reaction.name.substr(std::min(reaction.name.size(), joint.size() + 1)), open.at(*name)});
    reaction.expr = not_known();
  }
  for (Joint& joint : model.joints) {
    for (Vector* v : {&joint.force, &joint.moment, &joint.body_force, &joint.body_moment}) {
      for (std::size_t i = 0; i < 3; ++i) {
        (*v)[i] = expr::substitute((*v)[i], factors);
        if (open_factor((*v)[i], open)) (*v)[i] = not_known();
      }
    }
    joint.kept.clear();
  }
  return wrong;
}

}  // namespace dalembert::mechanics
