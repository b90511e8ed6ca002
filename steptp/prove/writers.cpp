// The order of statements as they are written: which writer stands where, and what two statements share.
#include "steptp/prove/writers.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace steptp::forms {

Writers::Writers(const Program& program)
    : program_(program), table_(collect_accesses(program)), shapes_(infer_shapes(table_)) {
  for (std::size_t i = 0; i < table_.statements.size(); ++i) {
    writers_[table_.statements[i].equation->left->tensor].push_back(i);
  }
}

const std::vector<std::size_t>& Writers::of(const std::string& tensor) const {
  static const std::vector<std::size_t> kNobody;
  const auto found = writers_.find(tensor);
  return found == writers_.end() ? kNobody : found->second;
}

Place Writers::place(std::size_t first, std::size_t second) const {
  if (second == kEnd) return {0, true};
  const Statement& a = table_.statements[first];
  const Statement& b = table_.statements[second];
  Place result;
  std::size_t level = 0;
  const std::size_t limit = std::min(a.nests.size(), b.nests.size());
  while (level < limit && a.nests[level] == b.nests[level] && a.items[level] == b.items[level]) {
    result.shared_loops += a.nests[level]->loops.size();
    ++level;
  }
  // Of one statement with itself: an iteration is not before itself.
  result.before = first != second && a.items[level] < b.items[level];
  return result;
}

std::size_t Writers::up_to(const std::vector<std::size_t>& writers, std::uint32_t nest) const {
  const auto end = std::upper_bound(
      writers.begin(), writers.end(), nest,
      [this](std::uint32_t limit, std::size_t writer) { return limit < table_.statements[writer].items[0]; });
  return static_cast<std::size_t>(end - writers.begin());
}

std::vector<Version> Writers::versions() const {
  // A version per tensor and top-level nest after which it is read; numbered by how many writers have run.
  const std::set<Version> wanted = versions_read();
  std::vector<std::pair<std::uint32_t, Version>> found;
  for (const auto& [tensor, statements] : writers_) {
    if (table_.tensors.at(tensor).effective_scope() != Scope::global) continue;
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const std::uint32_t nest = table_.statements[statements[i]].items[0];
      const bool is_last = i + 1 == statements.size() || table_.statements[statements[i + 1]].items[0] != nest;
      Version version{tensor, i + 1};
      if (is_last && wanted.contains(version)) found.push_back({nest, std::move(version)});
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<Version> result;
  result.reserve(found.size());
  for (auto& [nest, version] : found) result.push_back(std::move(version));
  return result;
}

std::set<Version> Writers::versions_read() const {
  std::set<Version> result;
  const auto note = [&](const std::string& tensor, std::uint32_t nest) {
    const auto writers = writers_.find(tensor);
    if (writers == writers_.end()) return;
    result.insert({tensor, up_to(writers->second, nest)});
  };
  for (const Access& access : table_.accesses) {
    if (!access.is_write) note(access.ref->tensor, table_.statements[access.statement].items[0]);
  }
  for (const Variable& variable : program_.signature.variables) {
    if (variable.role == Role::output) note(variable.name, std::numeric_limits<std::uint32_t>::max());
  }
  return result;
}

bool Writers::is_read_where_written(const std::string& tensor) const {
  const TensorFacts& facts = table_.tensors.at(tensor);
  return std::any_of(facts.reads.begin(), facts.reads.end(), [&](std::size_t number) {
    const Access& read = table_.accesses[number];
    if (read.is_accumulator) return false;
    const std::uint32_t nest = table_.statements[read.statement].items[0];
    return std::any_of(facts.writes.begin(), facts.writes.end(), [&](std::size_t write) {
      return table_.statements[table_.accesses[write].statement].items[0] == nest;
    });
  });
}

bool Writers::has_sums_done_once() const {
  return std::any_of(table_.statements.begin(), table_.statements.end(), [](const Statement& statement) {
    if (statement.accumulates != std::optional(ArithmeticOp::add)) return false;
    std::vector<std::string> used;
    for (const Index& subscript : statement.equation->left->subscripts) {
      for_each_variable(subscript, [&](const std::string& name) { used.push_back(name); });
    }
    return std::all_of(statement.loops.begin(), statement.loops.end(), [&](const Loop* loop) {
      return loop->extent == 1 || std::find(used.begin(), used.end(), loop->index) != used.end();
    });
  });
}

bool Writers::comes_before(std::size_t other, std::size_t statement) const {
  if (place(other, statement).shared_loops == 0) return true;
  const auto& one = table_.statements[other].equation->left->subscripts;
  const auto& two = table_.statements[statement].equation->left->subscripts;
  return one == two;
}

}  // namespace steptp::forms
