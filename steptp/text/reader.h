#pragma once

#include <string_view>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/ir/program.h"
#include "steptp/text/profile.h"
#include "steptp/text/source_map.h"

namespace steptp {

struct ReadText {
  std::vector<NestPtr> nests;  ///< empty where there were errors
  Profile profile = Profile::paper;
  /// Errors and warnings with their spans in the text, in the order found. The ids: `syntax`, `reserved`,
  /// `nested-by-missing-semicolon`, `too-deep`, `number`, `subscript`.
  struct Finding {
    Diagnostic diagnostic;
    Span span;
  };
  std::vector<Finding> findings;
  bool ok = false;
};

/// Reads the nests of a program in either profile; the text shows which. With a map, the place of every part is kept.
[[nodiscard]] ReadText read_text(std::string_view text, SourceMap* map = nullptr);

/// The profile in which a text is written, from its first characters.
[[nodiscard]] Profile recognise_profile(std::string_view text);

}  // namespace steptp
