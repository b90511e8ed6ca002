#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "replay/check.h"
#include "replay/draws.h"

namespace steptp::replayer {

/// Asks of single elements what equal means: where `before` is a number or an infinity, `after` has that value. Both
/// programs are evaluated from their inputs on, without any cut, at inputs of the replayer's own.
class WholeCheck {
 public:
  explicit WholeCheck(Context& context);

  enum class Said : std::uint8_t {
    agrees,
    exempt,     ///< `before` is NaN or has no value
    undecided,  ///< long doubles are too coarse
  };
  /// Throws Refused where the programs differ, or where one has no value and the certificate does not say so.
  Said look(const std::string& output, const std::vector<std::int64_t>& element, Kind kind, std::uint64_t seed,
            std::uint64_t& budget);

  /// Elements at which something of either program begins or ends: found in the programs, not in the certificate.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> edges(const Variable& output);

  struct Tally {
    std::uint64_t agrees = 0;
    std::uint64_t exempt = 0;
    std::uint64_t undecided = 0;
    std::uint64_t obligations = 0;  ///< elements at which the certificate says where there is no value
  };
  [[nodiscard]] const Tally& tally() const { return tally_; }

 private:
  struct Point;
  void check_obligations(Point& point, const std::string& place, std::uint64_t& budget);

  Context& context_;
  std::map<std::string, const Claim*, std::less<>> claims_;
  std::map<std::int64_t, const Claim*> values_;
  std::map<std::string, std::vector<std::vector<std::int64_t>>> edges_;
  Tally tally_;
};

}  // namespace steptp::replayer
