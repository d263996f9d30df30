#include "dalembert/report/page_template.hpp"

#include "dalembert/report/embed.hpp"

DALEMBERT_EMBED(page, DALEMBERT_PAGE)

namespace dalembert::report {

std::string_view page_template() {
  return embedded_page();
}

}  // namespace dalembert::report
