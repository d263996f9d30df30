#pragma once
/// A study out of what was written of it: study.json says all that decides its results, the model
/// in full included.

#include <string>

#include "dalembert/expr/result.hpp"
#include "dalembert/study/study.hpp"

namespace dalembert::study {

/// The study whose manifest this is; `name` of the file, for messages. Fails, in a sentence, where
/// the text is no manifest, where this program would not write the same one (another version did),
/// or where the model is not understood.
expr::Result<Study, std::string> study_from_manifest(const std::string& text,
                                                     const std::string& name);

}  // namespace dalembert::study
