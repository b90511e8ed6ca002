#include "steptp/text/document.h"

#include <algorithm>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/base/utf8.h"
#include "steptp/ir/site.h"
#include "steptp/text/hints.h"
#include "steptp/text/printer.h"
#include "steptp/text/reader.h"
#include "steptp/text/signature_text.h"

namespace steptp {

namespace {

/// The text with its header lines replaced by blanks, so that positions in the program are positions in the file.
/// Text without headers is not copied; `room` holds the copy of others.
std::string_view without_headers(const std::string& text, std::string& room) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string::npos || (text[start] != '@' && text[start] != '#')) return text;
  room = text;
  std::size_t begin = 0;
  while (begin < room.size()) {
    const std::size_t end = std::min(room.find('\n', begin), room.size());
    const std::size_t first = room.find_first_not_of(" \t\r", begin);
    const bool blank = first == std::string::npos || first >= end;
    if (!blank && room[first] != '@' && room[first] != '#') break;
    if (!blank && room[first] == '@') {
      std::fill(room.begin() + static_cast<std::ptrdiff_t>(begin), room.begin() + static_cast<std::ptrdiff_t>(end),
                ' ');
    }
    begin = end + 1;
  }
  return room;
}

void add_error(Document& document, std::string_view id, Span span, std::string message, std::string hint = {}) {
  Diagnostic diagnostic = make_error(id, std::move(message), std::move(hint));
  document.source->place(diagnostic, span);
  document.diagnostics.push_back(std::move(diagnostic));
}

/// Takes the program's name; what is wrong with it, empty where nothing is. It stands on a header line of its own, so
/// it is one line of text.
std::string take_name(Document& document, std::string_view name) {
  const std::size_t first = name.find_first_not_of(" \t\r");
  name = first == std::string_view::npos ? std::string_view() : name.substr(first);
  while (!name.empty() && (name.back() == ' ' || name.back() == '\t' || name.back() == '\r')) name.remove_suffix(1);
  document.program.name = name;
  while (!name.empty()) {
    const std::size_t length = utf8_length(name);
    const auto c = static_cast<unsigned char>(name.front());
    if (length == 0 || c < 0x20 || c == 0x7f) return "the program's name holds a byte that is not printable text";
    name.remove_prefix(length);
  }
  return {};
}

void read_header_line(Document& document, std::string_view line, Span span) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
  line.remove_prefix(1);
  if (line.starts_with("program") && (line.size() == 7 || line[7] == ' ' || line[7] == '\t')) {
    std::string problem = take_name(document, line.substr(7));
    if (document.program.name.empty()) problem = "@program has no name";
    if (!problem.empty()) add_error(document, "header", span, std::move(problem));
    return;
  }
  auto variable = parse_signature_line(line);
  if (!variable) return add_error(document, "header", span, variable.error(), "such as: @input A f32[16,1024]");
  document.program.signature.variables.push_back(*std::move(variable));
  document.has_signature = true;
}

void read_headers(Document& document) {
  const std::string& text = document.source->text();
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t first = text.find_first_not_of(" \t\r", begin);
    const bool blank = first == std::string::npos || first >= end;
    if (!blank && text[first] != '@' && text[first] != '#') return;
    if (!blank && text[first] == '@') {
      read_header_line(document, std::string_view(text).substr(first, end - first),
                       {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end - first)});
    }
    begin = end + 1;
  }
}

void read_nests(Document& document) {
  std::string room;
  ReadText read = read_text(without_headers(document.source->text(), room));
  document.profile = read.profile;
  document.program.nests = std::move(read.nests);
  for (ReadText::Finding& finding : read.findings) {
    document.source->place(finding.diagnostic, finding.span);
    finding.diagnostic.hint = hint_in(document.profile, std::move(finding.diagnostic.hint));
    document.diagnostics.push_back(std::move(finding.diagnostic));
  }
}

void finish(Document& document) {
  if (std::string problem = signature_problem(document.program.signature); !problem.empty()) {
    document.diagnostics.push_back(make_error("signature", std::move(problem)));
  }
  document.ok = !has_errors(document.diagnostics);
}

std::string json_problem(const Json& json, Document& document) {
  if (!json.as_object()) return concat("a record is ", json.kind_name(), ", wanted an object");
  if (const Json* name = json.find("program"); name && !name->is_null()) {
    if (!name->as_string()) return concat("\"program\" is ", name->kind_name(), ", wanted a string");
    if (std::string problem = take_name(document, *name->as_string()); !problem.empty()) return problem;
  }
  if (const Json* signature = json.find("signature"); signature && !signature->is_null()) {
    const auto* entries = signature->as_array();
    if (!entries) return concat("\"signature\" is ", signature->kind_name(), ", wanted an array");
    for (const Json& entry : *entries) {
      auto variable = variable_from_json(entry);
      if (!variable) return variable.error();
      document.program.signature.variables.push_back(*std::move(variable));
    }
    document.has_signature = true;
  }
  const Json* text = json.find("leir");
  if (!text) return "the record has no \"leir\"";
  if (!text->as_string()) return concat("\"leir\" is ", text->kind_name(), ", wanted a string");
  return {};
}

Document read_json_document(const std::string& name, std::string content) {
  Document document;
  document.source = std::make_shared<const Source>(name, std::move(content));
  auto json = parse_json(document.source->text());
  if (!json) {
    add_error(document, "json", {json.error().offset, 1}, json.error().message);
    return document;
  }
  if (json->as_array()) {
    document.diagnostics.push_back(
        make_error("record", "this is a JSON array, and a program is a JSON object",
                   "a file of several programs has one record per line, and ends in .jsonl"));
    return document;
  }
  if (std::string problem = json_problem(*json, document); !problem.empty()) {
    Diagnostic diagnostic =
        make_error("record", std::move(problem), R"(a record is {"program":...,"signature":[...],"leir":"..."})");
    document.diagnostics.push_back(std::move(diagnostic));
    return document;
  }
  // The program's own text is what its diagnostics point into.
  document.source = std::make_shared<const Source>(name, *json->find("leir")->as_string());
  document.record = *std::move(json);
  read_nests(document);
  finish(document);
  return document;
}

}  // namespace

Document read_document(std::string name, std::string content) {
  if (content.size() > UINT32_MAX / 2) {
    Document document;
    document.source = std::make_shared<const Source>(std::move(name), "");
    document.diagnostics.push_back(make_error("file", "the text is larger than 2 GiB"));
    return document;
  }
  if (content.starts_with("\xef\xbb\xbf")) {
    Document document;
    document.source = std::make_shared<const Source>(std::move(name), std::move(content));
    add_error(document, "syntax", {0, 1}, "the text begins with a byte order mark",
              "save the file as UTF-8 without one");
    return document;
  }
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  // No program begins with either.
  const bool is_json = first != std::string::npos && (content[first] == '{' || content[first] == '[');
  if (is_json) return read_json_document(name, std::move(content));
  Document document;
  document.source = std::make_shared<const Source>(std::move(name), std::move(content));
  read_headers(document);
  read_nests(document);
  finish(document);
  return document;
}

Document read_program_text(std::string name, std::string text, Signature signature) {
  Document document;
  document.source = std::make_shared<const Source>(std::move(name), std::move(text));
  document.program.signature = std::move(signature);
  document.has_signature = true;
  read_nests(document);
  finish(document);
  return document;
}

Located locate(const Document& document) {
  Located located;
  std::string room;
  located.nests = read_text(without_headers(document.source->text(), room), &located.map).nests;
  return located;
}

namespace {

std::optional<Span> span_of(const Located& located, const Site& site) {
  const auto node = [&located](const void* key) -> std::optional<Span> {
    const auto known = located.map.nodes.find(key);
    return known == located.map.nodes.end() ? std::nullopt : std::optional(known->second);
  };
  // Loops and subscripts are parts of a nest and of a reference: found through their owner.
  Site owner = site;
  owner.number.reset();
  if (site.part == Site::Part::loop) owner.part = Site::Part::item;
  const SitePart part = resolve(located.nests, owner);
  const auto numbered = [&](const auto& table, const auto* key) -> std::optional<Span> {
    const auto spans = table.find(key);
    if (spans == table.end() || *site.number >= spans->second.size()) return std::nullopt;
    return spans->second[*site.number];
  };
  if (const auto* nest = std::get_if<const Nest*>(&part))
    return site.number ? numbered(located.map.loops, *nest) : node(*nest);
  if (const auto* equation = std::get_if<const Equation*>(&part)) return node(*equation);
  if (const auto* ref = std::get_if<const Ref*>(&part))
    return site.number ? numbered(located.map.subscripts, *ref) : node(*ref);
  if (const auto* expr = std::get_if<const Expr*>(&part)) {
    const auto* read = std::get_if<Read>(&(*expr)->node);
    return site.number && read ? numbered(located.map.subscripts, read->ref.get()) : node(*expr);
  }
  return std::nullopt;
}

}  // namespace

void place(const Document& document, Diagnostics& diagnostics) {
  std::optional<Located> located;
  for (Diagnostic& diagnostic : diagnostics) {
    diagnostic.hint = hint_in(document.profile, std::move(diagnostic.hint));
    const auto site = diagnostic.site.empty() || diagnostic.line != 0 ? std::nullopt : parse_site(diagnostic.site);
    if (!site) continue;
    if (!located) located = locate(document);
    if (const auto span = span_of(*located, *site)) document.source->place(diagnostic, *span);
  }
}

std::string print_document(const Program& program, Profile profile) {
  std::string out;
  if (!program.name.empty()) append(out, "@program ", program.name, '\n');
  for (const Variable& variable : program.signature.variables) append(out, print_signature_line(variable), '\n');
  append(out, print(program, profile), '\n');
  return out;
}

Json to_json(const Program& program, Profile profile) {
  Json out;
  out.set("program", program.name);
  Json::Array signature;
  for (const Variable& variable : program.signature.variables) signature.push_back(to_json(variable));
  out.set("signature", std::move(signature)).set("leir", print(program, profile));
  return out;
}

}  // namespace steptp
