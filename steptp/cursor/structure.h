#pragma once

// What can be made of a run of neighbouring expressions: one kind of kernel, with parameters that are decided one after
// the other. docs/cursor.md has the table of kinds.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/cursor/vocabulary.h"
#include "steptp/plans/plan.h"

namespace steptp::cursor {

/// A kind of kernel for one run. Legal values are arithmetic: everything about the program was asked before.
class Structure {
 public:
  Structure(std::string_view kind, std::vector<std::string_view> parameters);
  virtual ~Structure() = default;
  Structure(const Structure&) = delete;
  Structure& operator=(const Structure&) = delete;

  [[nodiscard]] Token kind() const { return kind_; }
  /// What is decided, in this order.
  [[nodiscard]] const std::vector<Token>& opcodes() const { return opcodes_; }
  /// The legal values of the parameter behind those that are chosen, ascending; appended.
  virtual void legal(std::span<const Token> chosen, std::vector<Token>& out) const = 0;
  /// The moves of a complete choice; places are counted from the first expression of the run.
  [[nodiscard]] virtual std::vector<PlannedMove> moves(std::span<const Token> chosen) const = 0;

 private:
  Token kind_;
  std::vector<Token> opcodes_;
};

/// One complete choice of parameters and what it makes.
struct Form {
  std::vector<Token> values;
  std::vector<PlannedMove> moves;
};

/// A kind with a list of all its choices.
class ListedStructure : public Structure {
 public:
  /// The forms have as many values as there are parameters; there is at least one, and no two are alike.
  ListedStructure(std::string_view kind, std::vector<std::string_view> parameters, std::vector<Form> forms);

  void legal(std::span<const Token> chosen, std::vector<Token>& out) const override;
  [[nodiscard]] std::vector<PlannedMove> moves(std::span<const Token> chosen) const override;

 private:
  /// The forms that begin so.
  [[nodiscard]] std::span<const Form> beginning_with(std::span<const Token> chosen) const;

  std::vector<Form> forms_;  ///< sorted by values
};

/// Moves of a run at their places in the whole program.
[[nodiscard]] std::vector<PlannedMove> moves_at(std::uint32_t first, std::vector<PlannedMove> moves);

/// The value of a parameter as a token: a number of the list, or a word. Nothing where the vocabulary has none.
[[nodiscard]] std::optional<Token> value_token(const Json& value);
}  // namespace steptp::cursor
