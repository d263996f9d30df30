// What reaches a terminal is seen there.
#include "dalembert/expr/characters.hpp"

#include <gtest/gtest.h>

#include "dalembert/expr/parse.hpp"

namespace dalembert::expr::characters_test {
namespace {

std::string utf8(char32_t c) {
  const auto byte = [](char32_t x) { return static_cast<char>(static_cast<unsigned char>(x)); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xc0 | c >> 6), byte(0x80 | (c & 0x3f))};
  if (c < 0x10000)
    return {byte(0xe0 | c >> 12), byte(0x80 | (c >> 6 & 0x3f)), byte(0x80 | (c & 0x3f))};
  return {byte(0xf0 | c >> 18), byte(0x80 | (c >> 12 & 0x3f)), byte(0x80 | (c >> 6 & 0x3f)),
          byte(0x80 | (c & 0x3f))};
}

TEST(Characters, DecodingIsTheInverseOfEncoding) {
  for (const char32_t c : {U'a', U'é', U'φ', U'€', U'𝑥', char32_t{0x10ffff}})
    EXPECT_EQ(decode(utf8(c)), c);
}

TEST(Characters, WhatATerminalObeysOrHidesIsWrittenOut) {
  EXPECT_EQ(visible("a\x1b[2Jb"), "a<U+001B>[2Jb");
  EXPECT_EQ(visible("\xc2\x9b"
                    "31m"),
            "<U+009B>31m");
  EXPECT_EQ(visible("ab\u202ecd\u2066e\u200bf\u200d"), "ab<U+202E>cd<U+2066>e<U+200B>f<U+200D>");
  EXPECT_EQ(visible("a\rb\bc\x7f"), "a<U+000D>b<U+0008>c<U+007F>");
  EXPECT_EQ(visible(utf8(0xe0041)), "<U+E0041>");
  EXPECT_EQ(visible("\xff\xc3"), "<0xff><0xc3>");
  EXPECT_EQ(visible("two\n\tlines, φ' = 1 · ▁█ ü é"), "two\n\tlines, φ' = 1 · ▁█ ü é");
}

TEST(Characters, TheFirstThatIsHiddenIsNamed) {
  EXPECT_EQ(first_hidden("θ₁ (Größe)"), std::nullopt);
  EXPECT_EQ(first_hidden("a\nb"), "U+000A");
  EXPECT_EQ(first_hidden("a\nb\u2028", "\n"), "U+2028");
  EXPECT_EQ(first_hidden("a\xff"), "byte 0xff");
}

TEST(Characters, NoNameHoldsOneThatIsHidden) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    EXPECT_FALSE(is_hidden(c) && is_name("a" + utf8(c))) << std::hex << static_cast<unsigned>(c);
  }
}

}  // namespace
}  // namespace dalembert::expr::characters_test
