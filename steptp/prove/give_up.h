#pragma once

#include <string>

namespace steptp::forms {

/// Thrown where a normal form cannot be made: an access that is not affine, a limit on work or size. Nothing is known
/// then, and the road goes on to evaluation. It crosses a dozen mutually recursive constructors, none of which could do
/// anything with a failure but hand it on; it never leaves the layer.
struct GiveUp {
  std::string reason;
};

}  // namespace steptp::forms
