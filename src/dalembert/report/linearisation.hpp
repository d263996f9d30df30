#pragma once
/// What `linearise` and `continue` print: a linearisation and its spectrum, and a branch of
/// equilibria.

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/study/linear/branch.hpp"
#include "dalembert/study/linear/linearise.hpp"

namespace dalembert::report {

/// "point", "states", "inputs", "outputs", "A" ... "modes", as the contract has them; what is not
/// finite (the condition of a defective eigenvalue) is null.
std::string linearisation_json(const motion::Motion& motion, const study::Linearisation& linear);

/// Point, eigenvalues with what is known of each, and remarks.
std::string linearisation_text(const motion::Motion& motion, const study::Linearisation& linear);

/// What must be known before eigenvalues are trusted, sentences.
std::vector<std::string> linearisation_notes(const study::Linearisation& linear);

/// "Bicycle · steady motion · 10 states".
std::string linearisation_headline(const motion::Motion& motion,
                                   const study::Linearisation& linear);

/// An eigenvalue as people read it: rounding off the imaginary axis is zero.
struct ModeLine {
  Eigen::Index index = 0;  ///< in the spectrum
  std::complex<double> eigenvalue;
  std::optional<double> frequency, damping;  ///< Hz; of a pair
  double condition = 1;                      ///< infinite where defective
  std::string about;                         ///< the states that take part, or why it is zero
};

/// One for each eigenvalue without the conjugates.
std::vector<ModeLine> mode_lines(const study::Linearisation& linear);

/// Whether it is stable, a sentence; empty where the eigenvalues do not tell.
std::string stability_verdict(const study::Linearisation& linear);

/// What a kind of BranchPoint means.
std::string kind_words(const std::string& kind);

/// A branch as a table: kind, parameter, coordinates, velocities, unstable, and the largest real
/// part of the eigenvalues that are not zero.
std::string branch_csv(const motion::Motion& motion, const std::string& along,
                       const study::Branch& branch);
/// The same with all eigenvalues.
std::string branch_json(const motion::Motion& motion, const std::string& along,
                        const study::Branch& branch);
/// Where the branch begins and ends, and what is special on it.
std::string branch_text(const motion::Motion& motion, const std::string& along,
                        const study::Branch& branch);

}  // namespace dalembert::report
