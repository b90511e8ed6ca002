// Which items of a loop are copies that may be made for a later round. An item that copies and does something else, or
// that reads what the kernel writes, takes its tensors out; then other items may be no copies any more, so that it is
// asked again until nothing changes.
#include "steptp/lowering/run_ahead.h"

#include <algorithm>
#include <set>

#include "steptp/analysis/rounds.h"

namespace steptp::lowering {

namespace {

using Names = std::set<std::string>;

void add_statements(const Node& node, std::set<std::size_t>& out) {
  if (node.kind == Node::Kind::store) out.insert(node.statement);
  for (const Node& inner : node.body) add_statements(inner, out);
}

class Finder {
 public:
  Finder(const Arrangement& arrangement, const ArrangedKernel& kernel, const Node& loop)
      : arrangement_(arrangement), kernel_(kernel), loop_(loop) {
    add_statements(loop, statements_);
    for (const Node& node : loop.body) add_statements(node, below_.emplace_back());
  }

  std::optional<RunAhead> run() {
    if (loop_.loop.kind != LoopKind::serial || loop_.loop.extent < 2) return std::nullopt;
    for (const std::string& name : kernel_.shared) {
      if (may_run_ahead(name)) tensors_.insert(name);
    }
    Names before;
    do {
      before = tensors_;
      for (const std::set<std::size_t>& statements : below_) {
        if (!is_copy(statements)) take_out_written(statements);
      }
    } while (tensors_ != before);
    if (tensors_.empty()) return std::nullopt;
    RunAhead out;
    out.depth = std::min<std::int64_t>(loop_.loop.extent, kMostDepth);
    for (const std::string& name : tensors_) out.depth = std::min<std::int64_t>(out.depth, depth_of(name));
    out.tensors.assign(tensors_.begin(), tensors_.end());
    for (const std::set<std::size_t>& statements : below_) out.is_copy.push_back(is_copy(statements));
    return out;
  }

 private:
  [[nodiscard]] const TensorFacts& facts_of(const std::string& name) const {
    return arrangement_.table.tensors.at(name);
  }
  [[nodiscard]] std::int64_t depth_of(const std::string& name) const { return facts_of(name).scope.depth; }

  /// Its rounds are those of the loop, and each of them begins at a multiple of 16 bytes.
  [[nodiscard]] bool may_run_ahead(const std::string& name) const {
    constexpr std::int64_t kAlignment = 16;
    const auto known = arrangement_.table.tensors.find(name);
    if (known == arrangement_.table.tensors.end() || known->second.scope.depth < 2) return false;
    if (arrangement_.buffers.at(name).bytes % kAlignment != 0) return false;
    const auto round = round_loop(arrangement_.table, known->second);
    if (!round) return false;
    for (const auto* accesses : {&known->second.writes, &known->second.reads}) {
      for (const std::size_t number : *accesses) {
        const std::size_t statement = arrangement_.table.accesses[number].statement;
        if (!statements_.contains(statement)) return false;
        if (arrangement_.table.statements[statement].loops[*round]->index != loop_.loop.index) return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool is_copy(const std::set<std::size_t>& statements) const {
    if (statements.empty()) return false;
    return std::all_of(arrangement_.table.accesses.begin(), arrangement_.table.accesses.end(),
                       [&](const Access& access) {
                         if (!statements.contains(access.statement)) return true;
                         const std::string& name = access.ref->tensor;
                         if (access.is_write) return tensors_.contains(name);
                         return arrangement_.buffers.at(name).scope == Scope::global &&
                                !std::binary_search(kernel_.written.begin(), kernel_.written.end(), name);
                       });
  }

  void take_out_written(const std::set<std::size_t>& statements) {
    for (const Access& access : arrangement_.table.accesses) {
      if (access.is_write && statements.contains(access.statement)) tensors_.erase(access.ref->tensor);
    }
  }

  const Arrangement& arrangement_;
  const ArrangedKernel& kernel_;
  const Node& loop_;
  std::set<std::size_t> statements_;          ///< in the loop
  std::vector<std::set<std::size_t>> below_;  ///< in each node of its body
  Names tensors_;
};

}  // namespace

std::optional<RunAhead> run_ahead(const Arrangement& arrangement, const ArrangedKernel& kernel, const Node& loop) {
  return Finder(arrangement, kernel, loop).run();
}

}  // namespace steptp::lowering
