#include "dalembert/study/storage/journal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <unordered_map>

namespace dalembert::study {

namespace {

constexpr std::string_view magic = "dalembert runs 1";  // 16 characters
constexpr std::uint32_t run_kind = 1;
constexpr std::uint32_t samples_kind = 2;
constexpr std::size_t word = 8;
constexpr std::size_t run_numbers = 9;  // before q, and the length of the reason behind statistics
constexpr std::size_t most_waiting = 16u << 20;  // bytes

void append_word(std::string& text, std::uint64_t value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_number(std::string& text, double value) {
  append_word(text, std::bit_cast<std::uint64_t>(value));
}

void append_numbers(std::string& text, std::span<const double> values) {
  text.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

std::uint64_t word_at(std::string_view text, std::uint64_t offset) {
  std::uint64_t value = 0;
  std::memcpy(&value, text.data() + offset, sizeof value);
  return value;
}

double number_at(std::string_view text, std::uint64_t offset) {
  return std::bit_cast<double>(word_at(text, offset));
}

std::span<const double> numbers_at(std::string_view text, std::uint64_t offset,
                                   std::uint64_t count) {
  return {reinterpret_cast<const double*>(text.data() + offset), count};
}

/// Size of a body and kind of an entry, in one word.
std::uint64_t opening(std::size_t size, std::uint32_t kind) {
  return std::uint64_t{kind} << 32 | static_cast<std::uint32_t>(size);
}

/// Puts size and kind before the body that begins at `begin` + one word, and the checksum behind.
void close_entry(std::string& text, std::size_t begin, std::uint32_t kind) {
  const std::uint64_t start = opening(text.size() - begin - word, kind);
  std::memcpy(text.data() + begin, &start, sizeof start);
  append_word(text, checksum(std::string_view(text).substr(begin)));
}

/// Whether the body of a run's end has the size that its shape and reason ask for.
bool is_run(std::string_view body, const JournalShape& shape) {
  const std::uint64_t fixed = word * (run_numbers + 2 * shape.coordinates + shape.statistics + 1);
  if (body.size() < fixed) return false;
  const std::uint64_t reason = word_at(body, fixed - word);
  return reason <= body.size() - fixed && (reason + word - 1) / word * word == body.size() - fixed;
}

bool is_samples(std::string_view body, const JournalShape& shape) {
  const std::uint64_t row = word * shape.columns;
  return body.size() > 2 * word && row > 0 && (body.size() - 2 * word) % row == 0;
}

RunRecord run_in(std::string_view body, const JournalShape& shape) {
  RunRecord record;
  record.run = word_at(body, 0);
  record.complete = word_at(body, word) != 0;
  record.alone = word_at(body, 2 * word) != 0;
  record.steps = word_at(body, 3 * word);
  record.rejected = word_at(body, 4 * word);
  record.rows = word_at(body, 5 * word);
  record.t = number_at(body, 6 * word);
  record.largest_residual = number_at(body, 7 * word);
  record.energy_change = number_at(body, 8 * word);
  std::uint64_t offset = run_numbers * word;
  record.q = numbers_at(body, offset, shape.coordinates);
  offset += word * shape.coordinates;
  record.v = numbers_at(body, offset, shape.coordinates);
  offset += word * shape.coordinates;
  record.statistics = numbers_at(body, offset, shape.statistics);
  offset += word * shape.statistics;
  record.reason = body.substr(offset + word, word_at(body, offset));
  return record;
}

}  // namespace

std::uint64_t checksum(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

bool is_journal(std::string_view text) {
  return text.substr(0, magic.size()) == magic.substr(0, text.size());
}

std::string journal_header(const JournalShape& shape) {
  std::string text(magic);
  for (const std::uint64_t value :
       {shape.study, shape.coordinates, shape.statistics, shape.columns, std::uint64_t{0}}) {
    append_word(text, value);
  }
  append_word(text, checksum(text));
  return text;
}

void append_entry(std::string& text, const RunRecord& record) {
  const std::size_t begin = text.size();
  append_word(text, 0);
  append_word(text, record.run);
  append_word(text, record.complete ? 1 : 0);
  append_word(text, record.alone ? 1 : 0);
  append_word(text, record.steps);
  append_word(text, record.rejected);
  append_word(text, record.rows);
  append_number(text, record.t);
  append_number(text, record.largest_residual);
  append_number(text, record.energy_change);
  append_numbers(text, record.q);
  append_numbers(text, record.v);
  append_numbers(text, record.statistics);
  append_word(text, record.reason.size());
  text += record.reason;
  text.append((word - record.reason.size() % word) % word, '\0');
  close_entry(text, begin, run_kind);
}

void append_entry(std::string& text, const SampleBlock& block) {
  const std::size_t begin = text.size();
  append_word(text, 0);
  append_word(text, block.run);
  append_word(text, block.first);
  append_numbers(text, block.rows);
  close_entry(text, begin, samples_kind);
}

namespace {

/// Walks from one intact entry to the next.
class Scan {
 public:
  Scan(std::string_view text, const JournalShape& shape)
      : text_(text), shape_(shape), patience_(4 * text.size()) {}

  /// The body of the entry at `offset`, if one stands there whole.
  std::optional<std::string_view> body_at(std::uint64_t offset) {
    if (text_.size() - offset < 2 * word) return std::nullopt;
    const std::uint64_t start = word_at(text_, offset);
    const std::uint64_t size = start & 0xffffffffU;
    if (size % word != 0 || size > text_.size() - offset - 2 * word) return std::nullopt;
    const std::string_view body = text_.substr(offset + word, size);
    const bool fits = (start >> 32 == run_kind && is_run(body, shape_)) ||
                      (start >> 32 == samples_kind && is_samples(body, shape_));
    if (!fits) return std::nullopt;
    if (word_at(text_, offset + word + size) == checksum(text_.substr(offset, word + size)))
      return body;
    patience_ -= std::min(patience_, word + size);
    return std::nullopt;
  }

  /// Where the next intact entry stands behind a damaged one. Its checksum is 64 bits of accident
  /// away from anything that happens to look like an entry.
  std::optional<std::uint64_t> next_behind(std::uint64_t offset) {
    for (offset += word; offset + 2 * word <= text_.size() && patience_ > 0; offset += word) {
      if (body_at(offset)) return offset;
    }
    return std::nullopt;
  }

 private:
  std::string_view text_;
  const JournalShape& shape_;
  std::uint64_t patience_;  ///< bytes that may be added up in vain: a text made for it has no end
};

}  // namespace

std::optional<JournalExtent> scan_journal(std::string_view text, const JournalShape& shape,
                                          const OnRun& on_run, const OnSamples& on_samples) {
  if (!text.starts_with(journal_header(shape))) return std::nullopt;
  Scan scan(text, shape);
  JournalExtent extent{journal_header_size, 0};
  std::unordered_map<std::uint64_t, std::uint64_t> rows;  // of runs under way, without a gap
  while (true) {
    std::optional<std::string_view> body = scan.body_at(extent.end);
    if (!body) {
      const auto next = scan.next_behind(extent.end);
      if (!next) return extent;
      extent.damaged += *next - extent.end;
      extent.end = *next;
      body = scan.body_at(extent.end);
    }
    const bool is_end = word_at(text, extent.end) >> 32 == run_kind;
    if (is_end) {
      const RunRecord record = run_in(*body, shape);
      const auto seen = rows.find(record.run);
      const bool whole = record.rows == 0 || shape.columns == 0 ||
                         (seen != rows.end() && seen->second >= record.rows);
      if (whole && on_run) on_run(extent.end, record);
      if (whole) rows.erase(record.run);
    } else {
      const SampleBlock block{word_at(*body, 0), word_at(*body, word),
                              numbers_at(*body, 2 * word, body->size() / word - 2)};
      std::uint64_t& seen = rows[block.run];
      if (block.first <= seen)
        seen = std::max(seen, block.first + block.rows.size() / shape.columns);
      if (on_samples) on_samples(block);
    }
    extent.end += body->size() + 2 * word;
  }
}

RunRecord run_at(std::string_view text, std::uint64_t offset, const JournalShape& shape) {
  const std::uint64_t size = word_at(text, offset) & 0xffffffffU;
  return run_in(text.substr(offset + word, size), shape);
}

bool JournalWriter::append(std::string_view entry) {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [&] { return waiting_.size() < most_waiting || error_; });
  if (error_) return false;
  waiting_ += entry;
  if (writing_) return true;
  writing_ = true;
  while (!waiting_.empty() && !error_) {
    outgoing_.clear();
    std::swap(waiting_, outgoing_);
    lock.unlock();
    const bool written = write(outgoing_);
    const int reason = errno;
    lock.lock();
    if (!written) error_ = fmt::format("cannot write '{}': {}", name_, std::strerror(reason));
    room_.notify_all();
  }
  writing_ = false;
  return !error_;
}

bool JournalWriter::write(std::string_view text) {
  std::uint64_t end = size_;
  while (!text.empty()) {
    const ssize_t written = ::pwrite(file_, text.data(), text.size(), static_cast<off_t>(end));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      if (written == 0) errno = ENOSPC;
      return false;  // the last entry may be torn; whoever reads the journal next cuts it off
    }
    end += static_cast<std::uint64_t>(written);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  size_ = end;
  const auto now = std::chrono::steady_clock::now();
  if (now - synced_ < sync_interval) return true;
  const bool synced = ::fdatasync(file_) == 0;
  synced_ = std::chrono::steady_clock::now();
  return synced;
}

bool JournalWriter::sync() {
  const std::lock_guard lock(mutex_);
  if (error_) return false;
  if (::fdatasync(file_) == 0) return true;
  error_ = fmt::format("cannot write '{}': {}", name_, std::strerror(errno));
  return false;
}

std::optional<std::string> JournalWriter::error() {
  const std::lock_guard lock(mutex_);
  return error_;
}

}  // namespace dalembert::study
