#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/ir/program.h"
#include "steptp/text/profile.h"
#include "steptp/text/source_map.h"

namespace steptp {

/// A program as it came from outside, with all that was found while reading it.
struct Document {
  Program program;
  Profile profile = Profile::paper;
  bool ok = false;  ///< no errors while reading; the program is complete
  bool has_signature = false;
  std::shared_ptr<const Source> source;  ///< the text the diagnostics point into
  Diagnostics diagnostics;
  Json record;  ///< JSON input: the whole object, for keys that only some verbs read
};

/// Reads a `.leir` text (signature lines, then the program) or one JSON object with "leir" and "signature". Which of
/// the two it is follows from the first character.
[[nodiscard]] Document read_document(std::string name, std::string content);

/// Reads program text that has no signature lines, against a signature known from elsewhere.
[[nodiscard]] Document read_program_text(std::string name, std::string text, Signature signature);

/// The places of the parts of a program: reads the text of a document once more, keeping track. Only needed when there
/// is something to report, which is rare, so that the usual reading stays fast. The nests returned are equal to those
/// of the document, and the map is keyed by their addresses.
struct Located {
  std::vector<NestPtr> nests;
  SourceMap map;
};
[[nodiscard]] Located locate(const Document& document);

/// Sets line, column and length of diagnostics that carry an address, and words all hints for the document's profile.
void place(const Document& document, Diagnostics& diagnostics);

/// A `.leir` text with its signature lines.
[[nodiscard]] std::string print_document(const Program& program, Profile profile);
/// {"program":..., "signature":[...], "leir":...}
[[nodiscard]] Json to_json(const Program& program, Profile profile);

}  // namespace steptp
