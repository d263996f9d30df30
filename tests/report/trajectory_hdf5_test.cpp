// trajectory.h5 as a reader finds it.
#include "dalembert/report/trajectory_hdf5.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <cstring>

#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/model/bundled.hpp"

namespace dalembert::report::trajectory_hdf5_test {
namespace {

namespace fs = std::filesystem;

class TrajectoryHdf5 : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::temp_directory_path() / ("dalembert_h5_" + std::to_string(::getpid()));
    fs::create_directories(directory_);
    path_ = directory_ / "trajectory.h5";
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(directory_), fs::directory_iterator()));
  }

  static motion::Motion rolling_disk() {
    for (const model::BundledModel& m : model::bundled_models()) {
      if (m.name == "rolling_disk")
        return motion::compile(model::read_model_text(std::string(m.text), "rolling_disk").value())
            .value();
    }
    throw std::logic_error("no such model");
  }

  /// The numbers that were given to the table, row by row.
  static std::vector<double> write(TrajectoryTable& table, const motion::Motion& motion,
                                   long samples) {
    motion::SimulationOptions options = motion::simulation_options(motion);
    options.times.clear();
    options.samples = samples;
    options.duration = 1;
    const TrajectoryRow layout(motion);
    std::vector<double> rows;
    motion::simulate(motion, motion::initial_state(motion).value().state, options,
                     [&](const motion::Sample& sample) {
                       rows.resize(rows.size() + layout.size());
                       layout.fill(sample, std::span(rows).last(layout.size()));
                       return table.write(sample);
                     });
    return rows;
  }

  static std::string text(hid_t object, const char* name) {
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    char* read = nullptr;
    H5Aread(attribute, type, static_cast<void*>(&read));
    std::string result = read == nullptr ? "" : read;
    H5free_memory(read);
    H5Tclose(type);
    H5Aclose(attribute);
    return result;
  }

  static int number(hid_t object, const char* name) {
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    int result = -1;
    H5Aread(attribute, H5T_NATIVE_INT, &result);
    H5Aclose(attribute);
    return result;
  }

  fs::path directory_, path_;
};

TEST_F(TrajectoryHdf5, HasEveryBitOfTheRows) {
  const motion::Motion motion = rolling_disk();
  const auto columns = trajectory_columns(motion);
  // A chunk has some hundred rows: none, less than one, one and a bit, several.
  for (const long samples : {2L, 100L, 1000L, 5000L}) {
    TrajectoryTable table(path_, motion);
    const std::vector<double> rows = write(table, motion, samples);
    EXPECT_NE(files(), 0u);
    ASSERT_TRUE(table.commit(samples != 100));

    const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    ASSERT_GE(file, 0);
    EXPECT_EQ(text(file, "program").substr(0, 10), "dalembert ");
    EXPECT_EQ(text(file, "model"), motion.model().name);
    EXPECT_EQ(text(file, "method"), "m-inverse");
    EXPECT_EQ(number(file, "complete"), samples != 100 ? 1 : 0);
    const hid_t dataset = H5Dopen2(file, "trajectory", H5P_DEFAULT);
    const hid_t space = H5Dget_space(dataset);
    hsize_t size[2] = {0, 0};
    ASSERT_EQ(H5Sget_simple_extent_dims(space, size, nullptr), 2);
    ASSERT_EQ(size[0], static_cast<hsize_t>(samples));
    ASSERT_EQ(size[1], columns.size());
    std::vector<double> read(size[0] * size[1]);
    ASSERT_GE(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, read.data()), 0);
    ASSERT_EQ(read.size(), rows.size());
    EXPECT_EQ(std::memcmp(read.data(), rows.data(), rows.size() * sizeof(double)), 0);

    const hid_t names = H5Aopen(dataset, "columns", H5P_DEFAULT);
    const hid_t type = H5Aget_type(names);
    std::vector<char*> texts(columns.size());
    ASSERT_GE(H5Aread(names, type, static_cast<void*>(texts.data())), 0);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      EXPECT_EQ(texts[c], columns[c].name);
      H5free_memory(texts[c]);
    }
    H5Tclose(type);
    H5Aclose(names);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
    EXPECT_EQ(files(), 1u);
  }
}

TEST_F(TrajectoryHdf5, OfNoRowsIsATableAllTheSame) {
  TrajectoryTable table(path_, rolling_disk());
  ASSERT_TRUE(table.commit(false));
  EXPECT_GT(H5Fis_hdf5(path_.c_str()), 0);
}

TEST_F(TrajectoryHdf5, IsGoneWithoutCommit) {
  const motion::Motion motion = rolling_disk();
  {
    TrajectoryTable table(path_, motion);
    write(table, motion, 2000);
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(TrajectoryHdf5, SaysWhatIsInTheWay) {
  fs::create_directory(path_);
  TrajectoryTable table(path_, rolling_disk());
  EXPECT_EQ(table.error(), "cannot write '" + path_.string() + "': Is a directory");
  EXPECT_FALSE(table.commit(true));
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace dalembert::report::trajectory_hdf5_test
