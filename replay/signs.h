#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "replay/met.h"
#include "replay/number.h"
#include "steptp/base/hash.h"

namespace steptp::replayer {

/// On which side of zero numbers lie, whatever their values say: each is known by its residue, so that all questions
/// about the same number, in either program, are answered alike.
class Signs {
 public:
  /// `sign`: -1, 0 or 1.
  void set(std::uint64_t residue, int sign);
  [[nodiscard]] std::optional<int> of(std::uint64_t residue) const;
  [[nodiscard]] std::size_t size() const { return signs_.size(); }
  [[nodiscard]] Hash hash() const;

  [[nodiscard]] static bool holds(CompareOp op, int sign);
  /// The signs of what is compared, or asked for, with which this way is gone.
  [[nodiscard]] static std::vector<int> of_way(const Met::Way& way);

 private:
  std::map<std::uint64_t, int> signs_;
};

}  // namespace steptp::replayer
