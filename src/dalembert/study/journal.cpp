#include "dalembert/study/journal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

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

std::optional<std::uint64_t> scan_journal(std::string_view text, const JournalShape& shape,
                                          const OnRun& on_run, const OnSamples& on_samples) {
  if (!text.starts_with(journal_header(shape))) return std::nullopt;
  std::uint64_t offset = journal_header_size;
  while (text.size() - offset >= 2 * word) {
    const std::uint64_t start = word_at(text, offset);
    const std::uint64_t size = start & 0xffffffffU;
    if (size % word != 0 || size > text.size() - offset - 2 * word) break;
    const std::string_view whole = text.substr(offset, word + size);
    if (word_at(text, offset + word + size) != checksum(whole)) break;
    const std::string_view body = whole.substr(word);
    if (start >> 32 == run_kind && is_run(body, shape)) {
      if (on_run) on_run(offset, run_in(body, shape));
    } else if (start >> 32 == samples_kind && is_samples(body, shape)) {
      if (on_samples) {
        on_samples({word_at(body, 0), word_at(body, word),
                    numbers_at(body, 2 * word, body.size() / word - 2)});
      }
    } else {
      break;
    }
    offset += size + 2 * word;
  }
  return offset;
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
