#pragma once
/// What became of each run, written down the moment it is over. The journal only grows; each entry
/// ends with a checksum of itself, so a tail that a killed program left half written is known for
/// what it is, and what stands before it holds; an entry that the disk has spoilt is lost alone.
///
/// A header of 64 bytes, then entries: size of the body and kind (32 bits each), body, checksum
/// (64 bits: FNV-1a of all before it in the entry). All in the machine's byte order, all sizes
/// multiples of 8. An entry is the end of a run, or a block of its samples; a run that was
/// interrupted may have left blocks without an end.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dalembert::study {

/// FNV-1a, 64 bits: tells texts apart that differ by accident.
std::uint64_t checksum(std::string_view text);

/// What the entries of a study look like, and which study it is.
struct JournalShape {
  std::uint64_t study = 0;        ///< checksum of its manifest
  std::uint64_t coordinates = 0;  ///< n
  std::uint64_t statistics = 0;
  std::uint64_t columns = 0;  ///< of a sample; 0 if samples are not kept
};

/// The end of a run.
struct RunRecord {
  std::uint64_t run = 0;
  bool complete = false;
  bool alone = false;
  std::uint64_t steps = 0, rejected = 0;
  std::uint64_t rows = 0;  ///< samples kept
  double t = 0, largest_residual = 0, energy_change = 0;
  std::span<const double> q, v;  ///< n
  std::span<const double> statistics;
  std::string_view reason;  ///< why it is not complete
};

/// Consecutive samples of a run, row by row.
struct SampleBlock {
  std::uint64_t run = 0;
  std::uint64_t first = 0;  ///< number of its first row
  std::span<const double> rows;
};

inline constexpr std::size_t journal_header_size = 64;
std::string journal_header(const JournalShape& shape);
/// Whether a text begins as a journal does, or is the beginning of such a beginning.
bool is_journal(std::string_view text);
void append_entry(std::string& text, const RunRecord& record);
void append_entry(std::string& text, const SampleBlock& block);

using OnRun = std::function<void(std::uint64_t offset, const RunRecord&)>;
using OnSamples = std::function<void(const SampleBlock&)>;

/// How far a journal holds.
struct JournalExtent {
  std::uint64_t end = 0;      ///< bytes up to the end of the last intact entry
  std::uint64_t damaged = 0;  ///< those among them that belong to no intact entry
};

/// Reads a journal from its beginning to its last intact entry; a damaged one is passed over, and
/// the next that stands whole at a multiple of 8 bytes is found by its checksum. The end of a run
/// counts only where all its samples were found before. Nothing if the header is not that of this
/// study. Numbers in entries are views of `text`, which is aligned to 8 bytes. Either receiver may
/// be empty.
std::optional<JournalExtent> scan_journal(std::string_view text, const JournalShape& shape,
                                          const OnRun& on_run, const OnSamples& on_samples);

/// The end of a run that a scan has found at this offset.
RunRecord run_at(std::string_view text, std::uint64_t offset, const JournalShape& shape);

/// Adds entries to a journal, from many threads. Whoever finds nobody writing writes what has
/// gathered; nothing waits in the program for longer than a write takes. What is written is in the
/// hands of the system, and safe from the end of the program; it is asked to bring it to the disk
/// every `sync_interval`.
class JournalWriter {
 public:
  static constexpr std::chrono::milliseconds sync_interval{200};

  /// `file` stays the caller's; its first `size` bytes hold.
  JournalWriter(int file, std::string name, std::uint64_t size)
      : file_(file), name_(std::move(name)), size_(size) {}

  /// False once writing has failed; the last entry may then be torn.
  bool append(std::string_view entry);
  /// Brings all to the disk. False as above.
  bool sync();
  /// Why writing failed, if it did.
  std::optional<std::string> error();

 private:
  bool write(std::string_view text);

  int file_;
  std::string name_;
  std::uint64_t size_;
  std::mutex mutex_;
  std::condition_variable room_;
  bool writing_ = false;
  std::string waiting_, outgoing_;
  std::optional<std::string> error_;
  std::chrono::steady_clock::time_point synced_ = std::chrono::steady_clock::now();
};

}  // namespace dalembert::study
