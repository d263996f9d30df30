// URDF from a program: what the command's tests do not reach.
#include "dalembert/exchange/urdf.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "dalembert/exchange/robot_names.hpp"
#include "dalembert/exchange/rotation.hpp"
#include "dalembert/exchange/xml_guard.hpp"

namespace dalembert::exchange::urdf_test {
namespace {

std::string data(const std::string& name) {
  std::ifstream file(DALEMBERT_TEST_DATA "/urdf/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

double number_between(double low, double high) {
  return low + (high - low) * *rc::gen::inRange(0, 1'000'001) / 1e6;
}

TEST(PrincipalValues, OfATurnedDiagonal) {
  EXPECT_TRUE(rc::check("R diag R^T has the diagonal as its eigenvalues", [] {
    Vec3 values = {number_between(-2, 3), number_between(-2, 3), number_between(-2, 3)};
    const Mat3 R = rotation({number_between(-4, 4), number_between(-4, 4), number_between(-4, 4)});
    const Mat3 D = {{{values[0], 0, 0}, {0, values[1], 0}, {0, 0, values[2]}}};
    const Vec3 found = principal_values(R * D * transposed(R));
    std::sort(values.begin(), values.end());
    // Backward stable: a few roundings of the largest.
    for (std::size_t i = 0; i < 3; ++i) RC_ASSERT(std::abs(found[i] - values[i]) < 1e-14);
  }));
}

TEST(PrincipalValues, OfEqualAndZeroMoments) {
  EXPECT_EQ(principal_values({}), (Vec3{0, 0, 0}));
  const Vec3 found = principal_values({{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}});
  EXPECT_NEAR(found[0], 0, 1e-15);
  EXPECT_NEAR(found[1], 0, 1e-15);
  EXPECT_NEAR(found[2], 3, 1e-15);
}

TEST(Rotation, RollPitchYawTurnAboutFixedAxesInThatOrder) {
  // A quarter turn about x takes y to z, then one about z takes x to y and leaves z.
  const double quarter = std::acos(0.0);
  const Vec3 y = rotation({quarter, 0, quarter}) * Vec3{0, 1, 0};
  EXPECT_NEAR(y[2], 1, 1e-15);
  const Vec3 x = rotation({quarter, 0, quarter}) * Vec3{1, 0, 0};
  EXPECT_NEAR(x[1], 1, 1e-15);
  // About y then z: x goes to -z and stays there.
  EXPECT_NEAR((rotation({0, quarter, quarter}) * Vec3{1, 0, 0})[2], -1, 1e-15);
}

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string objection(const std::string& xml) {
  const auto found = objection_to_xml(xml);
  return found ? found->message : "";
}

TEST(XmlGuard, CountsElementsAlone) {
  const std::string deep = repeated("<a>", 200);
  EXPECT_EQ(objection("<a>" + repeated("<b/>", 200) + "</a>"), "");
  EXPECT_EQ(objection(repeated("<a><b></b></a>", 200)), "");
  EXPECT_EQ(objection("<?xml version='1.0'?><!--" + deep + "--><a k='" + deep + "'><![CDATA[" +
                      deep + "]]></a>"),
            "");
  EXPECT_EQ(objection("<!DOCTYPE robot SYSTEM \"robot.dtd\"><a/>"), "");
  EXPECT_EQ(objection(repeated("<a>", 100) + repeated("</a>", 100)), "");
  EXPECT_EQ(objection(deep), "elements are nested more than 100 deep");
  EXPECT_EQ(objection_to_xml(deep)->begin, 300u);
}

TEST(XmlGuard, RefusesWhatHidesElementsFromOneOfTwoParsers) {
  // What each beginning hides from a reader of XML, TinyXML reads as elements, or the other way.
  const std::string deep = repeated("<a>", 40000);
  for (const std::string beginning : {"<?x>",
                                      "<?x y='>'",
                                      "<?x '?>",
                                      "<?xml version=\"1.0?>",
                                      "<?xml x' version='1.0?>",
                                      "<?>",
                                      "<!x [<a>",
                                      "<!DOCTYPE r [<!ENTITY e '>'>",
                                      "<!x '>",
                                      "<1 '>",
                                      "< a='>",
                                      "<a '>",
                                      "<a b'=c>",
                                      "<a <b>",
                                      "<a b=\"",
                                      "<!--",
                                      "<![CDATA[",
                                      "<!",
                                      "<?x",
                                      "</r",
                                      "</r></r>",
                                      "<!-->",
                                      "<![cdata[",
                                      "<a/b '>"}) {
    for (const std::string ending : {"", "?>", "-->", "]]>", "'>", "\">"}) {
      const std::string text = "<robot name=\"r\">" + beginning + deep + ending;
      EXPECT_TRUE(!ending.empty() || !objection(text).empty()) << beginning;
      EXPECT_FALSE(import_urdf(text, "r.urdf")) << beginning << " " << ending;
    }
  }
  EXPECT_EQ(objection("<r><?x><a></a></r>"),
            "'>' within a processing instruction, which ends with ?>");
  EXPECT_EQ(
      objection("<!DOCTYPE r [ <!ELEMENT r ANY> ]><r/>"),
      "'[' within <!...>: a document type with declarations of its own is not read; remove it");
  EXPECT_EQ(objection("<r><!-- "), "this comment is not closed by -->");
  EXPECT_EQ(objection("<r a='1"), "this quotation is not closed");
  EXPECT_EQ(objection("<r>1 < 2</r>"), "'<' begins no element here; in a text it is written &lt;");
}

TEST(XmlGuard, AnElementHasFewAttributes) {
  std::string text = "<robot name='r'><link name='l'";
  for (int i = 0; i < 20000; ++i) text += " a" + std::to_string(i) + (i % 2 == 0 ? "='='" : "=x");
  const auto imported = import_urdf(text + "/></robot>", "r.urdf");
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().diagnostics.front().message,
            "an element with more than 64 attributes");
  EXPECT_EQ(imported.error().diagnostics.front().where.line, 1);
}

TEST(NameBook, MakesNamesThatAreFree) {
  NameBook book({"g"});
  EXPECT_EQ(book.give("elbow", "_link"), "elbow");
  EXPECT_EQ(book.give("elbow", "_link"), "elbow_link");
  EXPECT_EQ(book.give("elbow", "_link"), "elbow_link2");
  EXPECT_EQ(book.give("g", "_joint"), "g_joint");
  EXPECT_EQ(book.give("t", "_joint"), "t_joint");
  EXPECT_EQ(book.give("ground", "_link"), "ground_link");
  EXPECT_EQ(book.give("φ", "_joint"), "φ");
  EXPECT_EQ(book.give("left arm/2", "_joint"), "left_arm_2");
  EXPECT_EQ(book.give("2", "_joint"), "_2");
  EXPECT_EQ(book.give("€", "_joint"), "_");
}

TEST(ImportUrdf, TellsOfALongChainWithoutRecursion) {
  std::string text = "<robot name='chain'>\n<link name='l0'/>\n";
  constexpr int links = 3000;
  for (int i = 1; i <= links; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    text += "<link name='l" + n + "'/>\n<joint name='j" + n + "' type='fixed'><parent link='l" +
            before + "'/><child link='l" + n + "'/></joint>\n";
  }
  text += "</robot>";
  const auto imported = import_urdf(text, "chain.urdf");
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().diagnostics.front().message, "the robot has no joint that moves");
}

TEST(ImportUrdf, DamagedFilesAreRefusedOrRead) {
  const std::string whole = data("all_joints.urdf");
  ASSERT_TRUE(import_urdf(whole, "all_joints.urdf"));
  EXPECT_TRUE(rc::check("cut, doubled and changed anywhere", [&] {
    std::string text = whole;
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    const auto length = *rc::gen::inRange<std::size_t>(1, 40);
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(at, length));
        break;
      case 2:
        text.resize(at);
        break;
      default:
        text[at] = static_cast<char>(*rc::gen::inRange(1, 128));
    }
    const auto imported = import_urdf(text, "damaged.urdf");
    if (imported) {
      RC_ASSERT(imported->toml.find("nan") == std::string::npos);
      RC_ASSERT(imported->toml.find("inf") == std::string::npos);
    } else {
      RC_ASSERT(!imported.error().diagnostics.empty());
      RC_ASSERT(!imported.error().diagnostics.front().message.empty());
    }
  }));
}

}  // namespace
}  // namespace dalembert::exchange::urdf_test
