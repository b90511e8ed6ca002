#include "steptp/planner/section.h"

namespace steptp {

namespace {

bool any_within(const std::set<std::uint32_t>& expressions, std::uint32_t first, std::uint32_t end) {
  const auto found = expressions.lower_bound(first);
  return found != expressions.end() && *found < end;
}

}  // namespace

Sections::Sections(View& view) : view_(view) {
  const AccessTable& table = view.table();
  for (const Access& access : table.accesses) {
    Uses& uses = uses_[access.ref->tensor];
    (access.is_write ? uses.writes : uses.reads).insert(table.statements[access.statement].items[0]);
  }
}

/// What a tensor is for the section; nothing where it is made and used inside only. `crosses`: it has no such meaning.
std::optional<Variable> Sections::variable_of(const std::string& tensor, std::uint32_t first, std::uint32_t end,
                                              bool& crosses) {
  const Uses& uses = uses_.at(tensor);
  const TensorFacts& facts = view_.table().tensors.at(tensor);
  const bool is_written = any_within(uses.writes, first, end);
  const bool is_made_before = any_within(uses.writes, 0, first);
  const bool is_output = facts.known && facts.known->role == Role::output;
  const bool is_used_behind =
      any_within(uses.reads, end, UINT32_MAX) || any_within(uses.writes, end, UINT32_MAX) || is_output;
  if (is_written && !is_made_before && !is_used_behind) return std::nullopt;
  crosses = facts.effective_scope() != Scope::global || (is_written && is_made_before) ||
            (!is_written && !is_made_before && (!facts.known || is_output));
  if (crosses) return std::nullopt;
  Variable out;
  if (facts.known) {
    out = *facts.known;
  } else {
    out.name = tensor;
    out.dtype = facts.dtype;
    out.shape = view_.shape_of(tensor).dimensions;
  }
  if (is_written) out.role = Role::output;
  if (!is_written && (!facts.known || is_output)) out.role = Role::input;
  return out;
}

std::optional<Program> Sections::section(std::uint32_t first, std::uint32_t count) {
  const Program& program = view_.program();
  const std::uint32_t end = first + count;
  if (count == 0 || end > program.nests.size()) return std::nullopt;
  Program out;
  out.name = program.name;
  out.nests.assign(program.nests.begin() + first, program.nests.begin() + end);
  std::set<std::string> touched;
  for (std::uint32_t i = first; i < end; ++i) {
    for (const LocalAccesses& access : view_.touched(i)) touched.insert(*access.tensor);
  }
  std::set<std::string> known;
  const auto add = [&](const std::string& tensor) {
    bool crosses = false;
    auto variable = variable_of(tensor, first, end, crosses);
    if (variable) out.signature.variables.push_back(*std::move(variable));
    return !crosses;
  };
  // As the signature has them, then what is made in between, by name: the same section gives the same bytes.
  for (const Variable& variable : program.signature.variables) {
    known.insert(variable.name);
    if (touched.contains(variable.name) && !add(variable.name)) return std::nullopt;
  }
  for (const std::string& tensor : touched) {
    if (!known.contains(tensor) && !add(tensor)) return std::nullopt;
  }
  return out;
}

}  // namespace steptp
