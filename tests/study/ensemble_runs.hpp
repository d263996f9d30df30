/// Ensembles for tests: runs made of a model by small changes, and all that came of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <numeric>
#include <vector>

#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/model/system.hpp"
#include "dalembert/study/ensemble.hpp"

namespace dalembert::study {

struct Row {
  double t;
  std::vector<double> values;  ///< q v qdd ideal nonideal kinetic potential outputs
};

struct Record {
  Outcome outcome;
  std::vector<Row> rows;
};

using Records = std::map<std::size_t, Record>;

inline std::vector<std::size_t> numbers(std::size_t count) {
  std::vector<std::size_t> runs(count);
  std::iota(runs.begin(), runs.end(), std::size_t{0});
  return runs;
}

/// Keeps what an ensemble reports. Each run must be reported once, after its samples.
class Recorder {
 public:
  OnSample on_sample() {
    return [this](std::size_t run, const EnsembleSample& s) {
      Row row{s.t, {}};
      for (const auto part : {s.q, s.v, s.qdd, s.ideal, s.nonideal})
        row.values.insert(row.values.end(), part.begin(), part.end());
      row.values.insert(row.values.end(), {s.kinetic, s.potential});
      row.values.insert(row.values.end(), s.outputs.begin(), s.outputs.end());
      const std::lock_guard lock(mutex_);
      EXPECT_FALSE(finished_[run]);
      records_[run].rows.push_back(std::move(row));
    };
  }
  OnFinished on_finished() {
    return [this](std::size_t run, const Outcome& outcome) {
      const std::lock_guard lock(mutex_);
      EXPECT_FALSE(finished_[run]);
      finished_[run] = true;
      records_[run].outcome = outcome;
    };
  }
  Records records() { return std::move(records_); }

 private:
  std::mutex mutex_;
  std::map<std::size_t, bool> finished_;
  Records records_;
};

inline Records collect(const motion::Motion& motion, std::span<const std::size_t> runs,
                       const Prepare& prepare, const EnsembleOptions& options, bool samples) {
  Recorder recorder;
  run_ensemble(motion, runs, prepare, samples ? recorder.on_sample() : OnSample{},
               recorder.on_finished(), options);
  return recorder.records();
}

inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

inline void expect_same_bits(const Record& a, const Record& b) {
  EXPECT_EQ(a.outcome.complete, b.outcome.complete);
  EXPECT_EQ(a.outcome.reason, b.outcome.reason);
  EXPECT_EQ(a.outcome.steps, b.outcome.steps);
  EXPECT_EQ(a.outcome.rejected, b.outcome.rejected);
  EXPECT_EQ(a.outcome.alone, b.outcome.alone);
  EXPECT_TRUE(same_bits(a.outcome.q, b.outcome.q));
  EXPECT_TRUE(same_bits(a.outcome.v, b.outcome.v));
  const auto numbers = [](const Outcome& o) {
    return std::vector<double>{o.t, o.largest_residual, o.energy_change};
  };
  EXPECT_TRUE(same_bits(numbers(a.outcome), numbers(b.outcome)));
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    EXPECT_EQ(a.rows[i].t, b.rows[i].t);
    EXPECT_TRUE(same_bits(a.rows[i].values, b.rows[i].values)) << "sample " << i;
  }
}

inline void expect_same_bits(const Records& a, const Records& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [run, record] : a) {
    SCOPED_TRACE(run);
    const auto other = b.find(run);
    ASSERT_NE(other, b.end());
    expect_same_bits(record, other->second);
  }
}

inline motion::Motion bundled(const std::string& name) {
  return motion::compile(
             model::read_model(std::string(DALEMBERT_MODELS) + "/" + name + ".toml").value())
      .value();
}

/// Parameter k of run i is its value times 1 + span (i mod 7), the start follows from the model.
inline Prepare varied(const motion::Motion& motion, std::size_t k, double span) {
  return [&motion, k, span](std::size_t i) {
    Run run;
    run.parameters = motion.parameters();
    run.parameters[k] *= 1 + span * static_cast<double>(i % 7);
    const auto initial = motion::initial_state(motion.with_parameters(run.parameters));
    if (initial) {
      run.start = initial->state;
    } else {
      run.problem = "no start";
    }
    return run;
  };
}

/// x'' = -w^2 x from x = 1 at rest, in `count` independent coordinates; w is the one parameter.
inline model::System oscillator(int count = 1) {
  model::System s("oscillator");
  const auto w = s.parameter("w", 1);
  expr::Expr kinetic = 0, potential = 0;
  for (int i = 0; i < count; ++i) {
    const auto x = s.coordinate("x" + std::to_string(i));
    kinetic = kinetic + expr::pow(expr::dot(x), 2) / 2;
    potential = potential + expr::pow(w * x, 2) / 2;
    s.initial(x, 1);
  }
  s.kinetic(kinetic).potential(potential);
  return s;
}

}  // namespace dalembert::study
