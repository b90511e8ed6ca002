#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace steptp {

enum class Severity : std::uint8_t { error, warning, unknown, note };

[[nodiscard]] std::string_view severity_name(Severity severity);

/// Where in a text: byte offsets, turned into line and column only when somebody looks.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t length = 0;
  bool operator==(const Span&) const = default;
};

/// One message about an input. `id` is stable (scripts and `check --explain` use it); the message gives the values
/// that show the problem and what was wanted; the hint, where there is one, says what to do next.
struct Diagnostic {
  std::string id;
  Severity severity = Severity::error;
  std::string message;
  std::string hint;
  /// The address of the part it speaks of (ir/site.h), empty where the text is not a program.
  std::string site;
  /// 1-based; 0 where the message has no place in a text. Columns count bytes.
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 0;
};

using Diagnostics = std::vector<Diagnostic>;

[[nodiscard]] bool has_errors(const Diagnostics& diagnostics);

/// A diagnostic without a place in a text: a file that cannot be opened, a flag with a wrong value.
[[nodiscard]] Diagnostic make_error(std::string_view id, std::string message, std::string hint = {});

/// A named text that diagnostics point into.
class Source {
 public:
  Source(std::string name, std::string text);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& text() const { return text_; }

  /// Sets line, column and length of the diagnostic from a span of this text.
  void place(Diagnostic& diagnostic, Span span) const;
  [[nodiscard]] std::string_view line(std::uint32_t number) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<std::uint32_t> line_starts_;
};

/// The one renderer of messages for people:
///   prog.leir:2:43: error: expected an index after ','
///     B^{4}_{tx=0}[C^{f32,g}_{tx}=A^{f32,g}_{tx,};];
///                                               ^
/// Long lines are cut to a window around the place.
[[nodiscard]] std::string render(const Diagnostic& diagnostic, const Source& source);
[[nodiscard]] std::string render(const Diagnostics& diagnostics, const Source& source);

}  // namespace steptp
