#pragma once
/// Where bytes of a formula stand in the source of its draft.

#include <algorithm>
#include <optional>

#include "dalembert/model/draft.hpp"
#include "dalembert/model/text_index.hpp"
#include "dalembert/model/toml/literal.hpp"

namespace dalembert::model {

class FormulaPlaces {
 public:
  explicit FormulaPlaces(const Draft& draft) : draft_(draft) {}

  /// Bytes [begin, end) of the formula's text; all of its literal where they cannot be found.
  Location within(const Formula& formula, std::size_t begin, std::size_t end) {
    std::size_t size = formula.text.size();
    end = std::min(end, size);
    if (!draft_.source || begin >= end) return formula.literal;
    if (formula.written) {
      std::tie(begin, end) = formula.written->origin(begin, end);
      size = formula.written->size;
    }
    if (!index_) index_.emplace(draft_.source->text);
    const auto offsets = content_offsets(index_->text(), formula.offset, size);
    return offsets.empty() ? formula.literal : index_->location(offsets[begin], offsets[end]);
  }

 private:
  const Draft& draft_;
  std::optional<TextIndex> index_;  ///< of the source, once it is needed
};

}  // namespace dalembert::model
