#pragma once

// What near_misses.cpp makes programs of.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "steptp/base/random.h"

namespace steptp::testing::near_misses {

inline constexpr std::size_t kElements = 44;
/// Elements 0 to 7 are positive and small, 8 to 15 of any sign: where expressions agree there, they are near misses.
inline constexpr std::size_t kGeneric = 8;

enum class Sort : std::uint8_t { real, whole, condition };

/// What an expression is made by. `text` has $0, $1 and $2 for its parts.
struct Form {
  Sort sort;
  std::string text;
  std::vector<Sort> parts;
  unsigned weight = 1;
};

/// An expression: statements that come before it, and its text. Both use names $x0, $x1 and so on for what is stored.
struct Term {
  Sort sort = Sort::real;
  std::vector<std::string> statements;
  std::string text;
  std::size_t size = 1;
  bool is_of_round = false;  ///< speaks of the round of a fold, and has a meaning only inside of one
  bool is_steep = false;     ///< may be so large that its floor has millions of digits
};

struct World {
  std::string signature;
  std::vector<std::string> reals;
  std::vector<std::string> wholes;
  std::vector<Form> forms;
};
/// `reals`, `masks`, `integers`, `folds` or `writes`.
[[nodiscard]] World world_of(const std::string& name);
/// The parts put in; nothing where that makes no program.
[[nodiscard]] std::optional<Term> made(const Form& form, const std::vector<const Term*>& parts);
/// The program that stores it in D.
[[nodiscard]] std::string text_of(const Term& term);

/// A program that overwrites its output and an intermediate in parts, in some order.
class WrittenProgram {
 public:
  explicit WrittenProgram(Random& random) : random_(random) {}
  [[nodiscard]] std::string make();
  static constexpr std::int64_t kPlaces = 6;

 private:
  std::string pick(std::initializer_list<const char*> words);
  /// A value at the place `at`, which lies in range.
  std::string value(const std::string& at, bool has_round);
  std::string change();

  Random& random_;
  bool has_second_ = false;
};

}  // namespace steptp::testing::near_misses
