// A proof as a record: the outputs with their forms, then every value number that these are made of, from the last one
// down, because each is made of earlier ones; then the side conditions that laws needed, and the parts that forms
// share.
#include "steptp/prove/write_down.h"

#include <string>

#include "steptp/prove/statement.h"

namespace steptp::forms {

namespace {

std::vector<ProofRecord::Version> versions_of(const Numbering& numbering, std::uint32_t number) {
  std::vector<ProofRecord::Version> out;
  for (const auto& [version, own] : numbering) {
    if (own == number) out.push_back({version.tensor, version.writers});
  }
  return out;
}

/// Every value number that the outputs are made of, the laws that were used with conditions, and the shared parts.
void complete(const ProofSource& shown, StatementWriter& writer, ProofRecord& record) {
  constexpr std::size_t kMostConditions = 64;
  // Each is made of smaller numbers, so from the greatest down all are met.
  for (auto number = shown.numbers.rbegin(); number != shown.numbers.rend(); ++number) {
    if (!writer.used().contains(number->first)) continue;
    const auto& [shape, form] = number->second;
    const DefinitionFacts& facts = shown.shared.arena.definitions[number->first];
    ProofRecord::Value value{number->first,
                             shape,
                             versions_of(shown.left, number->first),
                             versions_of(shown.right, number->first),
                             writer.regions(form, shown.shared.element(shape)),
                             facts.sign.nonnegative,
                             facts.sign.nonpositive,
                             facts.sign.nonzero,
                             !facts.may_be_infinite,
                             !facts.may_be_nan};
    record.values.insert(record.values.begin(), std::move(value));
  }
  const std::set<std::uint32_t> listed = writer.used();
  for (const Need& need : shown.needs) {
    if (record.conditions.size() >= kMostConditions) break;
    // Not of an attempt that looked at other cuts, and not of parts of a fold whose range is not known here.
    if (auto condition = writer.condition(need, listed)) record.conditions.push_back(std::move(*condition));
  }
  record.parts = writer.take_parts();
  if (writer.is_too_large()) record = {{}, {}, {}, {}, true};
}

}  // namespace

ProofRecord write_down(const ProofSource& shown) {
  ProofRecord record;
  StatementWriter writer(shown.shared.arena, shown.shared.signature);
  for (const Variable& variable : shown.shared.signature.variables) {
    if (variable.role != Role::output) continue;
    const std::vector<Affine> element = shown.shared.subscripts(variable.shape);
    const std::vector<VariableId> variables = shown.shared.element(variable.shape);
    const Value left = shown.before.output(variable.name, element);
    const Value right = shown.after.output(variable.name, element);
    std::vector<ProofRecord::Region> regions = writer.regions(left, variables);
    for (ProofRecord::Region& region : regions) {
      region.no_value_before = writer.no_value(left.hazard, variables);
      region.no_value_after = writer.no_value(right.hazard, variables);
    }
    record.outputs.push_back({variable.name, variable.shape, std::move(regions)});
  }
  complete(shown, writer, record);
  return record;
}

ProofRecord write_down(const ProofSource& shown, const std::vector<std::vector<Cell>>& covers) {
  ProofRecord record;
  StatementWriter writer(shown.shared.arena, shown.shared.signature);
  std::size_t next = 0;
  for (const Variable& variable : shown.shared.signature.variables) {
    if (variable.role != Role::output) continue;
    const std::vector<VariableId> element = shown.shared.element(variable.shape);
    std::vector<ProofRecord::Region> regions;
    for (const Cell& cell : covers[next]) {
      ProofRecord::Region region{writer.where(cell.where, element), writer.whole(cell.before, element),
                                 writer.whole(cell.after, element), writer.no_value(cell.before.hazard, element),
                                 writer.no_value(cell.after.hazard, element)};
      if (region.after == region.form) region.after.clear();
      regions.push_back(std::move(region));
    }
    record.outputs.push_back({variable.name, variable.shape, std::move(regions)});
    ++next;
  }
  complete(shown, writer, record);
  return record;
}

}  // namespace steptp::forms
