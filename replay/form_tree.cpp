#include <set>

#include "replay/form.h"
#include "steptp/base/text.h"

namespace steptp::replayer {

Names::Names() {
  for (std::size_t d = 0; d < kMostDimensions; ++d) static_cast<void>(number(concat("i", d)));
}

void for_each_node(const FormPtr& form, const std::function<void(const Form&)>& visit) {
  std::set<const Form*> seen;
  const std::function<void(const Form&)> walk = [&](const Form& node) {
    if (!seen.insert(&node).second) return;
    visit(node);
    for (const FormPtr& part : node.parts) walk(*part);
    if (node.struck) walk(*node.struck);
  };
  walk(*form);
}

}  // namespace steptp::replayer
