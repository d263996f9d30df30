// A robot from URDF. TinyXML tells where things stand and what else there is; urdfdom reads the
// links and joints. This is the only file that sees them.
#include <console_bridge/console.h>
#include <fmt/format.h>
#include <tinyxml.h>
#include <urdf_model/model.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <span>
#include <string_view>

#include "dalembert/exchange/robot.hpp"
#include "dalembert/exchange/xml_guard.hpp"
#include "dalembert/expr/characters.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/model/complaints.hpp"
#include "dalembert/model/text_index.hpp"

namespace dalembert::exchange {

namespace {

using model::Complaints;
using model::Failure;
using std::string_view_literals::operator""sv;

// The elements that are read.
constexpr std::array robot_parts = {"link"sv, "joint"sv};
constexpr std::array link_parts = {"inertial"sv};
constexpr std::array inertial_parts = {"origin"sv, "mass"sv, "inertia"sv};
constexpr std::array joint_parts = {"origin"sv, "parent"sv,   "child"sv, "axis"sv,
                                    "limit"sv,  "dynamics"sv, "mimic"sv};

const std::map<std::string, JointType> joint_types = {
    {"fixed", JointType::fixed},           {"revolute", JointType::revolute},
    {"continuous", JointType::continuous}, {"prismatic", JointType::prismatic},
    {"planar", JointType::planar},         {"floating", JointType::floating}};

Location place(const TiXmlElement& element) {
  return {element.Row(), element.Column(), static_cast<int>(element.ValueStr().size()) + 1};
}

std::string attribute(const TiXmlElement* element, const char* name) {
  const char* value = element == nullptr ? nullptr : element->Attribute(name);
  return value == nullptr ? "" : value;
}

bool contains(std::span<const std::string_view> words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// What urdfdom says while this lives, instead of printing it.
class Listener : public console_bridge::OutputHandler {
 public:
  Listener() : lock_(mutex()), previous_(console_bridge::getOutputHandler()) {
    console_bridge::useOutputHandler(this);
  }
  ~Listener() override { console_bridge::useOutputHandler(previous_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  void log(const std::string& text, console_bridge::LogLevel level, const char* /*file*/,
           int /*line*/) override {
    (level == console_bridge::CONSOLE_BRIDGE_LOG_ERROR ? errors : warnings).push_back(text);
  }

  std::vector<std::string> errors, warnings;

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  std::scoped_lock<std::mutex> lock_;
  console_bridge::OutputHandler* previous_;
};

/// Elements that have no place in a model, with whose they are or what they are called.
class Ignored {
 public:
  void add(const std::string& element, const std::string& whose) {
    const auto [place, is_new] = owners_.try_emplace(element);
    if (is_new) order_.push_back(element);
    std::vector<std::string>& all = place->second;
    if (!whose.empty() && (all.empty() || all.back() != whose)) all.push_back(whose);
  }

  void tell(std::vector<std::string>& notes) const {
    for (const std::string& element : order_) {
      const std::vector<std::string>& all = owners_.at(element);
      notes.push_back(
          fmt::format("not carried over: <{}>{}{}", element, all.empty() ? "" : ": ", quoted(all)));
    }
  }

 private:
  std::vector<std::string> order_;
  std::map<std::string, std::vector<std::string>> owners_;
};

class RobotReader {
 public:
  explicit RobotReader(std::shared_ptr<const Source> source) { robot_.source = std::move(source); }

  Result<Robot, ModelError> read() {
    if (!read_document()) return failure();
    read_links();
    read_joints();
    if (!complaints_.empty()) return failure();
    connect(robot_, complaints_);
    if (!complaints_.empty()) return failure();
    read_numbers();
    if (!complaints_.empty()) return failure();
    ignored_.tell(robot_.notes);
    return std::move(robot_);
  }

 private:
  Failure<ModelError> failure() { return {ModelError{robot_.source, complaints_.take()}}; }

  bool read_document() {
    const std::string& text = robot_.source->text;
    const model::TextIndex index(text);
    if (const std::size_t zero = text.find('\0'); zero != std::string::npos) {
      complaints_.add(index.location(zero, zero + 1), "a zero byte: this is not XML");
      return false;
    }
    if (auto wrong = objection_to_xml(text)) {
      complaints_.add(index.location(wrong->begin, wrong->end), std::move(wrong->message));
      return false;
    }
    document_.SetTabSize(1);
    document_.Parse(text.c_str(), nullptr, TIXML_ENCODING_UTF8);
    if (document_.Error() && document_.ErrorId() != TiXmlBase::TIXML_ERROR_DOCUMENT_EMPTY) {
      std::string reason = document_.ErrorDesc();
      constexpr std::string_view prefix = "Error ";
      if (reason.starts_with(prefix)) reason.erase(0, prefix.size());
      if (reason.ends_with('.')) reason.pop_back();
      const bool placed = document_.ErrorRow() > 0;
      complaints_.add(placed ? Location{document_.ErrorRow(), std::max(1, document_.ErrorCol()), 1}
                             : Location{},
                      "not XML: " + reason);
      return false;
    }
    root_ = document_.RootElement();
    if (root_ == nullptr) {
      complaints_.add({}, "not a URDF file: there is no <robot> element");
      return false;
    }
    if (root_->ValueStr() != "robot") {
      complaints_.add(
          place(*root_),
          fmt::format("not a URDF file: it begins with <{}>, not <robot>", root_->ValueStr()));
      return false;
    }
    robot_.name = attribute(root_, "name");
    if (robot_.name.empty()) {
      complaints_.add(place(*root_), "the robot has no name");
      return false;
    }
    if (const auto hidden = expr::first_hidden(robot_.name)) {
      complaints_.add(place(*root_),
                      fmt::format("the name of the robot must not hold {}, a character that does "
                                  "not show",
                                  *hidden));
      return false;
    }
    for (const TiXmlElement* e = root_->FirstChildElement(); e != nullptr;
         e = e->NextSiblingElement()) {
      const std::string tag = e->ValueStr();
      if (tag.starts_with("xacro:")) {
        complaints_.add(
            place(*e),
            "this is a xacro file: expand it first, as in xacro robot.xacro > robot.urdf");
        return false;
      }
      if (!contains(robot_parts, tag)) {
        const std::string reference = attribute(e, "reference");
        ignored_.add(tag, reference.empty() ? attribute(e, "name") : reference);
      }
    }
    return true;
  }

  /// A name of its own for each; empty if it has none, after a complaint.
  std::string name_of(const TiXmlElement& element, std::map<std::string, std::size_t>& taken,
                      std::size_t index) {
    const std::string& what = element.ValueStr();
    const std::string name = attribute(&element, "name");
    const auto hidden = expr::first_hidden(name);
    if (name.empty()) {
      complaints_.add(place(element), fmt::format("a {} without a name", what));
    } else if (hidden) {
      complaints_.add(place(element),
                      fmt::format("the name of this {} must not hold {}, a character that does not "
                                  "show",
                                  what, *hidden));
    } else if (!taken.emplace(name, index).second) {
      complaints_.add(place(element), fmt::format("there are two {}s named '{}'", what, name));
    }
    return name;
  }

  void ignore_unless(const TiXmlElement& parent, std::span<const std::string_view> known,
                     const std::string& owner) {
    for (const TiXmlElement* e = parent.FirstChildElement(); e != nullptr;
         e = e->NextSiblingElement()) {
      if (!contains(known, e->ValueStr())) ignored_.add(e->ValueStr(), owner);
    }
  }

  void read_links() {
    for (const TiXmlElement* e = root_->FirstChildElement("link"); e != nullptr;
         e = e->NextSiblingElement("link")) {
      Link link;
      link.name = name_of(*e, link_index_, robot_.links.size());
      link.where = place(*e);
      ignore_unless(*e, link_parts, link.name);
      robot_.links.push_back(std::move(link));
      link_elements_.push_back(e);
    }
    if (robot_.links.empty()) complaints_.add(place(*root_), "the robot has no links");
  }

  std::optional<std::size_t> link_named(const TiXmlElement& joint, const char* role,
                                        const std::string& joint_name) {
    const TiXmlElement* e = joint.FirstChildElement(role);
    const std::string name = attribute(e, "link");
    if (name.empty()) {
      complaints_.add(place(e == nullptr ? joint : *e),
                      fmt::format("joint '{}' names no {} link", joint_name, role));
      return std::nullopt;
    }
    const auto found = link_index_.find(name);
    if (found != link_index_.end()) return found->second;
    std::vector<std::string> known;
    for (const Link& link : robot_.links) known.push_back(link.name);
    complaints_.add(place(*e), fmt::format("joint '{}' names an unknown link '{}'{}", joint_name,
                                           name, complaints_.did_you_mean(name, known)));
    return std::nullopt;
  }

  void read_joints() {
    for (const TiXmlElement* e = root_->FirstChildElement("joint"); e != nullptr;
         e = e->NextSiblingElement("joint")) {
      Joint joint;
      joint.name = name_of(*e, joint_index_, robot_.joints.size());
      joint.where = place(*e);
      const TiXmlElement* axis = e->FirstChildElement("axis");
      joint.axis_where = axis == nullptr ? joint.where : place(*axis);
      const std::string type = attribute(e, "type");
      if (const auto found = joint_types.find(type); found != joint_types.end()) {
        joint.type = found->second;
      } else {
        std::vector<std::string> known;
        for (const auto& [word, value] : joint_types) known.push_back(word);
        complaints_.add(joint.where,
                        type.empty()
                            ? fmt::format("joint '{}' has no type", joint.name)
                            : fmt::format("joint '{}' is of unknown type '{}'{}", joint.name, type,
                                          complaints_.did_you_mean(type, known)));
      }
      if (e->FirstChildElement("limit") == nullptr &&
          (joint.type == JointType::revolute || joint.type == JointType::prismatic)) {
        complaints_.add(joint.where,
                        fmt::format("joint '{}' is {} and has no <limit>, which URDF demands{}",
                                    joint.name, type,
                                    joint.type == JointType::revolute
                                        ? "; a hinge without limits is of type continuous"
                                        : ""));
      }
      joint.parent = link_named(*e, "parent", joint.name).value_or(0);
      joint.child = link_named(*e, "child", joint.name).value_or(0);
      ignore_unless(*e, joint_parts, joint.name);
      robot_.joints.push_back(std::move(joint));
      joint_elements_.push_back(e);
    }
  }

  /// The place of the first link or joint that a message of urdfdom names.
  Location place_in(const std::string& message) const {
    for (const auto& [open, close] : {std::pair{'[', ']'}, std::pair{'\'', '\''}}) {
      for (std::size_t i = message.find(open); i != std::string::npos;
           i = message.find(open, i + 1)) {
        const std::size_t end = message.find(close, i + 1);
        if (end == std::string::npos) break;
        const std::string name = message.substr(i + 1, end - i - 1);
        if (const auto j = joint_index_.find(name); j != joint_index_.end())
          return robot_.joints[j->second].where;
        if (const auto l = link_index_.find(name); l != link_index_.end())
          return robot_.links[l->second].where;
      }
    }
    return {};
  }

  /// The file without shapes and what else is ignored: what is wrong with them is no matter here.
  std::string text_of_mechanics() const {
    TiXmlDocument reduced(document_);
    TiXmlElement& root = *reduced.RootElement();
    const auto remove_unless = [](TiXmlElement& parent, std::span<const std::string_view> known) {
      for (TiXmlElement* e = parent.FirstChildElement(); e != nullptr;) {
        TiXmlElement* next = e->NextSiblingElement();
        if (!contains(known, e->ValueStr())) parent.RemoveChild(e);
        e = next;
      }
    };
    remove_unless(root, robot_parts);
    for (TiXmlElement* e = root.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      if (e->ValueStr() == "link") {
        remove_unless(*e, link_parts);
      } else {
        remove_unless(*e, joint_parts);
      }
    }
    TiXmlPrinter printer;
    reduced.Accept(&printer);
    return printer.Str();
  }

  void read_numbers() {
    urdf::ModelInterfaceSharedPtr parsed;
    {
      Listener listener;
      parsed = urdf::parseURDF(text_of_mechanics());
      for (const std::string& warning : listener.warnings) robot_.notes.push_back(warning);
      // A number that cannot be read leaves a zero behind and an error in the log.
      if (!parsed || !listener.errors.empty()) {
        tell_of(listener.errors);
        return;
      }
    }
    for (std::size_t i = 0; i < robot_.links.size(); ++i)
      read_link(robot_.links[i], *link_elements_[i], *parsed->getLink(robot_.links[i].name));
    for (std::size_t j = 0; j < robot_.joints.size(); ++j)
      read_joint(robot_.joints[j], *joint_elements_[j], *parsed->getJoint(robot_.joints[j].name));
    check_mimics();
  }

  /// urdfdom tells the cause first and then, level by level, where it came from.
  void tell_of(const std::vector<std::string>& errors) {
    Location where;
    for (const std::string& error : errors) {
      if (where.line == 0) where = place_in(error);
    }
    complaints_.add(where, errors.empty() ? "urdfdom refuses this file" : errors.front());
  }

  Pose pose(const urdf::Pose& parsed, const TiXmlElement* parent) const {
    Pose result;
    result.position = {parsed.position.x, parsed.position.y, parsed.position.z};
    // The angles as written; what urdfdom makes of them, a quaternion, would have to be taken back.
    const std::string rpy =
        attribute(parent == nullptr ? nullptr : parent->FirstChildElement("origin"), "rpy");
    if (!rpy.empty()) {
      urdf::Vector3 angles;
      angles.init(rpy);
      result.rpy = {angles.x, angles.y, angles.z};
    }
    return result;
  }

  void read_link(Link& link, const TiXmlElement& element, const urdf::Link& parsed) {
    if (!parsed.inertial) return;
    const TiXmlElement* e = element.FirstChildElement("inertial");
    if (e->NextSiblingElement("inertial") != nullptr)
      robot_.notes.push_back(
          fmt::format("link '{}' has several <inertial>: the first counts", link.name));
    ignore_unless(*e, inertial_parts, link.name);
    const urdf::Inertial& given = *parsed.inertial;
    Inertial inertial;
    inertial.origin = pose(given.origin, e);
    inertial.mass = given.mass;
    inertial.inertia = {{{given.ixx, given.ixy, given.ixz},
                         {given.ixy, given.iyy, given.iyz},
                         {given.ixz, given.iyz, given.izz}}};
    inertial.where = place(*e);
    const auto place_of = [&](const char* name) {
      const TiXmlElement* child = e->FirstChildElement(name);
      return child == nullptr ? inertial.where : place(*child);
    };
    inertial.mass_where = place_of("mass");
    inertial.inertia_where = place_of("inertia");
    link.inertial = inertial;
  }

  void read_joint(Joint& joint, const TiXmlElement& element, const urdf::Joint& parsed) {
    joint.origin = pose(parsed.parent_to_joint_origin_transform, &element);
    if (moves(joint) && joint.type != JointType::floating) {
      joint.axis = {parsed.axis.x, parsed.axis.y, parsed.axis.z};
      if (norm(joint.axis) == 0)
        complaints_.add(joint.axis_where,
                        fmt::format("the axis of joint '{}' is zero", joint.name));
    }
    if (parsed.limits) {
      joint.limits = Limits{parsed.limits->lower, parsed.limits->upper, parsed.limits->effort,
                            parsed.limits->velocity};
    }
    if (parsed.dynamics) {
      joint.damping = parsed.dynamics->damping;
      joint.friction = parsed.dynamics->friction;
    }
    if (!parsed.mimic) return;
    const TiXmlElement& mimic = *element.FirstChildElement("mimic");
    const auto found = joint_index_.find(parsed.mimic->joint_name);
    if (found == joint_index_.end()) {
      std::vector<std::string> known;
      for (const Joint& other : robot_.joints) known.push_back(other.name);
      complaints_.add(place(mimic),
                      fmt::format("joint '{}' mimics an unknown joint '{}'{}", joint.name,
                                  parsed.mimic->joint_name,
                                  complaints_.did_you_mean(parsed.mimic->joint_name, known)));
    } else if (!has_one_coordinate(joint) || !has_one_coordinate(robot_.joints[found->second])) {
      complaints_.add(place(mimic),
                      fmt::format("joint '{}' cannot mimic joint '{}': both must be revolute, "
                                  "continuous or prismatic",
                                  joint.name, parsed.mimic->joint_name));
    } else {
      joint.mimic = Mimic{found->second, parsed.mimic->multiplier, parsed.mimic->offset};
    }
  }

  void check_mimics() {
    for (const Joint& joint : robot_.joints) {
      const Joint* at = &joint;
      for (std::size_t steps = 0; at->mimic && steps <= robot_.joints.size(); ++steps) {
        at = &robot_.joints[at->mimic->joint];
        if (at != &joint) continue;
        complaints_.add(joint.where, fmt::format("joint '{}' mimics itself{}", joint.name,
                                                 steps == 0 ? "" : " by way of others"));
        return;
      }
    }
  }

  Robot robot_;
  Complaints complaints_;
  Ignored ignored_;
  TiXmlDocument document_;
  const TiXmlElement* root_ = nullptr;
  std::map<std::string, std::size_t> link_index_, joint_index_;
  std::vector<const TiXmlElement*> link_elements_, joint_elements_;
};

}  // namespace

Result<Robot, ModelError> read_robot(std::shared_ptr<const Source> source) {
  return RobotReader(std::move(source)).read();
}

}  // namespace dalembert::exchange
