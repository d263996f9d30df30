/// Any text as a robot in URDF. What is refused is refused with a sentence, at a place within the
/// text; what is imported is a model file that can be read.

#include <algorithm>

#include "dalembert/exchange/urdf.hpp"
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dalembert;
  using fuzz::require;
  constexpr std::size_t longest = 8000;  // characters
  if (size > longest) return fuzz::rejected;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto imported = exchange::import_urdf(text, "fuzz.urdf");
  if (!imported) {
    require(!imported.error().diagnostics.empty(), "what is refused has a reason");
    const auto lines =
        1 + std::count(text.begin(), text.end(), '\n') + std::count(text.begin(), text.end(), '\r');
    for (const model::Diagnostic& d : imported.error().diagnostics)
      require(!d.message.empty() && d.where.line >= 0 && d.where.line <= lines,
              "a complaint has a place in the text", d.message);
    require(!to_string(imported.error()).empty(), "an error can be told");
    return fuzz::kept;
  }
  const auto model = model::read_model_text(imported->toml, "fuzz.toml");
  require(static_cast<bool>(model), "what is imported can be read",
          model ? "" : to_string(model.error()));
  return fuzz::kept;
}
