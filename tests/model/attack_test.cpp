// No bytes whatsoever crash or hang the reader, and large models are read quickly.
#include <dalembert/expr/expr.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "../model_files.hpp"
#include "complaints_of.hpp"

namespace dalembert::model::attack_test {
namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t n) {
  return random() % n;
}

std::vector<std::string> model_texts() {
  std::vector<std::string> texts;
  for (const auto& path : model_files()) {
    std::ifstream file(path);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

/// Reads, and walks through all that comes out. Returns whether the text was a model.
bool survive(const std::string& text) {
  const auto model = read_model_text(text, "attack.toml");
  if (model) {
    EXPECT_EQ(complaint_lines(validate(*model)), "") << text;
    if (const auto values = parameter_values(*model); !values) {
      EXPECT_NE(to_string(values.error()).find("attack.toml"), std::string::npos) << text;
    }
    return true;
  }
  EXPECT_FALSE(model.error().diagnostics.empty());
  for (const Diagnostic& d : model.error().diagnostics) EXPECT_FALSE(d.message.empty());
  return false;
}

/// Seconds of processor time, as if compiled for speed: a build with all checks is some thirty
/// times slower.
double seconds(const std::function<void()>& work) {
#ifdef NDEBUG
  constexpr double slowness = 1;
#else
  constexpr double slowness = 30;
#endif
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / slowness;
}

TEST(Attack, RandomBytesAreSurvived) {
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string text(below(random, 200), '\0');
    for (char& c : text) c = static_cast<char>(random());
    survive(text);
  }
}

TEST(Attack, RandomWordsOfTheLanguageAreSurvived) {
  const std::vector<std::string> words = {"coordinates",
                                          "=",
                                          "[",
                                          "]",
                                          "\"",
                                          "'",
                                          "\"\"\"",
                                          "'''",
                                          "\n",
                                          "\n",
                                          "[[constraint]]",
                                          "[energy]",
                                          "kinetic",
                                          "x",
                                          "x'",
                                          "1",
                                          "1e9",
                                          ".",
                                          "{",
                                          "}",
                                          ",",
                                          "#",
                                          "equation = ",
                                          "[let]",
                                          "[initial]",
                                          "mu",
                                          "\\",
                                          "^",
                                          "sin(",
                                          ")",
                                          "(",
                                          "*",
                                          "/",
                                          "φ",
                                          "\\u03c6",
                                          "-",
                                          "[parameters]",
                                          "m",
                                          "inf",
                                          "[outputs]",
                                          "ideal.x",
                                          "[simulation]",
                                          "times",
                                          "\r\n",
                                          "\t",
                                          "coordinates = [\"x\"]\n"};
  // Whole statements too, so that some texts come as far as bodies and joints.
  const std::vector<std::string> statements = {
      "coordinates = [\"x\", \"y\"]\n",
      "gravity = [0, 0, -9.81]\n",
      "[energy]\nkinetic = \"x'^2/2 + y'^2\"\n",
      "[[particle]]\nname = \"p\"\nmass = 1\nposition = [\"x\", \"y\", 0]\n",
      "[[body]]\nname = \"b\"\nmass = 2\ninertia = [1, 2, 3]\nposition = [\"x\", 0, 0]\n",
      "orientation = { axes = \"z\", angles = [\"y\"] }\n",
      "[[joint]]\nname = \"j\"\nkind = \"ball\"\nbodies = [\"b\", \"p\"]\n",
      "[[joint]]\nname = \"h\"\nkind = \"hinge\"\nbodies = [\"ground\", \"b\"]\naxis = [0, 0, 1]\n",
      "[[spring]]\nbetween = [\"b\", \"p\"]\nstiffness = 3\n",
      "[[constraint]]\nequation = \"x = y\"\n",
      "[parameters]\nm = 1\n",
      "[initial]\nx = 1\n"};
  Random random(2);
  int good = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string text;
    for (std::size_t k = below(random, 6); k > 0; --k)
      text += statements[below(random, statements.size())];
    if (i % 2 == 0) {
      for (std::size_t k = below(random, 60); k > 0; --k)
        text += words[below(random, words.size())];
    }
    good += survive(text) ? 1 : 0;
  }
  EXPECT_GT(good, 10);
}

TEST(Attack, DamagedModelsAreSurvived) {
  const std::vector<std::string> texts = model_texts();
  const std::string bytes = "'\"\\()[]{}=.,#+-*/^ \n\t\r0129xyqmeφ\xff\xc3_";
  Random random(3);
  int good = 0;
  for (int i = 0; i < 6000; ++i) {
    std::string text = texts[below(random, texts.size())];
    for (std::size_t damage = 1 + below(random, 4); damage > 0 && !text.empty(); --damage) {
      const std::size_t at = below(random, text.size());
      switch (below(random, 5)) {
        case 0:
          text[at] = bytes[below(random, bytes.size())];
          break;
        case 1:
          text.insert(at, 1, bytes[below(random, bytes.size())]);
          break;
        case 2:
          text.erase(at, 1 + below(random, 8));
          break;
        case 3:
          text[at] = static_cast<char>(text[at] ^ (1 << below(random, 8)));
          break;
        default: {
          const std::size_t from = below(random, text.size());
          text.insert(at, text.substr(from, below(random, 40)));
        }
      }
    }
    good += survive(text) ? 1 : 0;
  }
  EXPECT_GT(good, 100);
  EXPECT_LT(good, 5000);
}

TEST(Attack, TruncatedModelsAreSurvived) {
  for (const std::string& text : model_texts()) {
    for (std::size_t size = 0; size < text.size(); size += 7) survive(text.substr(0, size));
  }
}

TEST(Attack, DeepNestingIsRefused) {
  const std::string deep(100'000, '(');
  for (const std::string& text :
       {plane + "potential = \"" + deep + "x" + std::string(100'000, ')') + "\"\n",
        plane + "potential = \"" + std::string(100'000, '-') + "x\"\n",
        "a = " + std::string(1'000'000, '['), "a = " + std::string(100'000, '{')}) {
    EXPECT_FALSE(survive(text));
  }
  std::string dotted = "a";
  for (int i = 0; i < 1'000'000; ++i) dotted += ".a";
  EXPECT_FALSE(survive("[" + dotted + "]\n"));
  EXPECT_FALSE(survive(dotted + " = 1\n"));
  EXPECT_FALSE(survive("a = { \"b\" . " + dotted + " = 1 }\n"));
}

/// Lets a0 = x, a1 ... a(n-1), each of which uses the one before it, written in the wrong order.
std::string chain_of_lets(int n) {
  std::string lets = "[let]\n";
  for (int i = n - 1; i >= 1; --i) {
    const std::string before = "a" + std::to_string(i - 1);
    lets += "a" + std::to_string(i) + " = \"sin(" + before + ") + y*" + before + "\"\n";
  }
  return plane + lets + "a0 = \"x\"\n";
}

TEST(Attack, TenThousandLetsInAChainAreNoTrouble) {
  const std::string text = chain_of_lets(10'000) + "[outputs]\no = \"a9999\"\n[initial]\n";
  const std::size_t before = expr::live_nodes();
  EXPECT_TRUE(survive(text + "\"y'\" = \"a9999\"\n"));
  EXPECT_FALSE(survive(text + "x = \"a9999 - y\"\n"));
  EXPECT_TRUE(survive(chain_of_lets(1000) + "[outputs]\no = \"a999''\"\n"));
  EXPECT_EQ(expr::live_nodes(), before);
}

TEST(Attack, NumbersThatGrowFromLetToLetAreStopped) {
  std::string lets = "[let]\na0 = 3\nb0 = 5\n";
  for (int i = 1; i < 60; ++i) {
    const std::string k = std::to_string(i);
    const std::string before = std::to_string(i - 1);
    lets += "a" + k + " = \"a" + before + "*b" + before + "\"\n";
    lets += "b" + k + " = \"a" + before + "*b" + before + "/7\"\n";
  }
  EXPECT_EQ(complaints_of(plane + lets + "[outputs]\no = \"a59\"\n"),
            "38:1+3 let 'a15' contains a number of more than 19000 digits\n"
            "39:1+3 let 'b15' contains a number of more than 19000 digits\n");
  std::string powers = "[let]\na0 = \"x\"\n";
  for (int i = 1; i < 5000; ++i) {
    powers += "a" + std::to_string(i) + " = \"a" + std::to_string(i - 1) + "^1e99\"\n";
  }
  EXPECT_FALSE(survive(plane + powers));
}

TEST(Attack, AnEndlessCircleOfLetsIsPrintedShort) {
  std::string lets = "[let]\n";
  for (int i = 0; i < 10'000; ++i) {
    lets += "a" + std::to_string(i) + " = \"a" + std::to_string((i + 1) % 10'000) + "\"\n";
  }
  EXPECT_EQ(complaints_of(plane + lets),
            "8:1+2 let 'a0' depends on itself: a0 -> a1 -> a2 -> a3 -> a4 -> ... -> a9995 -> a9996 "
            "-> a9997 -> "
            "a9998 -> a9999 -> a0\n");
}

TEST(Attack, ManyMistakesTakeLittleTime) {
  std::string lets = "[let]\n";
  for (int i = 0; i < 30'000; ++i) {
    lets += "a" + std::to_string(i) + " = \"b" + std::to_string(i) + "\"\n";
  }
  EXPECT_LT(seconds([&] { EXPECT_FALSE(survive(plane + lets)); }), 5);
  std::string list = "coordinates = [";
  for (int i = 0; i < 100'000; ++i) list += "\"φ φ\",";
  EXPECT_LT(seconds([&] { EXPECT_FALSE(survive(list + "]\n")); }), 5);
}

TEST(Attack, TwoThousandCoordinatesAndConstraintsAreReadInASecond) {
  constexpr int n = 2000;
  std::string text = "coordinates = [";
  std::string kinetic;
  std::string rest;
  std::string initial = "[initial]\n";
  for (int i = 0; i < n; ++i) {
    const std::string q = "q" + std::to_string(i);
    text += "\"" + q + "\", ";
    kinetic += "m*" + q + "'^2/2 + ";
    rest += "[[constraint]]\nequation = \"" + q +
            "*cos(t) = " + (i == 0 ? "m" : "q" + std::to_string(i - 1)) + "\"\n";
    initial += q + " = " + (i == 0 ? "1" : "\"q" + std::to_string(i - 1) + " + m\"") + "\n";
  }
  text += "]\n[parameters]\nm = 1\n[energy]\nkinetic = \"" + kinetic + "0\"\n" + rest + initial;
  EXPECT_LT(seconds([&] { EXPECT_TRUE(survive(text)); }), 2);
}

TEST(Attack, AChainOfTwoThousandPendulumsIsReadInASecond) {
  constexpr int n = 2000;
  std::string text = "coordinates = [";
  std::string kinetic;
  std::string lets = "[let]\nx0 = 0\ny0 = 0\n";
  std::string outputs = "[outputs]\n";
  for (int i = 1; i <= n; ++i) {
    const std::string k = std::to_string(i);
    const std::string before = std::to_string(i - 1);
    text += "\"th" + k + "\", ";
    lets += "x" + k + " = \"x" + before + " + l*sin(th" + k + ")\"\ny" + k + " = \"y" + before +
            " - l*cos(th" + k + ")\"\n";
    kinetic += "m*(x" + k + "'^2 + y" + k + "'^2)/2 + ";
    outputs += "x" + k + " = \"x" + k + "\"\n";
  }
  text += "]\n[parameters]\nm = 1\nl = 1\n" + lets + "[energy]\nkinetic = \"" + kinetic + "0\"\n" +
          outputs;
  EXPECT_LT(seconds([&] { EXPECT_TRUE(survive(text)); }), 2);
}

}  // namespace
}  // namespace dalembert::model::attack_test
