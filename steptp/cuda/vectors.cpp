// V loops as vector loads and stores. Buffers begin at multiples of 16 bytes by contract; an access is a vector where
// its subscripts show that the first of the neighbouring elements lies at a multiple of the vector's size.
#include "steptp/cuda/body.h"

namespace steptp::cuda {

using lowering::Node;
using lowering::Value;

namespace {

constexpr std::int64_t kVectorBytes = 16;

/// Loads that every lane makes: those under a condition may be out of range in a lane that does not.
void unconditional_loads(const Value& value, std::vector<const Value*>& out) {
  if (value.kind == Value::Kind::select) return unconditional_loads(*value.operands[0], out);
  if (value.kind == Value::Kind::load) out.push_back(&value);
  for (const lowering::ValuePtr& operand : value.operands) unconditional_loads(*operand, out);
}

bool is_vector_size(std::int64_t bytes) { return bytes == 4 || bytes == 8 || bytes == kVectorBytes; }

}  // namespace

bool Body::vector_loop(const Node& node) {
  if (node.loop.kind != LoopKind::vectorized || node.body.size() != 1) return false;
  const Node& inner = node.body[0];
  if (inner.kind != Node::Kind::store) return false;
  const std::string lane = variable_name(node.loop.index);
  speller_.open(node.loop);
  const auto vectorizes = [&](const Ref& ref) {
    const lowering::Buffer& buffer = arrangement_.buffers.at(ref.tensor);
    if (buffer.scope == Scope::local || !is_vector_size(info(ref.dtype).bytes * node.loop.extent)) return false;
    const Index offset = speller_.offset(ref);
    return lowering::is_aligned_run(offset, node.loop.index, node.loop.extent);
  };
  const auto first_element = [&](const Ref& ref) {
    const Index offset = lowering::at_zero(speller_.offset(ref), node.loop.index).value_or(Index());
    return concat(ref.tensor, " + ", speller_.index(offset));
  };
  const auto vector_type = [&](DType dtype) {
    return concat("stp_vector<", memory_type(dtype), ", ", node.loop.extent, ">");
  };
  const bool whole_store = vectorizes(*inner.target);
  std::vector<const Value*> loads;
  unconditional_loads(*inner.value, loads);
  std::vector<RefPtr> vectors;
  for (const Value* load : loads) {
    const bool known =
        std::any_of(vectors.begin(), vectors.end(), [&](const RefPtr& ref) { return equal(*ref, *load->ref); });
    // Where the target is stored lane by lane, what is read of it must be read lane by lane too.
    if (known || (load->ref->tensor == inner.target->tensor && !whole_store) || !vectorizes(*load->ref)) continue;
    vectors.push_back(load->ref);
  }
  if (!whole_store && vectors.empty()) {
    speller_.close();
    return false;
  }
  out_.open();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    names.push_back(concat("stp_v", i));
    const std::string type = vector_type(vectors[i]->dtype);
    out_.line("const ", type, " ", names[i], " = *(const ", type, "*)(", first_element(*vectors[i]), ");");
  }
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const std::string element = concat(names[i], ".at[", lane, "]");
    speller_.replace(vectors[i], vectors[i]->dtype == DType::boolean ? concat("(", element, " != 0)") : element);
  }
  if (whole_store) out_.line(vector_type(inner.target->dtype), " stp_result;");
  out_.line("#pragma unroll");
  out_.open("for (int ", lane, " = 0; ", lane, " < ", node.loop.extent, "; ++", lane, ")");
  const std::string value = speller_.value(*inner.value);
  out_.line(whole_store ? concat("stp_result.at[", lane, "]") : speller_.element(*inner.target), " = ", value, ";");
  out_.close();
  if (whole_store) {
    out_.line("*(", vector_type(inner.target->dtype), "*)(", first_element(*inner.target), ") = stp_result;");
  }
  out_.close();
  speller_.forget_replaced();
  speller_.close();
  if (speller_.problem()) fail(*speller_.problem(), site_of(inner.statement));
  return true;
}

}  // namespace steptp::cuda
