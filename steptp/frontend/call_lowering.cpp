#include "steptp/frontend/call_lowering.h"

#include <cmath>
#include <stdexcept>

#include "steptp/base/text.h"
#include "steptp/frontend/join.h"
#include "steptp/frontend/lowering.h"
#include "steptp/frontend/lowering_table.h"
#include "steptp/ir/names.h"

namespace steptp::frontend {

namespace {

RefPtr reference(const Tensor& tensor, const Subscripts& subscripts) {
  std::vector<Index> indices;
  indices.reserve(subscripts.size());
  for (const Subscript& subscript : subscripts) indices.push_back(subscript.index());
  return make_ref(tensor.name, tensor.dtype, Scope::global, std::move(indices));
}

Subscripts broadcast_subscripts(const Shape& shape, const Subscripts& subscripts) {
  Subscripts out;
  out.reserve(shape.size());
  const std::size_t skipped = subscripts.size() - shape.size();
  for (std::size_t at = 0; at < shape.size(); ++at)
    out.push_back(shape[at] == 1 ? Subscript(0) : subscripts[skipped + at]);
  return out;
}

}  // namespace

Value Tensor::at(const Subscripts& subscripts) const { return exactly(broadcast_subscripts(shape, subscripts)); }
Value Tensor::exactly(Subscripts subscripts) const {
  return formula ? formula(subscripts) : Value(read_expr(reference(*this, subscripts)));
}
Subscript Tensor::as_subscript(const Subscripts& subscripts) const {
  if (formula) throw graph::Misuse{"an index cannot be written inside another expression"};
  return Subscript(Index::read(reference(*this, broadcast_subscripts(shape, subscripts))));
}

Subscript NestWriter::loop(std::int64_t extent) {
  const bool first = loops_.empty();
  std::string name = first ? "tx" : index_name(letters_++);
  loops_.push_back({first ? LoopKind::bound : LoopKind::serial, extent, name});
  return Subscript::loop(std::move(name));
}

Subscripts NestWriter::loops(const Shape& extents) {
  Subscripts out;
  out.reserve(extents.size());
  for (const std::int64_t extent : extents) out.push_back(loop(extent));
  return out;
}

void NestWriter::set(const Tensor& target, const Subscripts& subscripts, const Value& value) {
  items_.emplace_back(make_equation(reference(target, subscripts), value.expr()));
}

void NestWriter::fold(Fold how, const Tensor& target, const Subscripts& subscripts, const Value& value) {
  const RefPtr left = reference(target, subscripts);
  const Value old(read_expr(left));
  Value next = old;
  switch (how) {
    case Fold::sum: next = old + value; break;
    case Fold::product: next = old * value; break;
    case Fold::max: next = max(old, value); break;
    case Fold::min: next = min(old, value); break;
  }
  items_.emplace_back(make_equation(left, next.expr()));
}

NestPtr NestWriter::finish() {
  if (loops_.empty()) loops_.push_back({LoopKind::bound, 1, "tx"});
  return make_nest(std::move(loops_), nullptr, std::move(items_));
}

Subscript LoopWriter::outer(std::int64_t extent) {
  loops_.push_back({LoopKind::serial, extent, index_name(0)});
  return Subscript::loop(index_name(0));
}

void LoopWriter::map(const Tensor& target, const Subscripts& lead, const Shape& extents, const MapBody& body) {
  NestWriter nest(1);
  const Subscripts at = nest.loops(extents);
  Subscripts place = lead;
  place.insert(place.end(), at.begin(), at.end());
  nest.set(target, place, body(at));
  items_.emplace_back(nest.finish());
}

void LoopWriter::fold(Fold how, const Tensor& target, const Subscripts& lead, const Shape& extents,
                      const Shape& reduced, const InnerBody& body) {
  NestWriter nest(1);
  const Subscripts at = nest.loops(extents);
  const Subscripts inner = nest.loops(reduced);
  Subscripts place = lead;
  place.insert(place.end(), at.begin(), at.end());
  nest.fold(how, target, place, body(at, inner));
  items_.emplace_back(nest.finish());
}

NestPtr LoopWriter::finish() { return make_nest(std::move(loops_), nullptr, std::move(items_)); }

Tensor Lowering::tensor(const graph::Value& value) {
  const auto found = naming_.values.find({value.node, value.output});
  if (found == naming_.values.end()) throw std::logic_error("a value without a name");
  const graph::TensorType& type = graph_.type(value);
  Tensor out{found->second, type.dtype, type.shape};
  if (graph_.node(value).writing == graph::Writing::inlined) {
    out.formula = [this, value](const Subscripts& at) { return formula(value, at); };
  }
  return out;
}

Value Lowering::formula(const graph::Value& value, const Subscripts& at) {
  // What is read twice is written twice, and so is what that reads.
  constexpr std::uint64_t kMostFormulas = 4096;
  const graph::Node& node = graph_.node(value);
  Capture capture{at, std::nullopt};
  const CallLowering call(*this, node, value.node, &capture);
  if (++formulas_ > kMostFormulas) call.unsupported("the expression it is written into is too long");
  for (const graph::Value& operand : graph::operands(node)) {
    if (graph_.type(operand).dtype != graph_.type(value).dtype)
      call.unsupported("what changes the dtype cannot be written inside another expression");
  }
  find_lowering(node.op->schema.name)->lower(call);
  if (!capture.value) call.unsupported("it is not an expression, and cannot be written inside one");
  return *capture.value;
}

void Lowering::append(NestPtr nest) {
  formulas_ = 0;
  if (held_) {
    nest = join_nests(*held_, *nest);
    if (!nest) throw graph::Misuse{"it cannot stand in one nest with the call before it"};
  }
  held_ = joins_ ? nest : nullptr;
  if (!held_) nests_.push_back(std::move(nest));
}

CallLowering::CallLowering(Lowering& lowering, const graph::Node& node, std::int32_t number, Capture* capture)
    : graph::Call(lowering.graph(), node), lowering_(lowering), node_(node), number_(number), capture_(capture) {}

Tensor CallLowering::of(const graph::Value& value) const { return lowering_.tensor(value); }
Tensor CallLowering::out(std::int32_t number) const { return lowering_.tensor({number_, number}); }
bool CallLowering::wanted(std::int32_t number) const { return lowering_.naming().values.contains({number_, number}); }
Tensor CallLowering::extra(std::size_t number, DType dtype, Shape shape) const {
  return {lowering_.naming().leading.at(number_).at(number), dtype, std::move(shape)};
}
Tensor CallLowering::temporary(DType dtype, Shape shape) const {
  return {lowering_.next_name(), dtype, std::move(shape)};
}
void CallLowering::skip_name() const { static_cast<void>(lowering_.next_name()); }

Value CallLowering::operand(std::string_view name, const Subscripts& subscripts) const {
  if (is_tensor(name)) return in(name).at(subscripts);
  const double number = real(name);
  if (std::isnan(number)) unsupported(concat("'", name, "' is NaN"));
  // With integer tensors a float must stay a float; elsewhere the shorter text is the same number.
  const bool keeps_point = std::holds_alternative<double>(argument(name)) && !is_float(node_.outputs.front().dtype);
  return keeps_point ? decimal(number) : Value(number);
}

void CallLowering::append(NestPtr nest) const {
  if (capture_) unsupported("it is more than an expression, and cannot be written inside one");
  lowering_.append(std::move(nest));
}
void CallLowering::append(NestWriter& nest) const { append(nest.finish()); }
void CallLowering::append(LoopWriter& loop) const { append(loop.finish()); }

void CallLowering::map(const Tensor& target, const Body& body) const {
  if (capture_ && target.formula && !capture_->value) {
    capture_->value = body(capture_->at);
    return;
  }
  NestWriter nest;
  const Subscripts at = nest.loops(target.shape);
  nest.set(target, at, body(at));
  append(nest);
}

void CallLowering::fold(Fold how, const Tensor& target, const Shape& reduced, const FoldBody& body) const {
  NestWriter nest;
  const Subscripts kept = nest.loops(target.shape);
  const Subscripts inner = nest.loops(reduced);
  nest.fold(how, target, kept, body(kept, inner));
  append(nest);
}

void CallLowering::copy(const Tensor& source, const Tensor& target) const {
  map(target, [&](const Subscripts& at) { return source.at(at); });
}

}  // namespace steptp::frontend
