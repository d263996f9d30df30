#include <dalembert/model/model.hpp>

#include <gtest/gtest.h>

#include <filesystem>

namespace dalembert::model {
namespace {

TEST(ReadModel, AllModelsOfTheProgramAreGood) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(DALEMBERT_MODELS)) {
    if (file.path().extension() != ".toml") continue;
    const auto model = read_model(file.path().string());
    EXPECT_TRUE(model) << to_string(model.error());
    ++count;
  }
  EXPECT_GE(count, 12);
}

}  // namespace
}  // namespace dalembert::model
