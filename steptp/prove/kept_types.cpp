#include "steptp/prove/kept_types.h"

#include <algorithm>
#include <optional>
#include <string>

#include "steptp/base/text.h"

namespace steptp::forms {

namespace {

/// What is left of an expression when tensors are known by their types only and indices not at all.
void add_operations(const Expr& expr, const Ref& own, std::string& out) {
  if (to_index(expr)) {
    out += 'i';
    return;
  }
  if (const auto* read = std::get_if<Read>(&expr.node)) {
    append(out, read->ref->tensor == own.tensor ? "own " : "", info(read->ref->dtype).code);
    return;
  }
  if (std::holds_alternative<Literal>(expr.node)) {
    out += 'r';
    return;
  }
  append(out, expr.node.index());
  if (const auto* call = std::get_if<Call>(&expr.node)) append(out, ':', static_cast<int>(call->function));
  if (const auto* extremum = std::get_if<Extremum>(&expr.node)) append(out, extremum->is_max ? ":max" : ":min");
  const auto add_operators = [&](const auto& node) {
    for (const auto op : node.operators) append(out, ':', static_cast<int>(op));
  };
  if (const auto* sum = std::get_if<Sum>(&expr.node)) add_operators(*sum);
  if (const auto* product = std::get_if<Product>(&expr.node)) add_operators(*product);
  if (const auto* compare = std::get_if<Compare>(&expr.node)) add_operators(*compare);
  out += '(';
  for (const ExprPtr* part : children(expr)) {
    add_operations(**part, own, out);
    out += ',';
  }
  out += ')';
}

using Operations = std::map<std::uint32_t, std::string>;

/// By value number; nothing where a value has no number, or has one and is computed in two manners.
std::optional<Operations> operations_of(const Program& program, const Flow& flow, const Numbering& numbers) {
  const AccessTable table = collect_accesses(program);
  std::map<std::string, std::vector<std::string>> writers;
  for (const Statement& statement : table.statements) {
    const Equation& equation = *statement.equation;
    // What is seen through has no number, and its type could be any.
    if (!is_float(equation.left->dtype)) return std::nullopt;
    if (table.tensors.at(equation.left->tensor).effective_scope() != Scope::global) return std::nullopt;
    std::string written = concat(info(equation.left->dtype).code, "=");
    add_operations(*equation.right, *equation.left, written);
    writers[equation.left->tensor].push_back(std::move(written));
  }
  Operations out;
  for (const Version& version : flow.versions()) {
    const auto number = numbers.find(version);
    if (number == numbers.end()) return std::nullopt;
    const std::vector<std::string>& all = writers[version.tensor];
    std::string operations;
    for (std::size_t i = 0; i < version.writers; ++i) append(operations, all[i], ";");
    const auto [known, is_new] = out.emplace(number->second, operations);
    if (!is_new && known->second != operations) return std::nullopt;
  }
  return out;
}

}  // namespace

bool keeps_types(const Program& before, const Flow& before_flow, const Numbering& before_numbers, const Program& after,
                 const Flow& after_flow, const Numbering& after_numbers) {
  const auto new_operations = operations_of(after, after_flow, after_numbers);
  if (!new_operations) return false;
  const auto old_operations = operations_of(before, before_flow, before_numbers);
  return old_operations && std::all_of(new_operations->begin(), new_operations->end(), [&](const auto& item) {
           const auto old = old_operations->find(item.first);
           return old != old_operations->end() && old->second == item.second;
         });
}

}  // namespace steptp::forms
