#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "steptp/base/diagnostic.h"
#include "steptp/text/document.h"

namespace steptp::fuzz {

/// Ends the run with what was wanted and the texts that show it is not so.
[[noreturn]] inline void fail(std::string_view wanted, std::string_view first, std::string_view second) {
  std::fprintf(stderr, "wanted: %.*s\nfirst:\n%.*s\nsecond:\n%.*s\n", static_cast<int>(wanted.size()), wanted.data(),
               static_cast<int>(first.size()), first.data(), static_cast<int>(second.size()), second.data());
  std::abort();
}

/// A document read from anywhere keeps these promises, whatever it holds.
inline void expect_sound(const Document& document) {
  const std::string messages = render(document.diagnostics, *document.source);
  if (!parse_json(quote_json(messages))) fail("messages can be printed as JSON", messages, "");
  if (document.ok == has_errors(document.diagnostics)) fail("ok exactly where there is no error", messages, "");
  for (const Diagnostic& diagnostic : document.diagnostics) {
    if (diagnostic.id.empty() || diagnostic.message.empty()) fail("every message has an id and a text", messages, "");
  }
}

/// Printing and reading back gives the same program, and printing that gives the same text.
inline void expect_round_trips(const Document& document) {
  for (const Profile profile : {Profile::paper, Profile::compact}) {
    const std::string text = print_document(document.program, profile);
    const Document again = read_document("again", text);
    if (!again.ok) fail("what is printed can be read", text, render(again.diagnostics, *again.source));
    const std::string text_again = print_document(again.program, profile);
    if (text_again != text) fail("the same text again", text, text_again);
    if (!equal_nests(document.program, again.program)) fail("the same tree", document.source->text(), text);
    if (hash_of(Program{"", {}, document.program.nests}) != hash_of(Program{"", {}, again.program.nests})) {
      fail("the same hash", document.source->text(), text);
    }
    if (document.program.name != again.program.name) fail("the same name", document.program.name, again.program.name);

    const std::string record = to_json(document.program, profile).dump();
    const Document from_json = read_document("record", record);
    if (!from_json.ok) fail("a record can be read", record, render(from_json.diagnostics, *from_json.source));
    const std::string record_again = to_json(from_json.program, profile).dump();
    if (record_again != record) fail("the same record again", record, record_again);
  }
  const Located located = locate(document);
  // Repeated pieces are read only once unless the places of all parts are wanted.
  if (!equal_nests(Program{"", {}, located.nests}, document.program)) {
    fail("the same tree with places", document.source->text(), "");
  }
}

}  // namespace steptp::fuzz
