#pragma once

#include <set>
#include <string>

#include "replay/place.h"

namespace steptp::replayer {

/// The tensors of a program whose signs and zeros can matter to a proof about it: something that is made of them
/// divides, takes powers, roots, magnitudes, logarithms or maxima, compares, or converts to integers. A certificate
/// that states signs of others says more than it needs, and is refused.
class Uses {
 public:
  explicit Uses(const Layout& layout);
  [[nodiscard]] bool signs_matter(const std::string& tensor) const { return tensors_.contains(tensor); }

 private:
  std::set<std::string> tensors_;
};

}  // namespace steptp::replayer
