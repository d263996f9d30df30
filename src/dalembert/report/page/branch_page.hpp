#pragma once
/// The page of a branch of equilibria or steady motions: its diagram over the parameter, with
/// folds, Hopf points and eigenvalues. docs/page.md has the format of the data.

#include <string>

#include "dalembert/report/page/page.hpp"
#include "dalembert/study/linear/branch.hpp"

namespace dalembert::report {

/// For page_html.
PageData branch_page(const motion::Motion& motion, const std::string& along,
                     const study::Branch& branch);

}  // namespace dalembert::report
