#include "dalembert/report/page/page_template.hpp"

#include <stdexcept>

#include "dalembert/report/document/embed.hpp"

DALEMBERT_EMBED(page, DALEMBERT_PAGE)

namespace dalembert::report {

std::string_view page_template() {
  return embedded_page();
}

std::string_view page_policy() {
  constexpr std::string_view mark = "http-equiv=\"Content-Security-Policy\" content=\"";
  const std::string_view page = page_template();
  const std::size_t begin = page.find(mark);
  if (begin == std::string_view::npos) throw std::logic_error("the page has lost its policy");
  const std::string_view rest = page.substr(begin + mark.size());
  return rest.substr(0, rest.find('"'));
}

}  // namespace dalembert::report
