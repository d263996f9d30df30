#include "dalembert/report/scene.hpp"

namespace dalembert::report {

struct SceneRecorder::Implementation {};

SceneRecorder::SceneRecorder(const motion::Motion&)
    : implementation_(std::make_unique<Implementation>()) {}
SceneRecorder::~SceneRecorder() = default;
SceneRecorder::SceneRecorder(SceneRecorder&&) noexcept = default;
SceneRecorder& SceneRecorder::operator=(SceneRecorder&&) noexcept = default;

std::size_t SceneRecorder::frame_size() const {
  return 1;
}
bool SceneRecorder::empty() const {
  return true;
}
void SceneRecorder::add(const motion::Sample&) {}
std::size_t SceneRecorder::frames() const {
  return 0;
}
void SceneRecorder::thin() {}
std::string SceneRecorder::json(std::vector<double>&) const {
  return "null";
}

}  // namespace dalembert::report
