#include "dalembert/model/body.hpp"

namespace dalembert::model {

std::string_view to_string(JointKind kind) {
  switch (kind) {
    case JointKind::ball:
      return "ball";
    case JointKind::hinge:
      return "hinge";
    case JointKind::slider:
      return "slider";
    case JointKind::universal:
      return "universal";
    case JointKind::weld:
      return "weld";
    case JointKind::distance:
      return "distance";
    case JointKind::point_on_line:
      return "point-on-line";
    case JointKind::point_on_plane:
      return "point-on-plane";
    case JointKind::rolls:
      return "rolls";
    case JointKind::knife_edge:
      return "knife-edge";
  }
  return "";
}

}  // namespace dalembert::model
