// A study from its beginning to its file of results, interrupted in every way.
#include "dalembert/study/sweep.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "dalembert/study/storage/results.hpp"

namespace dalembert::study::sweep_test {
namespace {

namespace fs = std::filesystem;

class Sweep : public testing::Test {
 protected:
  Sweep() {
    std::string name = (fs::temp_directory_path() / "dalembert-sweep-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  ~Sweep() override { fs::remove_all(root_); }
  fs::path root_;
};

struct Choices {
  std::uint64_t runs = 40;
  std::uint64_t seed = 3;
  std::vector<std::string> variations{"theta=uniform(0.8, 1.4)", "m=[1, 2]", "psi'=[-5, -4]"};
  std::vector<std::string> statistics{"max(theta)", "mean(energy.kinetic)"};
  long samples = 7;
  bool keep = true;
};

Study study_of(const Choices& choices = {}) {
  const auto model = model::read_model(DALEMBERT_MODELS "/rolling_disk.toml").value();
  Plan plan = make_plan(model, {{}, std::nullopt, choices.variations, choices.seed}).value();
  auto simulation = motion::simulation_options(plan.motion());
  simulation.duration = 0.5;
  simulation.samples = choices.samples;
  auto statistics = read_statistics(plan.motion(), choices.statistics).value();
  return {std::move(plan), choices.runs, simulation,      statistics,
          choices.keep,    {},           "dalembert test"};
}

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Does what is left, but stops after some runs; returns whether all are done.
bool work(const Study& study, const Folder& folder, std::uint64_t most = ~std::uint64_t{0},
          int threads = 1, int lanes = 0) {
  std::atomic<bool> stop = false;
  SweepOptions options;
  options.stop = &stop;
  options.threads = threads;
  options.lanes = lanes;
  options.progress = [&](std::uint64_t done) {
    if (done >= most) stop = true;
  };
  const SweepOutcome outcome = sweep(study, folder, options);
  EXPECT_EQ(outcome.error, std::nullopt);
  return outcome.complete;
}

void write_results(const Study& study, const Folder& folder) {
  const auto results = Results::open(study, folder);
  ASSERT_TRUE(results) << results.error();
  ASSERT_EQ(write_hdf5(*results, folder.path() / "results.h5"), std::nullopt);
}

/// The bytes of results.h5 of a study done at one go.
std::string undisturbed(const Study& study, const fs::path& path, int threads = 1, int lanes = 0) {
  const auto folder = Folder::create(path, study);
  EXPECT_TRUE(folder) << folder.error();
  EXPECT_TRUE(work(study, *folder, ~std::uint64_t{0}, threads, lanes));
  write_results(study, *folder);
  return content(path / "results.h5");
}

TEST_F(Sweep, TheSameBytesWhateverThreadsAndLanes) {
  const Study study = study_of();
  const std::string one = undisturbed(study, root_ / "one", 1, 1);
  EXPECT_GT(one.size(), 10000);
  EXPECT_EQ(one, undisturbed(study, root_ / "two", 3, 4));
  EXPECT_EQ(one, undisturbed(study, root_ / "three", 2, 8));
  Choices other;
  other.seed = 4;
  EXPECT_NE(one, undisturbed(study_of(other), root_ / "four"));
}

TEST_F(Sweep, InterruptedAndResumedItEndsTheSame) {
  const Study study = study_of();
  const std::string expected = undisturbed(study, root_ / "whole");
  const fs::path path = root_ / "parts";
  {
    const auto folder = Folder::create(path, study);
    ASSERT_TRUE(folder);
    EXPECT_FALSE(work(study, *folder, 5));
  }
  std::uint64_t before = 0;
  for (int turn = 0;; ++turn) {
    const auto folder = Folder::resume(path, study);
    ASSERT_TRUE(folder) << folder.error();
    EXPECT_GT(folder->finished_count(), before);
    before = folder->finished_count();
    if (!work(study, *folder, 5 + static_cast<std::uint64_t>(turn))) continue;
    write_results(study, *folder);
    break;
  }
  EXPECT_EQ(content(path / "results.h5"), expected);
}

TEST_F(Sweep, AJournalTornAnywhereIsResumed) {
  const Study study = study_of();
  const std::string expected = undisturbed(study, root_ / "whole");
  const std::string journal = content(root_ / "whole/runs.journal");
  const fs::path path = root_ / "whole";
  for (std::size_t size = 0; size < journal.size(); size += journal.size() / 11 + 13) {
    fs::resize_file(path / "runs.journal", size);
    fs::remove(path / "results.h5");
    const auto folder = Folder::resume(path, study);
    ASSERT_TRUE(folder) << folder.error();
    EXPECT_LT(folder->cut_off(), 4096);
    ASSERT_TRUE(work(study, *folder));
    write_results(study, *folder);
    EXPECT_EQ(content(path / "results.h5"), expected) << size;
  }
}

TEST_F(Sweep, NoFinishedRunIsDoneAgain) {
  const Study study = study_of();
  undisturbed(study, root_ / "a");
  const auto size = fs::file_size(root_ / "a/runs.journal");
  const auto folder = Folder::resume(root_ / "a", study);
  ASSERT_TRUE(folder);
  EXPECT_EQ(folder->finished_count(), 40);
  EXPECT_TRUE(work(study, *folder));
  EXPECT_EQ(fs::file_size(root_ / "a/runs.journal"), size);
}

TEST_F(Sweep, AnotherStudyIsRefusedAndNothingIsTouched) {
  undisturbed(study_of(), root_ / "a");
  const std::string journal = content(root_ / "a/runs.journal");
  const auto refusal = [&](const Choices& choices) {
    const auto folder = Folder::resume(root_ / "a", study_of(choices));
    EXPECT_FALSE(folder);
    EXPECT_EQ(content(root_ / "a/runs.journal"), journal);
    const std::string text = folder ? "" : folder.error();
    const std::size_t begin = text.find("it has ");
    return text.substr(begin, text.find(';') - begin);
  };
  Choices seed, runs, vary, stat, samples;
  seed.seed = 9;
  EXPECT_EQ(refusal(seed), "it has seed 3 instead of 9");
  runs.runs = 50;
  EXPECT_EQ(refusal(runs), "it has runs 40 instead of 50");
  vary.variations[1] = "m=[1, 3]";
  EXPECT_NE(refusal(vary).find("vary"), std::string::npos);
  stat.statistics.pop_back();
  EXPECT_NE(refusal(stat).find("statistics"), std::string::npos);
  samples.samples = 8;
  EXPECT_NE(refusal(samples).find("samples"), std::string::npos);
  EXPECT_FALSE(Folder::resume(root_ / "nothing", study_of()));
  EXPECT_FALSE(fs::exists(root_ / "nothing"));
}

TEST_F(Sweep, ADirectoryInUseIsRefused) {
  const Study study = study_of();
  undisturbed(study, root_ / "a");
  EXPECT_EQ(Folder::create(root_ / "a", study).error(),
            "'" + (root_ / "a").string() +
                "' holds a study already; continue it with --resume, or give another directory "
                "with --out");
  fs::create_directory(root_ / "b");
  std::ofstream(root_ / "b/thesis.tex") << "years of work";
  EXPECT_NE(Folder::create(root_ / "b", study).error().find("holds other files ('thesis.tex')"),
            std::string::npos);
  EXPECT_EQ(std::distance(fs::directory_iterator(root_ / "b"), {}), 1);
  EXPECT_NE(Folder::create(root_ / "b/thesis.tex", study).error().find("Not a directory"),
            std::string::npos);
  fs::create_directory(root_ / "empty");
  EXPECT_TRUE(Folder::create(root_ / "empty", study));
}

TEST_F(Sweep, ABeginningThatWasKilledIsNoStudy) {
  fs::create_directory(root_ / "a");
  std::ofstream(root_ / "a/runs.journal") << "dalembert r";  // part of a journal's first line
  std::ofstream(root_ / "a/.study.json.partial") << "{";
  const auto folder = Folder::create(root_ / "a", study_of());
  ASSERT_TRUE(folder) << folder.error();
  EXPECT_FALSE(fs::exists(root_ / "a/.study.json.partial"));
}

TEST_F(Sweep, TwoAtOnceDoNotWorkInOneDirectory) {
  const Study study = study_of();
  const auto first = Folder::create(root_ / "a", study);
  ASSERT_TRUE(first);
  const auto second = Folder::resume(root_ / "a", study);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error(), "another process is at work in '" + (root_ / "a").string() + "'");
}

TEST_F(Sweep, AForeignJournalIsNotTouched) {
  const Study study = study_of();
  undisturbed(study, root_ / "a");
  std::string journal = content(root_ / "a/runs.journal");
  journal[20] ^= 1;
  std::ofstream(root_ / "a/runs.journal", std::ios::binary) << journal;
  EXPECT_NE(Folder::resume(root_ / "a", study).error().find("is not the journal of this study"),
            std::string::npos);
  EXPECT_EQ(content(root_ / "a/runs.journal"), journal);
}

std::vector<double> doubles(hid_t file, const char* name) {
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  EXPECT_GE(dataset, 0) << name;
  const hid_t space = H5Dget_space(dataset);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Sclose(space);
  H5Dclose(dataset);
  return values;
}

std::vector<std::string> texts(hid_t object, const char* attribute_name) {
  const hid_t attribute = H5Aopen(object, attribute_name, H5P_DEFAULT);
  const hid_t type = H5Aget_type(attribute);
  const hid_t space = H5Aget_space(attribute);
  std::vector<char*> pointers(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Aread(attribute, type, pointers.data()), 0);
  std::vector<std::string> result(pointers.begin(), pointers.end());
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(attribute);
  return result;
}

TEST_F(Sweep, TheFileOfResultsHoldsWhatTheRunsGave) {
  Choices choices;
  choices.runs = 6;
  choices.variations = {"psi'=[-5, -4, -3]", "x'=[2, 2.5]"};  // rolls only with x' = -psi'/2
  const Study study = study_of(choices);
  const auto folder = Folder::create(root_ / "a", study);
  ASSERT_TRUE(folder);
  ASSERT_TRUE(work(study, *folder));
  const auto results = Results::open(study, *folder);
  ASSERT_TRUE(results);
  ASSERT_EQ(write_hdf5(*results, root_ / "a/results.h5"), std::nullopt);

  const hid_t file = H5Fopen((root_ / "a/results.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  EXPECT_EQ(doubles(file, "run"), (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(doubles(file, "varied"),
            (std::vector<double>{-5, 2, -5, 2.5, -4, 2, -4, 2.5, -3, 2, -3, 2.5}));
  const std::vector<double> status = doubles(file, "status");
  EXPECT_EQ(status, (std::vector<double>{1, 0, 0, 1, 1, 1}));
  const std::vector<double> q = doubles(file, "final_q");
  const std::vector<double> statistics = doubles(file, "statistics");
  const std::vector<double> samples = doubles(file, "samples");
  const auto columns = sample_columns(study.plan.motion());
  const std::size_t row = columns.size();
  ASSERT_EQ(samples.size(), 6 * 7 * row);
  for (std::size_t run = 0; run < 6; ++run) {
    // The last sample is the end; the statistics are those of the samples.
    double largest = -1e9;
    for (std::size_t k = 0; k < 7; ++k) {
      const double theta = samples[(run * 7 + k) * row + 2];
      EXPECT_EQ(std::isnan(theta), status[run] == 1);
      largest = std::max(largest, theta);
    }
    EXPECT_EQ(std::isnan(statistics[2 * run]), status[run] == 1);
    if (status[run] == 1) continue;
    EXPECT_EQ(statistics[2 * run], largest);
    for (std::size_t k = 0; k < 5; ++k)
      EXPECT_EQ(samples[(run * 7 + 6) * row + 1 + k], q[5 * run + k]);
    EXPECT_EQ(doubles(file, "final_t")[run], 0.5);
  }
  EXPECT_EQ(doubles(file, "sample_times").back(), 0.5);

  const hid_t dataset = H5Dopen2(file, "reason", H5P_DEFAULT);
  const hid_t type = H5Dget_type(dataset);
  const hid_t space = H5Dget_space(dataset);
  std::vector<char*> reasons(6);
  ASSERT_GE(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, reasons.data()), 0);
  EXPECT_EQ(reasons[1], nullptr);
  EXPECT_NE(std::string(reasons[0]).find("break constraint 'rolling x'"), std::string::npos);
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, reasons.data());
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(dataset);

  const hid_t varied = H5Dopen2(file, "varied", H5P_DEFAULT);
  EXPECT_EQ(texts(varied, "columns"), (std::vector<std::string>{"psi'", "x'"}));
  H5Dclose(varied);
  const hid_t kept = H5Dopen2(file, "samples", H5P_DEFAULT);
  EXPECT_EQ(texts(kept, "columns"), columns);
  H5Dclose(kept);
  EXPECT_EQ(texts(file, "program"), std::vector<std::string>{"dalembert test"});
  H5Fclose(file);

  const Digest short_form = digest(*results);
  EXPECT_EQ(short_form.complete, 2);
  EXPECT_EQ(short_form.failed, 4);
  ASSERT_EQ(short_form.failures.size(), 4);
  EXPECT_EQ(short_form.failures[0].run, 0);
  EXPECT_EQ(short_form.spreads[0].name, "max(theta)");
  EXPECT_EQ(short_form.spreads[0].max, std::max(statistics[2], statistics[4]));
  EXPECT_EQ(short_form.spreads[0].mean, (statistics[2] + statistics[4]) / 2);
}

TEST_F(Sweep, SamplesInManyBlocksAreAllThere) {
  Choices choices;
  choices.runs = 3;
  choices.samples = 2001;  // of 34 numbers: more than one block, and more than one chunk
  const Study study = study_of(choices);
  undisturbed(study, root_ / "a");
  const hid_t file = H5Fopen((root_ / "a/results.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const std::vector<double> samples = doubles(file, "samples");
  const std::vector<double> times = doubles(file, "sample_times");
  H5Fclose(file);
  const std::size_t row = sample_columns(study.plan.motion()).size();
  ASSERT_EQ(samples.size(), 3 * 2001 * row);
  for (std::size_t run = 0; run < 3; ++run) {
    for (std::size_t k = 0; k < 2001; ++k) ASSERT_EQ(samples[(run * 2001 + k) * row], times[k]);
  }
}

}  // namespace
}  // namespace dalembert::study::sweep_test
