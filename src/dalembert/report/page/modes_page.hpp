#pragma once
/// The page of a linearisation: its modes as motions about the point
/// (study/linear/mode_shapes.hpp), with eigenvalues, frequencies and damping. docs/page.md has the
/// format of the data.

#include "dalembert/report/page/page.hpp"
#include "dalembert/study/linear/linearise.hpp"

namespace dalembert::report {

/// For page_html. Of a pair of eigenvalues the one with positive imaginary part; of more modes than
/// `limits` let in the first ones move.
PageData modes_page(const motion::Motion& motion, const study::Linearisation& linear,
                    const PageLimits& limits = {});

}  // namespace dalembert::report
