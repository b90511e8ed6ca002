#include "steptp/prove/flow.h"
#include "steptp/prove/give_up.h"

namespace steptp::forms {

void Flow::find_recurrences() {
  // Statements that read, not as accumulators, the tensor they write. Longer cycles come back to one of these, or end
  // at the limit on depth.
  is_cyclic_.assign(table_.statements.size(), false);
  for (const Access& access : table_.accesses) {
    if (access.is_write || access.is_accumulator) continue;
    if (table_.statements[access.statement].equation->left->tensor == access.ref->tensor) {
      is_cyclic_[access.statement] = true;
    }
  }
  bodies_.assign(table_.statements.size(), std::nullopt);
  closed_.assign(table_.statements.size(), std::nullopt);
  prepared_ = 0;
  done_.clear();
}

void Flow::prepare_recurrences(std::size_t end) {
  // In textual order, because later ones may read earlier ones.
  for (; prepared_ < end; ++prepared_) {
    const std::size_t statement = prepared_;
    if (!is_cyclic_[statement]) continue;
    std::vector<VariableId> names;
    try {
      names = element_names(statement);
      make_body(statement, names);
    } catch (const GiveUp&) {
      forget_open_recurrence();
    }
    // Even without a body for any place there may be one for the first and one for all others.
    if (is_cyclic_[statement]) close(statement, names);
  }
}

std::vector<VariableId> Flow::element_names(std::size_t statement) {
  Frame box{statement, {}, false};
  for (const Loop* loop : table_.statements[statement].loops) {
    box.loops.push_back(arena_.variable(arena_.new_variable(0, loop->extent - 1)));
  }
  std::vector<VariableId> names;
  for (const Affine& subscript : left_subscripts(statement, box)) {
    const Interval range = arena_.range(subscript);
    if (range.low < -(Wide{1} << 60) || range.high > (Wide{1} << 60)) throw GiveUp{"a subscript without bounds"};
    names.push_back(arena_.new_variable(static_cast<std::int64_t>(range.low), static_cast<std::int64_t>(range.high)));
  }
  return names;
}

void Flow::make_body(std::size_t statement, const std::vector<VariableId>& names) {
  std::vector<Affine> parameters;
  for (const VariableId name : names) parameters.push_back(arena_.variable(name));
  const PolynomialId body = body_at(statement, parameters);
  // It reads what another statement wrote there before.
  if (reads_of_itself_.empty()) is_cyclic_[statement] = false;
  Substitution map;
  const std::uint32_t height = arena_.traits(body).height + 1;
  for (std::size_t i = 0; i < names.size(); ++i) {
    map[names[i]] = arena_.variable(bound_variable(height, static_cast<std::uint32_t>(i)));
  }
  const PolynomialId named = arena_.substitute_polynomial(body, map);
  if (arena_.traits(named).height + 1 != height) throw GiveUp{"a recurrence whose body changed"};
  bodies_[statement] = named;
}

void Flow::forget_open_recurrence() {
  open_recurrence_.reset();
  self_is_number_ = false;
  done_.clear();  // what was found while it was open speaks of itself
  depth_ = 0;
}

PolynomialId Flow::body_at(std::size_t statement, const std::vector<Affine>& element) {
  reads_of_itself_.clear();
  const Solved solved = solve(statement, element);
  if (!solved.unknown.empty()) throw GiveUp{"a recurrence that overwrites its own elements"};
  open_recurrence_ = statement;
  const PolynomialId body = to_real(right_side(statement, solved.loops, false));
  open_recurrence_.reset();
  done_.clear();  // what was found while it was open speaks of itself
  return body;
}

Generator Flow::self(std::size_t statement, const std::vector<Affine>& element) {
  const bool is_real = is_float(table_.statements[statement].equation->left->dtype);
  const SelfKind kind = !is_real ? SelfKind::integer : self_is_number_ ? SelfKind::number : SelfKind::real;
  Generator node{Generator::Kind::self, static_cast<std::uint32_t>(kind), {}, {}, {}, {}};
  for (const Affine& subscript : element) node.subscripts.push_back(arena_.intern(subscript));
  return node;
}

Value Flow::recurrence(std::size_t statement, const std::vector<Affine>& element) {
  const DType dtype = table_.statements[statement].equation->left->dtype;
  if (dtype == DType::boolean) throw GiveUp{"a recurrence of bools"};
  Generator node = self(statement, element);
  const auto value = [&] {
    const PolynomialId real = arena_.generator(node);
    return is_float(dtype) ? Value{Value::Kind::real, {}, real, 0} : integer_of(real);
  };
  if (open_recurrence_ == statement) {
    reads_of_itself_.push_back(element);
    return value();
  }
  if (const std::optional<Closed>& closed = closed_[statement]) {
    Substitution map;
    for (std::size_t i = 0; i < element.size(); ++i) map[closed->element[i]] = element[i];
    return {Value::Kind::real, {}, arena_.substitute_polynomial(closed->value, map), 0};
  }
  if (!bodies_[statement]) throw GiveUp{"a recurrence without a normal form"};
  node.kind = Generator::Kind::recurrence;
  node.tag = is_float(dtype) ? 0 : 1;
  node.polynomials = {*bodies_[statement]};
  return value();
}

}  // namespace steptp::forms
