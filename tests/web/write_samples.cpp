// Writes the sample documents in every format into the folder named on the command line, for the
// tests that look at them with a browser and with LaTeX.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "samples.hpp"

int main(int count, char** arguments) {
  using dalembert::report::Document;
  if (count != 2) {
    std::cerr << "usage: write_samples FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  bool good = true;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream file(folder / name, std::ios::binary);
    file << text;
    good = good && file.flush().good();
  };
  const auto write_all = [&](const std::string& name, const Document& document) {
    write(name + ".txt", to_text(document));
    write(name + ".md", to_markdown(document));
    write(name + ".tex", to_latex(document));
    write(name + ".html", to_html(document));
  };
  write_all("rich", dalembert::report::rich_sample());
  write_all("hostile", dalembert::report::hostile_sample());
  Document bad;
  bad.title = "A formula that is none";
  bad.blocks.emplace_back(
      dalembert::report::Display{{{{"x", "x"}, "=", {"?", "\\frac{1}{"}, "1"},
                                  {{"y", "y"}, "=", {"?", "2 \\unheardof"}, "2"}}});
  write_all("bad", bad);
  return good ? 0 : 1;
}
