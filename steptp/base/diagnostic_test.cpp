#include "steptp/base/diagnostic.h"

#include <gtest/gtest.h>

#include <string>

#include "steptp/base/readable.h"

namespace steptp {
namespace {

std::string rendered(const std::string& text, Span span, std::string message = "wrong", std::string hint = {}) {
  const Source source("p.leir", text);
  Diagnostic diagnostic = make_error("syntax", std::move(message), std::move(hint));
  source.place(diagnostic, span);
  return render(diagnostic, source);
}

TEST(Diagnostic, ShowsThePlaceWithACaret) {
  EXPECT_EQ(rendered("first\nsecond line\n", {13, 4}),
            "p.leir:2:8: error: wrong [syntax]\n"
            "  second line\n"
            "         ^~~~\n");
}

TEST(Diagnostic, HintComesLast) {
  EXPECT_EQ(rendered("abc", {0, 1}, "no", "try d"), "p.leir:1:1: error: no [syntax]\n  abc\n  ^\n  hint: try d\n");
}

TEST(Diagnostic, WithoutAPlaceThereIsNoCaret) {
  const Source source("p.leir", "abc");
  EXPECT_EQ(render(make_error("file", "gone"), source), "p.leir: error: gone [file]\n");
}

TEST(Diagnostic, BehindTheEndPointsBehindTheLastCharacter) {
  EXPECT_EQ(rendered("abc", {3, 1}), "p.leir:1:4: error: wrong [syntax]\n  abc\n     ^\n");
  EXPECT_EQ(rendered("abc\n", {4, 1}), "p.leir:2:1: error: wrong [syntax]\n  \n  ^\n");
  EXPECT_EQ(rendered("", {0, 0}), "p.leir:1:1: error: wrong [syntax]\n  \n  ^\n");
}

TEST(Diagnostic, ASpanOverSeveralLinesIsMarkedInItsFirst) {
  EXPECT_EQ(rendered("ab\ncd\n", {1, 4}), "p.leir:1:2: error: wrong [syntax]\n  ab\n   ^\n");
}

TEST(Diagnostic, CarriageReturnsAndControlBytesDoNotDisturb) {
  EXPECT_EQ(rendered("a\tb\x1b[31m\xc3\xa9\r\nx", {2, 1}), "p.leir:1:3: error: wrong [syntax]\n  a.b.[31m..\n    ^\n");
}

TEST(Diagnostic, LongLinesAreCutAroundThePlace) {
  const std::string line = std::string(300, 'a') + "X" + std::string(300, 'b');
  const std::string text = rendered(line, {300, 1});
  EXPECT_EQ(text, "p.leir:1:301: error: wrong [syntax]\n  ..." + std::string(50, 'a') + "X" + std::string(49, 'b') +
                      "...\n  " + std::string(53, ' ') + "^\n");
}

TEST(Diagnostic, TheMarkStaysInsideTheWindow) {
  const std::string text = rendered(std::string(400, 'a'), {10, 390});
  const std::size_t caret_line = text.rfind("\n", text.size() - 2) + 1;
  EXPECT_EQ(text.size() - caret_line, 2 + 100 + 1u);
}

TEST(Diagnostic, SeveritiesAreNamedAndOnlyErrorsAreErrors) {
  Diagnostics diagnostics(3);
  diagnostics[0].severity = Severity::warning;
  diagnostics[1].severity = Severity::unknown;
  diagnostics[2].severity = Severity::note;
  EXPECT_FALSE(has_errors(diagnostics));
  diagnostics.push_back(make_error("x", "y"));
  EXPECT_TRUE(has_errors(diagnostics));
  EXPECT_EQ(severity_name(Severity::warning), "warning");
  EXPECT_EQ(severity_name(Severity::unknown), "unknown");
  EXPECT_EQ(severity_name(Severity::note), "note");
}

TEST(Diagnostic, MessagesDisturbNoTerminal) {
  EXPECT_EQ(readable("a\x1b[31m\n\xff\xc3\xa9\x7f"), "a.[31m\n.\xc3\xa9.");
  EXPECT_EQ(render(make_error("x", "unknown '\xff'", "not \x07"), Source("s", "")),
            "s: error: unknown '.' [x]\n  hint: not .\n");
}

TEST(Source, GivesLinesByNumber) {
  const Source source("s", "one\r\ntwo\n");
  EXPECT_EQ(source.line(1), "one");
  EXPECT_EQ(source.line(2), "two");
  EXPECT_EQ(source.line(3), "");
  EXPECT_EQ(source.line(4), "");
  EXPECT_EQ(source.line(0), "");
}

}  // namespace
}  // namespace steptp
