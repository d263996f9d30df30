// An offset inside a TOML string leads to the characters that wrote it, whatever the kind of the
// string.
#include <dalembert/model/text_index.hpp>

#include <gtest/gtest.h>

#include <string>

#include "complaints_of.hpp"

namespace dalembert::model::positions_test {
namespace {

const std::string head = "coordinates = [\"φ\", \"x\"]\n[energy]\nkinetic = \"φ'^2 + x'^2\"\n";
const std::string unknown = " unknown name 'q'\n";

TEST(Positions, ColumnsCountCharactersAndNotBytes) {
  EXPECT_EQ(complaints_of(head + "potential = \"φ*φ + q\"\n"), "4:20+1" + unknown);
  EXPECT_EQ(complaints_of(head + "potential = \"φ + ψ\" # ψ\n"), "4:18+1 unknown name 'ψ'\n");
}

TEST(Positions, ABasicStringMayWriteLettersAsEscapes) {
  EXPECT_EQ(complaints_of(head + "potential = \"\\u03c6 + q\"\n"), "4:23+1" + unknown);
  EXPECT_EQ(complaints_of(head + "potential = \"\\U000003c6 + q\"\n"), "4:27+1" + unknown);
  EXPECT_EQ(complaints_of(head + "potential = \"x\\t+ q\\n\"\n"), "4:19+1" + unknown);
  // The culprit itself is an escape: the whole of it is marked.
  EXPECT_EQ(complaints_of(head + "potential = \"x + \\u03c8\"\n"), "4:18+6 unknown name 'ψ'\n");
  EXPECT_EQ(complaints_of(head + "potential = \"x + \\\" + q\"\n"),
            "4:18+2 unexpected character '\"'; did you mean \"''\"?\n");
}

TEST(Positions, ALiteralStringHasNoEscapes) {
  EXPECT_EQ(complaints_of(head + "potential = 'φ + q'\n"), "4:18+1" + unknown);
  EXPECT_EQ(complaints_of(head + "potential = 'φ + \\u'\n"), "4:18+1 unexpected character '\\'\n");
}

TEST(Positions, AMultiLineBasicStringIsFollowedFromLineToLine) {
  EXPECT_EQ(complaints_of(head + "potential = \"\"\"φ + q\"\"\"\n"), "4:20+1" + unknown);
  EXPECT_EQ(complaints_of(head + "potential = \"\"\"\nφ\n + φ + q\"\"\"\n"), "6:8+1" + unknown);
  EXPECT_EQ(complaints_of(head + "potential = \"\"\"\r\nφ\r\n + φ + q\"\"\"\r\n"),
            "6:8+1" + unknown);
  EXPECT_EQ(complaints_of(head + "potential = \"\"\"φ + \\\n\n    \\u03c6 + \\  \n  q\"\"\"\n"),
            "7:3+1" + unknown);
  EXPECT_EQ(complaints_of(head + "potential = \"\"\"x + \" + q\"\"\"\n"),
            "4:20+1 unexpected character '\"'; did you mean \"''\"?\n");
}

TEST(Positions, AMultiLineLiteralStringToo) {
  EXPECT_EQ(complaints_of(head + "potential = '''x' + q'''\n").substr(0, 6), "4:16+2");
  EXPECT_EQ(complaints_of(head + "potential = '''\nφ +\n  \\q'''\n"),
            "6:3+1 unexpected character '\\'\n");
  EXPECT_EQ(complaints_of(head + "[forces]\nx = '''\r\nφ + x'\r\n + q'''\n"), "7:4+1" + unknown);
}

TEST(Positions, AMarkEndsWithItsLine) {
  EXPECT_EQ(complaints_of(head + "[[constraint]]\nequation = \"\"\"x +\n φ\"\"\"\n"),
            "5:15+3 an equation needs '='; to say that this vanishes, end it with '= 0'\n");
}

TEST(Positions, AByteOrderMarkIsNoCharacter) {
  EXPECT_EQ(complaints_of("\xef\xbb\xbf" + head), "");
  EXPECT_EQ(complaints_of("\xef\xbb\xbf"
                          "energy = { kinetic = \"x'^2 + q\" }\ncoordinates = [\"x\"]\n"),
            "1:30+1" + unknown);
  EXPECT_EQ(complaints_of("\xef\xbb\xbf"
                          "coordinates = [1]\n"),
            "1:16+1 expected the name of a coordinate in quotes, found a number\n");
}

TEST(Positions, CarriageReturnsBelongToNoLine) {
  EXPECT_EQ(complaints_of("coordinates = [\"x\"]\r\n[energy]\r\nkinetic = \"x'^2 + q\"\r\n"),
            "3:19+1" + unknown);
}

TEST(Positions, OffsetsAndColumnsAreInverse) {
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += std::string(static_cast<std::size_t>(i), 'a') + "φ→𝜑\r\nz\n\n";
  const TextIndex index(text);
  int line = 1;
  int column = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) == 0x80) continue;
    const Location where = index.location(i, i + 1);
    ASSERT_EQ(where.line, line);
    ASSERT_EQ(where.column, column);
    ASSERT_EQ(where.length, 1);
    ASSERT_EQ(index.offset(static_cast<std::size_t>(line), static_cast<std::size_t>(column)), i);
    ++column;
    if (text[i] == '\n') {
      ++line;
      column = 1;
    }
  }
  EXPECT_EQ(index.offset(100'000, 1), text.size());
  EXPECT_EQ(index.offset(0, 0), text.size());
}

}  // namespace
}  // namespace dalembert::model::positions_test
