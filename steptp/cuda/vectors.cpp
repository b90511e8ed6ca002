// V loops as vector loads and stores, and other short loops as vector loads. Buffers begin at multiples of 16 bytes by
// contract; each access by itself moves as many elements at once as its subscripts show to be aligned: rows of 17,890
// halves are read by twos where the lanes are eight, and rows of 17,889 one by one, because every other row begins at
// an odd multiple of two bytes.
#include <cmath>

#include "steptp/cuda/body.h"

namespace steptp::cuda {

using lowering::Node;
using lowering::Value;

namespace {

constexpr std::int64_t kVectorBytes = 16;

/// A load and the conditions under which it is made, from the outside; it is `blocked` where one of them differs
/// between lanes, or has to be false.
struct Loaded {
  const Value* load = nullptr;
  std::vector<const Value*> conditions;
  bool is_blocked = false;
};

bool depends_on(const Value& condition, const std::string& lane) {
  if (condition.kind == Value::Kind::load) return true;
  if (condition.kind == Value::Kind::index && mentions(condition.index, lane)) return true;
  return std::any_of(condition.operands.begin(), condition.operands.end(),
                     [&](const lowering::ValuePtr& operand) { return depends_on(*operand, lane); });
}

void find_loads(const Value& value, const std::string& lane, const Loaded& under, std::vector<Loaded>& out) {
  if (value.kind == Value::Kind::load) {
    out.push_back(under);
    out.back().load = &value;
  }
  if (value.kind != Value::Kind::select) {
    for (const lowering::ValuePtr& operand : value.operands) find_loads(*operand, lane, under, out);
    return;
  }
  const Value& condition = *value.operands[0];
  find_loads(condition, lane, under, out);
  Loaded chosen = under;
  chosen.conditions.push_back(&condition);
  chosen.is_blocked = under.is_blocked || depends_on(condition, lane);
  find_loads(*value.operands[1], lane, chosen, out);
  chosen.is_blocked = true;
  find_loads(*value.operands[2], lane, chosen, out);
}

/// The conditions under which an element may be loaded for all lanes at once: none where some lane always loads it.
/// Nothing where its loads do not agree on them, because one name then stands for all of them.
std::optional<std::vector<const Value*>> conditions_of(const Ref& ref, const std::vector<Loaded>& all) {
  std::optional<std::vector<const Value*>> out;
  bool agree = true;
  for (const Loaded& one : all) {
    if (!equal(*one.load->ref, ref)) continue;
    if (one.conditions.empty()) return std::vector<const Value*>();
    agree = agree && !one.is_blocked && (!out || *out == one.conditions);
    out = one.conditions;
  }
  return agree ? out : std::nullopt;
}

/// How many elements one instruction moves where `lanes` neighbours begin at a multiple of `alignment` elements: the
/// largest power of two that divides both and has 4, 8 or 16 bytes. 1 where there is none.
std::int64_t vector_width(std::int64_t alignment, std::int64_t lanes, std::int64_t bytes) {
  for (std::int64_t width = kVectorBytes / bytes; width > 1 && width * bytes >= 4; width /= 2) {
    if (alignment % width == 0 && lanes % width == 0) return width;
  }
  return 1;
}

std::string vector_type(DType dtype, std::int64_t width) {
  return concat("stp_vector<", memory_type(dtype), ", ", width, ">");
}

bool is_positive_zero(const Value& value) {
  const bool is_real = value.kind == Value::Kind::real && (value.dtype == DType::f32 || value.dtype == DType::f64);
  return is_real && value.real == 0 && !std::signbit(value.real);
}

/// Loops whose neighbouring iterations may read what lies side by side by one instruction. A V loop says so; of other
/// short loops it is seen, and only loads become vectors.
bool may_be_lanes(const Loop& loop) {
  constexpr std::int64_t kMostLanes = 16;
  if (loop.kind == LoopKind::vectorized) return true;
  return (loop.kind == LoopKind::serial || loop.kind == LoopKind::unrolled) && loop.extent <= kMostLanes;
}

/// The place of one lane: in a vector by its name, or in one of several, which are an array.
std::string lane_of(const std::string& name, const Loop& lanes, std::int64_t width) {
  const std::string lane = variable_name(lanes.index);
  if (width == lanes.extent) return concat(name, ".at[", lane, "]");
  return concat(name, "[", lane, " / ", width, "].at[", lane, " % ", width, "]");
}

}  // namespace

/// How many of the lanes' elements, which lie side by side, one instruction may move. 1: each by itself.
std::int64_t Body::vector_width_of(const Ref& ref, const Loop& lanes) {
  const lowering::Buffer& buffer = arrangement_.buffers.at(ref.tensor);
  if (buffer.scope == Scope::local) return 1;
  const std::int64_t alignment = lowering::run_alignment(speller_.offset(ref), lanes.index);
  return alignment == 0 ? 1 : vector_width(alignment, lanes.extent, info(ref.dtype).bytes);
}

/// The address of the element of one lane.
std::string Body::lane_address(const Ref& ref, const Loop& lanes, std::int64_t lane) {
  const Index first = lowering::at_zero(speller_.offset(ref), lanes.index).value_or(Index());
  const Index number = Index::add(first, Index::constant(lane)).value_or(first);
  return concat(speller_.name(ref.tensor), " + ", speller_.place(ref.tensor, number));
}

/// What a short loop around one equation may load as vectors; of the tensor `except`, nothing.
std::vector<VectorLoad> Body::vector_loads(const Node& node, const std::string& except) {
  std::vector<VectorLoad> out;
  if (!may_be_lanes(node.loop) || node.body.size() != 1) return out;
  if (node.body[0].kind != Node::Kind::store) return out;
  std::vector<Loaded> all;
  find_loads(*node.body[0].value, node.loop.index, {}, all);
  for (const Loaded& one : all) {
    const RefPtr& ref = one.load->ref;
    const bool known =
        std::any_of(out.begin(), out.end(), [&](const VectorLoad& other) { return equal(*other.ref, *ref); });
    if (known || ref->tensor == except || vector_width_of(*ref, node.loop) == 1) continue;
    if (auto conditions = conditions_of(*ref, all)) out.push_back({ref, std::move(*conditions)});
  }
  return out;
}

/// Writes the loads; from now on the elements are spelled as lanes of them.
void Body::load_vectors(const Node& node, const std::vector<VectorLoad>& vectors) {
  const Loop& lanes = node.loop;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const VectorLoad& vector = vectors[i];
    const std::int64_t width = vector_width_of(*vector.ref, lanes);
    const std::int64_t pieces = lanes.extent / width;
    const std::string type = vector_type(vector.ref->dtype, width);
    const bool is_certain = vector.conditions.empty();
    if (pieces == 1 && is_certain) {
      out_.line("const ", type, " stp_v", i, " = *(const ", type, "*)(", lane_address(*vector.ref, lanes, 0), ");");
      continue;
    }
    out_.line(type, " stp_v", i, pieces == 1 ? "" : concat("[", pieces, "]"), is_certain ? ";" : " = {};");
    const auto spelled = [&](const Value* condition) { return speller_.value(*condition); };
    if (!is_certain) out_.open("if (", join(vector.conditions, " && ", spelled), ")");
    for (std::int64_t k = 0; k < pieces; ++k) {
      const std::string address = lane_address(*vector.ref, lanes, k * width);
      out_.line("stp_v", i, pieces == 1 ? "" : concat("[", k, "]"), " = *(const ", type, "*)(", address, ");");
    }
    if (!is_certain) out_.close();
  }
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const RefPtr& ref = vectors[i].ref;
    const std::string element = lane_of(concat("stp_v", i), lanes, vector_width_of(*ref, lanes));
    speller_.replace(ref, ref->dtype == DType::boolean ? concat("(", element, " != 0)") : element);
  }
}

/// What one lane stores. Lanes that were not loaded are zeros, so that a tile that is filled with zeros asks only once.
std::string Body::lane_value(const Value& value, const std::vector<VectorLoad>& vectors) {
  const bool is_fill = value.kind == Value::Kind::select && value.operands[1]->kind == Value::Kind::load &&
                       is_positive_zero(*value.operands[2]);
  const bool is_asked = is_fill && std::any_of(vectors.begin(), vectors.end(), [&](const VectorLoad& vector) {
                          return equal(*vector.ref, *value.operands[1]->ref) && vector.conditions.size() == 1 &&
                                 vector.conditions[0] == value.operands[0].get();
                        });
  return speller_.value(is_asked ? *value.operands[1] : value);
}

bool Body::vector_loop(const Node& node) {
  if (!may_be_lanes(node.loop) || node.body.size() != 1) return false;
  const Node& inner = node.body[0];
  if (inner.kind != Node::Kind::store) return false;
  const std::string lane = variable_name(node.loop.index);
  speller_.open(node.loop);
  if (copy_lanes_ahead(node)) {
    speller_.close();
    return true;
  }
  const bool is_asked_for = node.loop.kind == LoopKind::vectorized;
  const std::int64_t width = is_asked_for ? vector_width_of(*inner.target, node.loop) : 1;
  const bool whole_store = width > 1;
  // Where the target is stored lane by lane, what is read of it must be read lane by lane too.
  const bool is_first = begin_with_identity(inner);
  const std::vector<VectorLoad> vectors = vector_loads(node, whole_store && !is_first ? "" : inner.target->tensor);
  if (!whole_store && vectors.empty()) {
    speller_.forget_replaced();
    speller_.close();
    return false;
  }
  const std::string type = vector_type(inner.target->dtype, width);
  const std::int64_t stores = node.loop.extent / width;
  out_.open();
  load_vectors(node, vectors);
  if (whole_store) out_.line(type, " stp_result", stores == 1 ? "" : concat("[", stores, "]"), ";");
  out_.line("#pragma unroll");
  out_.open("for (int ", lane, " = 0; ", lane, " < ", node.loop.extent, "; ++", lane, ")");
  const std::string value = lane_value(*inner.value, vectors);
  out_.line(whole_store ? lane_of("stp_result", node.loop, width) : speller_.element(*inner.target), " = ", value, ";");
  out_.close();
  for (std::int64_t i = 0; whole_store && i < stores; ++i) {
    out_.line("*(", type, "*)(", lane_address(*inner.target, node.loop, i * width), ") = stp_result",
              stores == 1 ? "" : concat("[", i, "]"), ";");
  }
  out_.close();
  speller_.forget_replaced();
  speller_.close();
  if (speller_.problem()) fail(*speller_.problem(), site_of(inner.statement));
  return true;
}

}  // namespace steptp::cuda
