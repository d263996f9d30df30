/// Any bytes as the journal of a sweep. Bytes are taken as they are; and again as entries of every
/// kind and size with right checksums, torn somewhere.
///   * What holds is no longer than the journal, ends with an entry, and is found again where it
///     ends.
///   * Entries are told in order, each within the text, and read at their place as they were told.
///   * Before the place where a journal is torn nothing is lost.

#include <algorithm>
#include <cstring>
#include <vector>

#include "dalembert/study/storage/journal.hpp"
#include "fuzz.hpp"

namespace dalembert::study {
namespace {

using fuzz::require;

/// Aligned as a mapped file is.
class Aligned {
 public:
  explicit Aligned(std::string_view text) : words_(text.size() / 8 + 1), size_(text.size()) {
    std::memcpy(words_.data(), text.data(), text.size());
  }
  std::string_view text() const { return {reinterpret_cast<const char*>(words_.data()), size_}; }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_;
};

struct Scan {
  std::optional<JournalExtent> extent;
  std::size_t entries = 0;
  double sum = 0;  ///< of all numbers told: each is looked at
};

template <class Text>
bool is_inside(const Text& part, std::string_view text) {
  const auto* begin = reinterpret_cast<const char*>(part.data());
  const auto* end = reinterpret_cast<const char*>(part.data() + part.size());
  return part.empty() || (begin >= text.data() && end <= text.data() + text.size());
}

Scan scan(std::string_view text, const JournalShape& shape) {
  Scan found;
  std::uint64_t last = 0;
  const auto add = [&](std::span<const double> numbers) {
    require(is_inside(numbers, text), "what is told lies in the text");
    for (const double x : numbers) found.sum += x;
  };
  found.extent = scan_journal(
      text, shape,
      [&](std::uint64_t offset, const RunRecord& record) {
        require(offset > last && offset < text.size(), "runs are told in order");
        last = offset;
        ++found.entries;
        add(record.q);
        add(record.v);
        add(record.statistics);
        require(is_inside(record.reason, text), "what is told lies in the text");
        const RunRecord again = run_at(text, offset, shape);
        require(again.run == record.run && again.rows == record.rows &&
                    again.reason == record.reason && again.q.data() == record.q.data(),
                "a run is read at its place as it was told");
      },
      [&](const SampleBlock& block) {
        ++found.entries;
        add(block.rows);
      });
  return found;
}

Scan check(std::string_view bytes, const JournalShape& shape) {
  const Aligned aligned(bytes);
  const Scan found = scan(aligned.text(), shape);
  if (!found.extent) return found;
  const std::uint64_t end = found.extent->end;
  require(is_journal(bytes), "what is read is a journal");
  require(end >= journal_header_size && end <= bytes.size() && end % 8 == 0 &&
              found.extent->damaged <= end - journal_header_size,
          "what holds is part of the journal");
  const Aligned cut(bytes.substr(0, end));
  const Scan again = scan(cut.text(), shape);
  require(again.extent && again.extent->end == end && again.entries == found.entries,
          "what holds is found again where the rest is cut off");
  return found;
}

/// An entry with a right checksum, whatever is in it.
void append_any(std::string& text, fuzz::Choices& choices) {
  const std::size_t begin = text.size();
  const std::uint64_t kind = choices.below(4);
  const std::size_t words = choices.below(24);
  const std::uint64_t opening = kind << 32 | 8 * words;
  text.append(reinterpret_cast<const char*>(&opening), 8);
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint64_t word = choices.coin() ? choices.byte() : choices.word();
    text.append(reinterpret_cast<const char*>(&word), 8);
  }
  const std::uint64_t sum = checksum(std::string_view(text).substr(begin));
  text.append(reinterpret_cast<const char*>(&sum), 8);
}

void append_run(std::string& text, fuzz::Choices& choices, const JournalShape& shape) {
  std::vector<double> numbers(2 * shape.coordinates + shape.statistics);
  for (double& x : numbers) x = choices.number();
  RunRecord record;
  record.run = choices.byte();
  record.rows = choices.byte();
  record.q = std::span(numbers).first(shape.coordinates);
  record.v = std::span(numbers).subspan(shape.coordinates, shape.coordinates);
  record.statistics = std::span(numbers).last(shape.statistics);
  const std::string reason(choices.below(20), 'r');
  record.reason = reason;
  append_entry(text, record);
}

}  // namespace
}  // namespace dalembert::study

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dalembert;
  using namespace dalembert::study;
  constexpr std::size_t longest = 4000;
  if (size > longest) return fuzz::rejected;
  check({reinterpret_cast<const char*>(data), size}, {42, 2, 1, 3});

  fuzz::Choices choices(data, size);
  const JournalShape shape{choices.byte(), choices.below(4), choices.below(3), choices.below(5)};
  const std::size_t tear = choices.word() >> 32;
  std::string text = journal_header(shape);
  while (choices.any_left() && text.size() < longest) {
    if (choices.coin()) {
      append_any(text, choices);
    } else {
      append_run(text, choices, shape);
    }
  }
  const Scan whole = check(text, shape);
  require(whole.extent.has_value(), "a journal of this study is read");
  const std::size_t torn = tear % (text.size() + 1);
  const Scan part = check(std::string_view(text).substr(0, torn), shape);
  if (torn >= journal_header_size)
    require(part.extent && part.extent->end <= whole.extent->end && part.entries <= whole.entries &&
                (torn < whole.extent->end || part.entries == whole.entries),
            "before the place where it is torn nothing is lost");
  return fuzz::kept;
}
