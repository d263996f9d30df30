#pragma once
/// Documents of the contract as values, for those that put one into another. Internal to the
/// folder.

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "dalembert/motion/simulate.hpp"
#include "dalembert/report/page/scene.hpp"

namespace dalembert::report {

/// What summary_json writes.
nlohmann::ordered_json summary_document(const motion::Motion& motion,
                                        const motion::SimulationOptions& options,
                                        const motion::Summary& summary);

/// What SceneRecorder::json writes.
nlohmann::ordered_json scene_document(const SceneRecorder& recorder, std::vector<double>& values,
                                      const motion::Sample* last = nullptr);

}  // namespace dalembert::report
