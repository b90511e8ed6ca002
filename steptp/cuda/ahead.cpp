// Copies that run ahead (docs/language.md R21): while a round of a loop is worked on, those of later rounds are on
// their way, each into a buffer of its own. Decision 0141.
//
//   before the loop   the copies of the first rounds begin, all but one of as many as there are buffers
//   in each round     wait for the copies of this round; a barrier, behind which everybody has waited and nobody reads
//                     the buffer of the round before any more; into this one the copies of a later round begin; then
//                     what is left of the round
//
// A copy whose lanes lie side by side in 4, 8 or 16 bytes, or whose elements have that many, is asynchronous; zeros
// that fill an edge are too. All others, which convert or compute, go through registers at the same places.
#include <algorithm>

#include "steptp/cuda/body.h"

namespace steptp::cuda {

using lowering::Node;
using lowering::Value;

namespace {

bool is_zero(const Value& value) {
  switch (value.kind) {
    case Value::Kind::integer: return value.integer == 0;
    case Value::Kind::real: return value.real == 0 && !std::signbit(value.real);
    case Value::Kind::convert: return is_zero(*value.operands[0]);
    case Value::Kind::index:
    case Value::Kind::load:
    case Value::Kind::arithmetic:
    case Value::Kind::integer_power:
    case Value::Kind::function:
    case Value::Kind::select:
    case Value::Kind::compare:
    case Value::Kind::logic: break;
  }
  return false;
}

bool reads_data(const Value& value) {
  if (value.kind == Value::Kind::load) return true;
  return std::any_of(value.operands.begin(), value.operands.end(),
                     [](const lowering::ValuePtr& operand) { return reads_data(*operand); });
}

bool depends_on(const Value& value, const std::string& index) {
  if (value.kind == Value::Kind::index && mentions(value.index, index)) return true;
  return std::any_of(value.operands.begin(), value.operands.end(),
                     [&](const lowering::ValuePtr& operand) { return depends_on(*operand, index); });
}

constexpr std::int64_t kGreatestCopy = 16;
constexpr std::int64_t kLeastCopy = 4;

}  // namespace

/// The element that a store copies as it is, or zero where a condition is false.
std::optional<Body::Copied> Body::copied_by(const Node& store) const {
  if (!ahead_.contains(store.target->tensor)) return std::nullopt;
  const Value* value = store.value.get();
  Copied out;
  if (value->kind == Value::Kind::select && is_zero(*value->operands[2]) && !reads_data(*value->operands[0])) {
    out.condition = value->operands[0].get();
    value = value->operands[1].get();
  }
  if (value->kind != Value::Kind::load || value->ref->dtype != store.target->dtype) return std::nullopt;
  out.from = value->ref;
  return out;
}

void Body::begin_copy(const Copied& copied, std::int64_t bytes, const std::string& to, const std::string& from) {
  const std::string wanted = copied.condition ? concat(", ", speller_.value(*copied.condition)) : "";
  out_.line("stp_copy_ahead<", bytes, ">(", to, ", ", from, wanted, ");");
  ++asynchronous_copies_;
}

/// The lanes of a short loop by as few copies as alignment allows.
bool Body::copy_lanes_ahead(const Node& node) {
  const Node& store = node.body[0];
  const auto copied = copied_by(store);
  if (!copied || (copied->condition && depends_on(*copied->condition, node.loop.index))) return false;
  const std::int64_t width =
      std::min(vector_width_of(*store.target, node.loop), vector_width_of(*copied->from, node.loop));
  if (width == 1) return false;
  for (std::int64_t lane = 0; lane < node.loop.extent; lane += width) {
    begin_copy(*copied, width * info(store.target->dtype).bytes, lane_address(*store.target, node.loop, lane),
               lane_address(*copied->from, node.loop, lane));
  }
  return true;
}

bool Body::copy_element_ahead(const Node& store) {
  const auto copied = copied_by(store);
  const std::int64_t bytes = info(store.target->dtype).bytes;
  if (!copied || bytes < kLeastCopy || bytes > kGreatestCopy) return false;
  begin_copy(*copied, bytes, concat("&", speller_.element(*store.target)),
             concat("&", speller_.element(*copied->from)));
  return true;
}

/// Where the buffers of a round lie, whose number is the value of the loop's index here.
void Body::name_buffers(const Node& loop, const lowering::RunAhead& plan) {
  for (const std::string& name : plan.tensors) {
    const lowering::Buffer& buffer = arrangement_.buffers.at(name);
    const std::string_view type = memory_type(buffer.dtype);
    out_.line(type, "* const ", round_buffer(name), " = ", name, " + ", variable_name(loop.loop.index), " % ",
              plan.depth, " * ", buffer.elements, ";");
  }
}

void Body::write_copies(const Node& loop, const lowering::RunAhead& plan) {
  name_buffers(loop, plan);
  Nodes copies;
  for (std::size_t i = 0; i < plan.is_copy.size(); ++i) {
    if (plan.is_copy[i]) copies.push_back(loop.body[i]);
  }
  // They write where nobody reads before the next barrier but one.
  const Statements before = std::exchange(pending_, {});
  ahead_.insert(plan.tensors.begin(), plan.tensors.end());
  block_level(copies);
  for (const std::string& name : plan.tensors) ahead_.erase(name);
  pending_ = before;
}

bool Body::loop_that_runs_ahead(const Node& node) {
  const auto plan = lowering::run_ahead(arrangement_, kernel_, node);
  if (!plan) return false;
  const std::string name = variable_name(node.loop.index);
  const std::int64_t first_rounds = plan->depth - 1;
  Statements copies;
  Nodes others;
  for (std::size_t i = 0; i < node.body.size(); ++i) {
    if (plan->is_copy[i]) {
      add_statements(node.body[i], copies);
    } else {
      others.push_back(node.body[i]);
    }
  }
  barrier_before(copies);
  for (const std::string& tensor : plan->tensors) {
    runs_ahead_.insert(tensor);
    speller_.rename(tensor, round_buffer(tensor));
  }
  const int copies_before = asynchronous_copies_;
  speller_.open(node.loop);
  if (first_rounds > 1) out_.line("#pragma unroll");
  out_.open("for (int ", name, " = 0; ", name, " < ", first_rounds, "; ++", name, ")");
  write_copies(node, *plan);
  const bool is_asynchronous = asynchronous_copies_ > copies_before;
  if (is_asynchronous) out_.line("stp_copies_close();");
  out_.close();
  out_.open("for (int ", name, " = 0; ", name, " < ", node.loop.extent, "; ++", name, ")");
  name_buffers(node, *plan);
  if (is_asynchronous) out_.line("stp_copies_wait<", plan->depth - 2, ">();");
  barrier();
  const std::string next = concat("stp_next_", name);
  out_.line("const int ", next, " = ", name, " + ", first_rounds, ";");
  out_.open("if (", next, " < ", node.loop.extent, ")");
  out_.line("const int ", name, " = ", next, ";");
  write_copies(node, *plan);
  out_.close();
  if (is_asynchronous) out_.line("stp_copies_close();");
  block_level(others);
  out_.close();
  speller_.close();
  for (const std::string& tensor : plan->tensors) speller_.forget_name(tensor);
  return true;
}

}  // namespace steptp::cuda
