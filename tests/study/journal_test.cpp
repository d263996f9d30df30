#include "dalembert/study/storage/journal.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

namespace dalembert::study::journal_test {
namespace {

const JournalShape shape{42, 2, 1, 3};

struct Entries {
  std::vector<std::uint64_t> runs;
  std::vector<std::string> reasons;
  std::size_t blocks = 0;
  std::optional<std::uint64_t> end;
  std::uint64_t damaged = 0;
};

Entries read(std::string_view text) {
  Entries found;
  const auto extent = scan_journal(
      text, shape,
      [&](std::uint64_t offset, const RunRecord& record) {
        found.runs.push_back(record.run);
        found.reasons.emplace_back(record.reason);
        EXPECT_EQ(run_at(text, offset, shape).run, record.run);
      },
      [&](const SampleBlock&) { ++found.blocks; });
  if (extent) {
    found.end = extent->end;
    found.damaged = extent->damaged;
  }
  return found;
}

RunRecord record(std::uint64_t run, std::span<const double> numbers, std::string_view reason,
                 std::uint64_t rows = 0) {
  RunRecord r;
  r.run = run;
  r.complete = reason.empty();
  r.alone = run % 2 == 1;
  r.steps = 100 + run;
  r.rejected = 3;
  r.rows = rows;
  r.t = 1.5;
  r.largest_residual = 1e-15;
  r.energy_change = -2;
  r.q = numbers.first(2);
  r.v = numbers.subspan(2, 2);
  r.statistics = numbers.subspan(4, 1);
  r.reason = reason;
  return r;
}

const std::vector<double> numbers{1, -2, 3, -4, 0.5};
const std::vector<double> rows{0, 1, 2, 3, 4, 5};

std::string journal() {
  std::string text = journal_header(shape);
  append_entry(text, record(7, numbers, ""));
  append_entry(text, SampleBlock{3, 0, rows});
  append_entry(text, record(3, numbers, "the mass matrix is singular", 2));
  return text;
}

TEST(Journal, GivesBackWhatWasWritten) {
  const std::string text = journal();
  ASSERT_EQ(journal_header(shape).size(), journal_header_size);
  int seen = 0;
  const auto extent = scan_journal(
      text, shape,
      [&](std::uint64_t, const RunRecord& r) {
        ++seen;
        EXPECT_EQ(r.complete, r.run == 7);
        EXPECT_TRUE(r.alone);
        EXPECT_EQ(r.steps, 100 + r.run);
        EXPECT_EQ(r.rejected, 3);
        EXPECT_EQ(r.rows, r.run == 7 ? 0 : 2);
        EXPECT_EQ(r.t, 1.5);
        EXPECT_EQ(r.largest_residual, 1e-15);
        EXPECT_EQ(r.energy_change, -2);
        EXPECT_EQ(std::vector(r.q.begin(), r.q.end()), (std::vector<double>{1, -2}));
        EXPECT_EQ(std::vector(r.v.begin(), r.v.end()), (std::vector<double>{3, -4}));
        EXPECT_EQ(r.statistics[0], 0.5);
        EXPECT_EQ(r.reason, r.run == 7 ? "" : "the mass matrix is singular");
      },
      [&](const SampleBlock& block) {
        ++seen;
        EXPECT_EQ(block.run, 3);
        EXPECT_EQ(block.first, 0);
        EXPECT_EQ(std::vector(block.rows.begin(), block.rows.end()), rows);
      });
  EXPECT_EQ(seen, 3);
  ASSERT_TRUE(extent);
  EXPECT_EQ(extent->end, text.size());
  EXPECT_EQ(extent->damaged, 0);
}

/// Three runs, each with two blocks of samples, mixed as threads mix them; where each entry begins.
std::string mixed_journal(std::vector<std::pair<std::size_t, std::uint64_t>>& places) {
  std::string text = journal_header(shape);
  const auto begin = [&](std::uint64_t run) { places.emplace_back(text.size(), run); };
  for (std::uint64_t first = 0; first < 4; first += 2) {
    for (std::uint64_t run = 0; run < 3; ++run) {
      begin(run);
      append_entry(text, SampleBlock{run, first, rows});
    }
  }
  for (std::uint64_t run = 0; run < 3; ++run) {
    begin(run);
    append_entry(text, record(run, numbers, run == 1 ? "stuck" : "", 4));
  }
  begin(3);
  append_entry(text, record(3, numbers, ""));
  return text;
}

TEST(Journal, DamageLosesOnlyTheRunsWhoseEntriesItHits) {
  std::vector<std::pair<std::size_t, std::uint64_t>> places;
  const std::string text = mixed_journal(places);
  const auto is_hit = [&](std::uint64_t run, std::size_t begin, std::size_t end) {
    for (std::size_t k = 0; k < places.size(); ++k) {
      const std::size_t next = k + 1 < places.size() ? places[k + 1].first : text.size();
      if (places[k].second == run && places[k].first < end && begin < next) return true;
    }
    return false;
  };
  std::mt19937_64 random(7);
  for (int attempt = 0; attempt < 3000; ++attempt) {
    const std::size_t begin = journal_header_size + random() % (text.size() - journal_header_size);
    const std::size_t size =
        std::min<std::size_t>(1 + random() % (attempt % 3 == 0 ? 200 : 3), text.size() - begin);
    std::string damaged = text;
    for (std::size_t i = begin; i < begin + size; ++i) damaged[i] = static_cast<char>(~damaged[i]);
    std::vector<std::uint64_t> intact;
    for (std::uint64_t run = 0; run < 4; ++run) {
      if (!is_hit(run, begin, begin + size)) intact.push_back(run);
    }
    const Entries found = read(damaged);
    ASSERT_EQ(found.runs, intact) << begin << " " << size;
    // What is done again is added behind the last entry that holds, and is found with the rest.
    std::string mended = damaged.substr(0, *found.end);
    for (std::uint64_t run = 0; run < 4; ++run) {
      if (std::find(intact.begin(), intact.end(), run) != intact.end()) continue;
      append_entry(mended, SampleBlock{run, 0, rows});
      append_entry(mended, SampleBlock{run, 2, rows});
      append_entry(mended, record(run, numbers, "", run == 3 ? 0 : 4));
    }
    Entries again = read(mended);
    std::sort(again.runs.begin(), again.runs.end());
    ASSERT_EQ(again.runs, (std::vector<std::uint64_t>{0, 1, 2, 3})) << begin << " " << size;
    ASSERT_EQ(again.end, mended.size());
    ASSERT_EQ(again.damaged > 0, found.damaged > 0);
  }
}

TEST(Journal, AnEndOfARunWithoutAllItsSamplesDoesNotCount) {
  std::string text = journal_header(shape);
  append_entry(text, SampleBlock{5, 2, rows});
  append_entry(text, record(5, numbers, "", 4));
  EXPECT_TRUE(read(text).runs.empty());
}

TEST(Journal, ATextMadeToLookLikeEntriesIsReadInLinearTime) {
  // Every word is the opening of a block of samples that reaches far and has a wrong checksum.
  std::string text = journal_header(shape);
  const std::uint64_t words = 1 << 18;
  for (std::uint64_t i = 0; i < words; ++i) {
    const std::uint64_t rows_behind = (words - i) / 3;
    const std::uint64_t opening =
        std::uint64_t{2} << 32 | (rows_behind > 2 ? (rows_behind - 2) * 24 + 16 : 40);
    text.append(reinterpret_cast<const char*>(&opening), sizeof opening);
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(read(text).end, journal_header_size);
  // Adding up all that it offers would be 2^18 times a megabyte: minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Journal, ATailTornAtAnyByteIsCutOffAndNothingElse) {
  const std::string text = journal();
  std::string before = journal_header(shape);
  append_entry(before, record(7, numbers, ""));
  append_entry(before, SampleBlock{3, 0, rows});
  for (std::size_t size = before.size(); size < text.size(); ++size) {
    const std::string torn = text.substr(0, size);
    const Entries found = read(torn);
    EXPECT_EQ(found.end, before.size()) << size;
    EXPECT_EQ(found.runs, std::vector<std::uint64_t>{7});
    EXPECT_EQ(found.blocks, 1);
  }
}

TEST(Journal, AnyByteOfTheLastEntryThatIsAnotherIsSeen) {
  const std::string text = journal();
  std::string before = journal_header(shape);
  append_entry(before, record(7, numbers, ""));
  append_entry(before, SampleBlock{3, 0, rows});
  for (std::size_t i = before.size(); i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_EQ(read(damaged).end, before.size()) << i;
  }
  // A tail of zeros, as some file systems leave it after a loss of power.
  EXPECT_EQ(read(text + std::string(4096, '\0')).end, text.size());
}

TEST(Journal, TheHeaderMustBeThatOfTheStudy) {
  const std::string text = journal();
  for (std::size_t i = 0; i < journal_header_size; ++i) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_EQ(read(damaged).end, std::nullopt) << i;
  }
  EXPECT_EQ(read(text.substr(0, 63)).end, std::nullopt);
  EXPECT_EQ(read("").end, std::nullopt);
}

TEST(Journal, ManyThreadsWriteWholeEntries) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  const int fd = ::fileno(file);
  const std::string header = journal_header(shape);
  ASSERT_EQ(::pwrite(fd, header.data(), header.size(), 0), static_cast<ssize_t>(header.size()));
  JournalWriter writer(fd, "journal", header.size());
  constexpr std::uint64_t each = 2000;
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&writer, t] {
      for (std::uint64_t i = 0; i < each; ++i) {
        std::string entry;
        append_entry(entry, record(t * each + i, numbers, ""));
        ASSERT_TRUE(writer.append(entry));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(writer.sync());
  std::string text(header.size() + 4 * each * 256, '\0');
  text.resize(static_cast<std::size_t>(::pread(fd, text.data(), text.size(), 0)));
  Entries found = read(text);
  EXPECT_EQ(found.end, text.size());
  std::sort(found.runs.begin(), found.runs.end());
  ASSERT_EQ(found.runs.size(), 4 * each);
  for (std::uint64_t i = 0; i < found.runs.size(); ++i) ASSERT_EQ(found.runs[i], i);
  std::fclose(file);
}

TEST(Journal, WhatCannotBeWrittenIsTold) {
  const int full = ::open("/dev/full", O_WRONLY);
  if (full < 0) GTEST_SKIP() << "no /dev/full here";
  JournalWriter writer(full, "runs.journal", 0);
  EXPECT_FALSE(writer.append("12345678"));
  EXPECT_EQ(writer.error(), "cannot write 'runs.journal': No space left on device");
  EXPECT_FALSE(writer.append("12345678"));
  ::close(full);
}

}  // namespace
}  // namespace dalembert::study::journal_test
