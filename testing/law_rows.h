#pragma once

// Rows of laws: what a law of the prover accepts, and the nearest neighbours that it must refuse. A table of rows is
// given to the test Law (law_rows.cpp) by INSTANTIATE_TEST_SUITE_P with law_name. tools/break_laws breaks each law and
// expects its row to go red; testing/data/law_breakages.toml says how each is broken.

#include <gtest/gtest.h>

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace steptp::testing {

/// How a pair is accepted.
enum class By : std::uint8_t {
  proof,       ///< both programs have one normal form
  residues,    ///< one normal form, or shown cell by cell
  as_written,  ///< the same roundings: what is refused may well be equal as real functions
};

/// A pair that must be refused.
struct Refused {
  std::string_view after;
  std::string_view before = {};  ///< where it is not that of the row
};

struct LawRow {
  std::string_view law;
  /// Where there is no signature, both are formulas of one element: A, C and E hold any numbers, F and Q positive ones,
  /// N numbers other than zero, M and H numbers or -inf, I any integers, J integers from 0 to 9, W integers of 8 bits,
  /// K bools; tx runs from 0 to 99.
  std::string_view signature = {};
  std::string_view before;
  std::string_view after;
  std::vector<Refused> wrong;
  By by = By::proof;
};

std::ostream& operator<<(std::ostream& out, const LawRow& row);

class Law : public ::testing::TestWithParam<LawRow> {};

/// The law as a name that a test may have: words joined by _.
[[nodiscard]] std::string law_name(const ::testing::TestParamInfo<LawRow>& row);

}  // namespace steptp::testing
