#pragma once

// The words that programs are written with, by what they stand for.

#include <optional>

#include "steptp/cursor/vocabulary.h"
#include "steptp/ir/program.h"

namespace steptp::cursor {

struct ProgramWords {
  Token open = token_of("OPEN");
  Token close = token_of("CLOSE");
  Token end = token_of("END");
  Token guard = token_of("GUARD");
  Token equation = token_of("EQUATION");
  Token real = token_of("REAL");
  Token tensor = token_of("T0");
  Token loop = token_of("j0");
  Token sum = token_of("at:sum");
  Token product = token_of("at:product");
  Token quotient = token_of("at:quotient");
  Token remainder = token_of("at:remainder");
  Token read = token_of("at:read");
  Token select = token_of("do:select");
  Token infinity = token_of("do:inf");
  Token index = token_of("do:index");
};
[[nodiscard]] const ProgramWords& program_words();

[[nodiscard]] Token word_of(Role role);
[[nodiscard]] Token word_of(DType dtype);
[[nodiscard]] Token word_of(Placement placement);
[[nodiscard]] Token word_of(Function function);
[[nodiscard]] Token word_of(ArithmeticOp op);
[[nodiscard]] Token word_of(CompareOp op);
[[nodiscard]] Token word_of(LogicOp op);
[[nodiscard]] Token word_of(LoopKind kind);  ///< not of bound loops
[[nodiscard]] Token word_of(Axis axis);
/// Not of an unstated domain, which has no word.
[[nodiscard]] Token word_of(Domain::Kind kind);

// Back: nothing where the word is another one.
[[nodiscard]] std::optional<Role> role_of(Token token);
[[nodiscard]] std::optional<DType> dtype_of(Token token);
[[nodiscard]] std::optional<Placement> placement_of(Token token);
[[nodiscard]] std::optional<Function> function_of(Token token);
[[nodiscard]] std::optional<ArithmeticOp> arithmetic_of(Token token);
[[nodiscard]] std::optional<CompareOp> compare_of(Token token);
[[nodiscard]] std::optional<LogicOp> logic_of(Token token);
[[nodiscard]] std::optional<LoopKind> kind_of(Token token);
[[nodiscard]] std::optional<Axis> bound_axis_of(Token token);
[[nodiscard]] std::optional<Domain::Kind> domain_of(Token token);

}  // namespace steptp::cursor
