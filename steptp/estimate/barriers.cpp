#include "steptp/estimate/barriers.h"

#include <set>
#include <string>

#include "steptp/lowering/collectives.h"

namespace steptp::estimation {

namespace {

using lowering::Node;

struct Touched {
  std::set<std::string> read;
  std::set<std::string> written;
};

class Walk {
 public:
  explicit Walk(const lowering::Arrangement& arrangement) : arrangement_(arrangement) {}

  double block_level(const std::vector<Node>& nodes) {
    double barriers = 0;
    for (const Node& node : nodes) {
      if (lowering::is_item(node)) {
        barriers += item(node);
      } else if (node.kind == Node::Kind::loop && node.loop.kind != LoopKind::bound) {
        const double first = block_level(node.body);
        // From the second round on, what the round before left is there.
        if (node.loop.extent > 1) barriers += static_cast<double>(node.loop.extent - 1) * block_level(node.body);
        barriers += first;
      } else {
        barriers += block_level(node.body);
      }
    }
    return barriers;
  }

 private:
  double item(const Node& node) {
    Touched own;
    collect(node, own);
    const bool meets =
        meet(own.read, since_.written) || meet(own.written, since_.written) || meet(own.written, since_.read);
    if (meets) since_ = {};
    since_.read.merge(own.read);
    since_.written.merge(own.written);
    return meets ? 1 : 0;
  }

  void collect(const Node& node, Touched& out) const {
    if (node.kind == Node::Kind::store) {
      if (is_shared(node.target->tensor)) out.written.insert(node.target->tensor);
      collect(*node.value, out);
    }
    for (const Node& inner : node.body) collect(inner, out);
  }

  void collect(const lowering::Value& value, Touched& out) const {
    if (value.kind == lowering::Value::Kind::load && is_shared(value.ref->tensor)) out.read.insert(value.ref->tensor);
    for (const lowering::ValuePtr& operand : value.operands) collect(*operand, out);
  }

  [[nodiscard]] bool is_shared(const std::string& tensor) const {
    return arrangement_.buffers.at(tensor).scope == Scope::shared;
  }

  static bool meet(const std::set<std::string>& a, const std::set<std::string>& b) {
    for (const std::string& name : a) {
      if (b.contains(name)) return true;
    }
    return false;
  }

  const lowering::Arrangement& arrangement_;
  Touched since_;
};

}  // namespace

double barriers_of(const lowering::Arrangement& arrangement, const lowering::ArrangedKernel& kernel) {
  return Walk(arrangement).block_level(kernel.body);
}

}  // namespace steptp::estimation
