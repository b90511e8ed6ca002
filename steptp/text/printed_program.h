#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/ir/program.h"
#include "steptp/ir/site.h"
#include "steptp/text/profile.h"

namespace steptp {

/// A part of a program, or several parts of one kind that stand beside each other: loops of a header, items of a body,
/// operands of a chain.
struct TextRange {
  Site from;
  std::optional<std::uint32_t> to = {};  ///< the last one: its number in the header, the body or the chain
  bool operator==(const TextRange&) const = default;
};

/// Where one part stands in a text. Parts are listed in the order of the text, each before the parts inside it.
struct TextPlace {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t next = 0;    ///< the number of the first part that is not inside it
  bool in_brackets = false;  ///< brackets stand around it
  bool is_written = true;    ///< the compact profile leaves out the X of X+=...
};

/// The text of a program, and where each part stands in it: what is quoted from it is a piece of it, letter by letter.
class PrintedProgram {
 public:
  PrintedProgram(const Program& program, Profile profile);

  [[nodiscard]] const std::string& text() const { return text_; }

  /// The text of a part, without the brackets or the semicolon around it. Where a profile does not write the part out,
  /// that of the smallest part around it; nothing where the program has no such part.
  [[nodiscard]] std::optional<std::string_view> quote(const TextRange& range) const;

 private:
  struct Found {
    std::size_t place = 0;
    std::size_t around = 0;  ///< the smallest part around it that is written, or itself
  };
  [[nodiscard]] std::optional<Found> find(const Site& site) const;
  [[nodiscard]] std::size_t child_of(std::size_t place, std::size_t number) const;
  [[nodiscard]] std::optional<Found> find_in(const Nest& nest, std::size_t place, const Site& site) const;
  [[nodiscard]] std::optional<Found> find_in(const Equation& equation, std::size_t place, const Site& site) const;
  [[nodiscard]] std::optional<Found> descend(const Expr& root, std::size_t place, std::size_t around,
                                             const Site& site) const;

  std::vector<NestPtr> nests_;
  std::string text_;
  std::vector<TextPlace> places_;
};

}  // namespace steptp
