#include "testing/demotions.h"

#include <set>
#include <string>

#include "testing/tree_editor.h"

namespace steptp::testing {

Program with_demotions(const Program& program, const Diagnostics& diagnostics) {
  std::set<std::string> demoted;
  for (const Diagnostic& item : diagnostics) {
    if (item.id == "scope-demoted") demoted.insert(item.message.substr(0, item.message.find(' ')));
  }
  if (demoted.empty()) return program;
  TreeHooks hooks;
  hooks.ref = [&demoted](const RefPtr& ref, bool) {
    return demoted.contains(ref->tensor) ? make_ref(ref->tensor, ref->dtype, Scope::global, ref->subscripts) : ref;
  };
  return edit(program, hooks);
}

}  // namespace steptp::testing
