#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace steptp::replayer {

struct Options {
  std::uint64_t seed = 1;
  /// Steps of evaluation and search.
  std::uint64_t budget = 200'000'000;
};

/// What became of a certificate.
struct Report {
  enum class Outcome : std::uint8_t {
    confirmed,
    refused,    ///< something in it is not so
    unusable,   ///< it cannot be read
    undecided,  ///< something in it could be neither confirmed nor refused
  };
  Outcome outcome = Outcome::undecided;
  std::string reason;
  std::string id;
  std::string verdict;
  std::vector<std::string> reproved;  ///< holds, whatever the judge did
  std::vector<std::string> retested;  ///< was seen to hold at points, independently of the judge
  std::vector<std::string> believed;  ///< was not looked at
};

[[nodiscard]] std::string_view name_of(Report::Outcome outcome);

/// Replays a certificate. Depends on the text and the options only.
[[nodiscard]] Report replay_certificate(std::string_view text, const Options& options = {});

}  // namespace steptp::replayer
