#include "steptp/reasoning/trace.h"

#include <optional>
#include <string_view>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/reasoning/teller.h"

namespace steptp {

namespace {

std::string_view key_of(TracePiece::Kind kind) { return kind == TracePiece::Kind::before ? "before" : "after"; }

Json to_json(const TracePiece& piece) {
  if (piece.kind == TracePiece::Kind::words) return piece.words;
  Json out;
  if (piece.kind == TracePiece::Kind::name) return out.set("name", piece.words);
  out.set(key_of(piece.kind), to_text(piece.range.from));
  if (piece.range.to) out.set("to", *piece.range.to);
  return out;
}

Result<TracePiece, std::string> quotation(const Json& json, TracePiece::Kind kind, const std::string& address) {
  const auto site = parse_site(address);
  if (!site) return concat("\"", address, "\" is not an address");
  TracePiece out{kind, {}, {*site, {}}};
  if (const Json* to = json.find("to")) {
    const auto* number = to->as_integer();
    if (!number || *number < 0 || *number > UINT32_MAX) return std::string("\"to\" is not a natural number");
    out.range.to = static_cast<std::uint32_t>(*number);
  }
  return out;
}

Result<TracePiece, std::string> piece_from_json(const Json& json) {
  if (const auto* words = json.as_string()) return TracePiece{TracePiece::Kind::words, *words, {}};
  if (const Json* name = json.find("name"); name && name->as_string()) {
    return TracePiece{TracePiece::Kind::name, *name->as_string(), {}};
  }
  for (const auto kind : {TracePiece::Kind::before, TracePiece::Kind::after}) {
    const Json* address = json.find(key_of(kind));
    if (address && address->as_string()) return quotation(json, kind, *address->as_string());
  }
  return concat("a piece is a string or has \"name\", \"before\" or \"after\", this is ", json.kind_name());
}

}  // namespace

Trace make_trace(const Strategy& strategy, const Program& before, const Choice& choice, const Applied& applied,
                 std::uint64_t seed) {
  return {tell(strategy, before, choice, applied, seed)};
}

Json to_json(const Trace& trace) {
  Json::Array out;
  out.reserve(trace.pieces.size());
  for (const TracePiece& piece : trace.pieces) out.push_back(to_json(piece));
  return out;
}

Result<Trace, std::string> trace_from_json(const Json& json) {
  const auto* list = json.as_array();
  if (!list) return concat("a trace is an array, this is ", json.kind_name());
  Trace out;
  for (const Json& item : *list) {
    auto piece = piece_from_json(item);
    if (!piece) return concat("piece ", out.pieces.size(), ": ", piece.error());
    out.pieces.push_back(std::move(piece).value());
  }
  return out;
}

std::string render(const Trace& trace, const PrintedProgram& before, const PrintedProgram& after) {
  std::string out;
  out.reserve(4096);
  for (const TracePiece& piece : trace.pieces) {
    switch (piece.kind) {
      case TracePiece::Kind::words: out += piece.words; continue;
      case TracePiece::Kind::name: append(out, '`', piece.words, '`'); continue;
      case TracePiece::Kind::before: append(out, '`', before.quote(piece.range).value_or(""), '`'); continue;
      case TracePiece::Kind::after: append(out, '`', after.quote(piece.range).value_or(""), '`'); continue;
    }
  }
  return out;
}

std::string render(const Trace& trace, const Program& before, const Program& after, Profile profile) {
  return render(trace, PrintedProgram(before, profile), PrintedProgram(after, profile));
}

std::string render_answers(std::span<const std::string> rendered) {
  std::string out = rendered.size() == 1 ? std::string("Here is 1 answer.")
                                         : concat("Here are ", rendered.size(), " different answers.");
  for (std::size_t i = 0; i < rendered.size(); ++i) append(out, "\n\n", i + 1, ". ", rendered[i]);
  return out;
}

}  // namespace steptp
