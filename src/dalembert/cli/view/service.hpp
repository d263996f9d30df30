#pragma once
/// What the addresses of `view` answer, whatever carries the requests (docs/page.md, Live).

#include <memory>
#include <mutex>
#include <string>
#include <variant>

#include "dalembert/cli/view/file.hpp"
#include "dalembert/cli/view/worker.hpp"

namespace dalembert::cli {

/// An answer in JSON.
struct Reply {
  int status = 200;
  std::string body;
};

/// For many threads at once.
class ViewService {
 public:
  ViewService(ViewFile file, Worker& worker) : file_(std::move(file)), worker_(worker) {}

  /// The page, with the text of the model as it was last saved.
  std::string page();
  /// The job that answers line by line, or why there is none.
  std::variant<std::shared_ptr<Job>, Reply> simulate(const std::string& body);
  Reply save(const std::string& body);

 private:
  std::mutex mutex_;  ///< of what follows
  ViewFile file_;
  std::string text_ = file_.text();
  Worker& worker_;
};

}  // namespace dalembert::cli
