#include "steptp/base/diagnostic.h"

#include <algorithm>

#include "steptp/base/readable.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr std::uint32_t kWindow = 100;  // how much of a long line is shown around the place

/// Control bytes and bytes outside ASCII would disturb a terminal or misplace the caret; one dot stands for each.
std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '.';
  }
  return out;
}

}  // namespace

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::unknown: return "unknown";
    case Severity::note: return "note";
  }
  return "error";
}

bool has_errors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::error; });
}

Diagnostic make_error(std::string_view id, std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.id = id;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  return diagnostic;
}

Source::Source(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (std::size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1)) {
    line_starts_.push_back(static_cast<std::uint32_t>(at + 1));
  }
}

void Source::place(Diagnostic& diagnostic, Span span) const {
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), span.begin);
  diagnostic.line = static_cast<std::uint32_t>(next - line_starts_.begin());
  diagnostic.column = span.begin - *(next - 1) + 1;
  diagnostic.length = span.length;
}

std::string_view Source::line(std::uint32_t number) const {
  if (number == 0 || number > line_starts_.size()) return {};
  const std::size_t begin = line_starts_[number - 1];
  std::size_t end = number < line_starts_.size() ? line_starts_[number] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

std::string render(const Diagnostic& diagnostic, const Source& source) {
  std::string out = readable(source.name());
  if (diagnostic.line != 0) append(out, ':', diagnostic.line, ':', diagnostic.column);
  append(out, ": ", severity_name(diagnostic.severity), ": ", readable(diagnostic.message));
  if (!diagnostic.id.empty()) append(out, " [", diagnostic.id, "]");
  out += '\n';
  if (diagnostic.line != 0) {
    std::string_view line = source.line(diagnostic.line);
    std::uint32_t caret = std::min(diagnostic.column - 1, static_cast<std::uint32_t>(line.size()));
    std::string_view before;
    std::string_view after;
    if (line.size() > kWindow) {
      const std::uint32_t begin = caret > kWindow / 2 ? caret - kWindow / 2 : 0;
      after = begin + kWindow < line.size() ? "..." : "";
      before = begin > 0 ? "..." : "";
      line = line.substr(begin, kWindow);
      caret -= begin;
    }
    const std::size_t room = line.size() > caret ? line.size() - caret : 1;
    const std::size_t length = std::clamp<std::size_t>(diagnostic.length, 1, std::max<std::size_t>(room, 1));
    append(out, "  ", before, printable(line), after, "\n  ", std::string(before.size() + caret, ' '), '^',
           std::string(length - 1, '~'), '\n');
  }
  if (!diagnostic.hint.empty()) append(out, "  hint: ", readable(diagnostic.hint), '\n');
  return out;
}

std::string render(const Diagnostics& diagnostics, const Source& source) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) out += render(diagnostic, source);
  return out;
}

}  // namespace steptp
