#include "dalembert/exchange/urdf.hpp"

#include <fmt/format.h>

#include "dalembert/exchange/robot.hpp"
#include "dalembert/expr/parse.hpp"
#include "dalembert/model/text_file.hpp"
#include "dalembert/model/text_index.hpp"

namespace dalembert::exchange {

namespace {

using model::Failure;
using model::whole_file;

}  // namespace

Result<Imported, ModelError> import_urdf(std::string text, const std::string& name) {
  if (text.size() > largest_urdf_file) {
    return Failure{whole_file(
        name, fmt::format("too large: a URDF file has at most {} bytes", largest_urdf_file))};
  }
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  const auto source = std::make_shared<const Source>(Source{name, std::move(text)});
  const std::string_view all = source->text;
  for (std::size_t i = 0; i < all.size();) {
    const std::size_t length = expr::utf8_length(all.substr(i, 4));
    if (length == 0) {
      const auto byte = static_cast<unsigned char>(all[i]);
      return Failure{ModelError{source,
                                {{fmt::format("byte 0x{:02x} is not UTF-8", byte),
                                  model::TextIndex(all).location(i, i + 1)}}}};
    }
    i += length;
  }
  auto robot = read_robot(source);
  if (!robot) return Failure{std::move(robot).error()};
  Imported result;
  result.notes = robot->notes;
  auto wrong = check_robot(*robot, result.notes);
  if (!wrong.empty()) return Failure{ModelError{source, std::move(wrong)}};
  result.toml = model_file(*robot, result.notes);
  return result;
}

Result<Imported, ModelError> import_urdf_file(const std::string& path) {
  auto text = model::read_text_file(path, largest_urdf_file);
  if (!text) return Failure{std::move(text).error()};
  return import_urdf(*std::move(text), path);
}

}  // namespace dalembert::exchange
