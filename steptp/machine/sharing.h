#pragma once

#include <cstdint>
#include <vector>

#include "steptp/machine/code.h"

namespace steptp::certify {

/// For each statement of the second program, one of the first that stores the same value at the same iteration,
/// whatever the inputs; kNone where none is known.
struct Sharing {
  std::vector<std::uint32_t> all;
  /// Of each statement of the first program: the first one in it that is the same.
  std::vector<std::uint32_t> first;
  /// Only where neither the statement nor anything it depends on can go two ways, so that there is nothing to note.
  std::vector<std::uint32_t> plain;
};

/// Statements are told apart by what stands in them, and by the statements that write what they read, in order: those
/// that this never tells apart are the same. So names, dead code and the order of independent nests play no part.
[[nodiscard]] Sharing find_shared(const Code& before, const Code& after);

/// Two statements that are alike but for what they read, writer by writer.
struct WriterPair {
  std::uint32_t before = 0;
  std::uint32_t after = 0;
  auto operator<=>(const WriterPair&) const = default;  // NOLINT(modernize-use-nullptr): what the compiler generates
};
/// Whether the same stands in both statements, so that they store the same where their writers do, one by one; these
/// are added to the list.
[[nodiscard]] bool is_alike(const Code& before, const StatementCode& one, const Code& after, const StatementCode& other,
                            std::vector<WriterPair>& writers);

/// The same for two expressions of one program, at equal iterations.
[[nodiscard]] bool is_alike_value(const Code& code, std::uint32_t one, std::uint32_t other,
                                  std::vector<WriterPair>& writers);
/// Equal subscripts at equal iterations.
[[nodiscard]] bool are_same_places(const Code& code, const Access& one, const Access& other);

}  // namespace steptp::certify
