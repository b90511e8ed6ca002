#include <algorithm>
#include <map>
#include <set>

#include "replay/form.h"
#include "steptp/base/text.h"

namespace steptp::replayer {

Names::Names() {
  for (std::size_t d = 0; d < kMostDimensions; ++d) static_cast<void>(number(concat("i", d)));
}

double rounds_of(const Form& form) {
  std::map<const Form*, double> known;
  const std::function<double(const Form&)> walk = [&](const Form& node) {
    if (const auto found = known.find(&node); found != known.end()) return found->second;
    double most = 1;
    for (const FormPtr& part : node.parts) most = std::max(most, walk(*part));
    for (const Form::Bound& bound : node.bound) {
      if (node.kind == Form::Kind::fold) most *= static_cast<double>(bound.high - bound.low + 1);
    }
    known.emplace(&node, most);
    return most;
  };
  return walk(form);
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
