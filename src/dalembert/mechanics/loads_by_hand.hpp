#pragma once
/// What a model says along its coordinates by hand, as loads on bodies where that has one meaning
/// (see kept_reactions.hpp).

#include <map>
#include <string>
#include <vector>

#include "dalembert/mechanics/body_links.hpp"
#include "dalembert/model/model.hpp"

namespace dalembert::mechanics {

struct HandLoads {
  std::vector<model::Load> loads;
  std::map<std::size_t, std::string> open;  ///< bodies on which something unknown may act, and what
  std::vector<std::string> notes;           ///< sentences: what was taken for what
};

/// `links` must be known, and model.by_hand there.
HandLoads find_hand_loads(const model::Model& model, const BodyLinks& links);

}  // namespace dalembert::mechanics
