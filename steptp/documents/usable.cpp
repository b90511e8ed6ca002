#include "steptp/documents/usable.h"

#include "steptp/structure/structure.h"

namespace steptp {

Diagnostics find_unusable(const Document& document) {
  Diagnostics found = document.diagnostics;
  if (document.ok && !document.has_signature) {
    found.push_back(make_error("no-signature", "the program has no signature, so nothing says what has to stay",
                               "add lines such as '@input A f32[16]' and '@output D f32[16]' before the program"));
  }
  if (document.ok && document.has_signature) {
    Diagnostics structure = check_structure(document.program);
    place(document, structure);
    found.insert(found.end(), structure.begin(), structure.end());
  }
  std::erase_if(found, [](const Diagnostic& item) { return item.severity != Severity::error; });
  return found;
}

}  // namespace steptp
