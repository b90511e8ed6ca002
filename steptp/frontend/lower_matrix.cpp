#include <array>
#include <map>

#include "steptp/frontend/lowering_table.h"
#include "steptp/graph/einsum.h"

namespace steptp::frontend {

namespace {

/// target = left @ right, with vectors and broadcast batches as torch.matmul has them.
void multiply(const CallLowering& call, const Tensor& target, const Tensor& left, const Tensor& right) {
  const bool row = left.shape.size() == 1;
  const bool column = right.shape.size() == 1;
  call.fold(Fold::sum, target, {left.shape.back()}, [&](const Subscripts& at, const Subscripts& inner) {
    const std::size_t own = (row ? 0U : 1U) + (column ? 0U : 1U);
    Subscripts batch(at.begin(), at.end() - static_cast<std::ptrdiff_t>(own));
    Subscripts from = batch;
    if (!row) from.push_back(at[batch.size()]);
    from.push_back(inner.front());
    Subscripts to = std::move(batch);
    to.push_back(inner.front());
    if (!column) to.push_back(at.back());
    if (row) from = {inner.front()};
    if (column) to = {inner.front()};
    return left.at(from) * right.at(to);
  });
}

void product(const CallLowering& call, std::string_view first, std::string_view second) {
  multiply(call, call.out(), call.in(first), call.in(second));
}
void matmul(const CallLowering& call) { product(call, "self", "other"); }
void mm(const CallLowering& call) { product(call, "self", "mat2"); }
void mv(const CallLowering& call) { product(call, "self", "vec"); }
void dot(const CallLowering& call) { product(call, "self", "tensor"); }

void outer(const CallLowering& call) {
  const Tensor self = call.in("self");
  const Tensor other = call.in("vec2");
  call.map(call.out(), [&](const Subscripts& at) { return self.exactly({at[0]}) * other.exactly({at[1]}); });
}

void linear(const CallLowering& call) {
  const Tensor input = call.in("input");
  const Tensor weight = call.in("weight");
  const Tensor out = call.out();
  const bool has_rows = weight.shape.size() == 2;
  call.fold(Fold::sum, out, {input.shape.back()}, [&](const Subscripts& at, const Subscripts& inner) {
    Subscripts from = at;
    if (has_rows) from.pop_back();
    from.push_back(inner.front());
    return input.exactly(from) *
           (has_rows ? weight.exactly({at.back(), inner.front()}) : weight.exactly({inner.front()}));
  });
  if (!call.has("bias")) return;
  const Tensor bias = call.in("bias");
  call.map(out, [&](const Subscripts& at) { return out.exactly(at) + bias.at(at); });
}

void product_and_sum(const CallLowering& call, std::string_view first, std::string_view second) {
  const Tensor self = call.in("self");
  const Tensor out = call.out();
  const double alpha = call.real("alpha");
  const double beta = call.real("beta");
  const bool plain = alpha == 1 && beta == 1;
  const Tensor sum = plain ? out : call.temporary(out.dtype, out.shape);
  multiply(call, sum, call.in(first), call.in(second));
  call.map(out, [&](const Subscripts& at) {
    if (plain) return sum.exactly(at) + self.at(at);
    const Value scaled = Value(alpha) * sum.exactly(at);
    return beta == 0 ? scaled : scaled + Value(beta) * self.at(at);
  });
}
void addmm(const CallLowering& call) { product_and_sum(call, "mat1", "mat2"); }
void baddbmm(const CallLowering& call) { product_and_sum(call, "batch1", "batch2"); }
void addmv(const CallLowering& call) { product_and_sum(call, "mat", "vec"); }

void einsum(const CallLowering& call) {
  const graph::EinsumLetters letters = graph::parse_einsum(call, call.text("equation"));
  const std::vector<graph::Value>& tensors = call.values("tensors");
  std::map<char, std::int64_t> extents;
  std::string folded;
  for (std::size_t number = 0; number < tensors.size(); ++number) {
    const Shape& shape = call.type(tensors[number]).shape;
    for (std::size_t at = 0; at < shape.size(); ++at) {
      const char letter = letters.operands[number][at];
      std::int64_t& extent = extents.emplace(letter, shape[at]).first->second;
      if (extent == 1) extent = shape[at];
      if (letters.result.find(letter) == std::string::npos && folded.find(letter) == std::string::npos)
        folded += letter;
    }
  }
  Shape reduced;
  for (const char letter : folded) reduced.push_back(extents.at(letter));
  const auto body = [&](const Subscripts& at, const Subscripts& inner) {
    std::vector<Value> factors;
    for (std::size_t number = 0; number < tensors.size(); ++number) {
      const Tensor tensor = call.of(tensors[number]);
      Subscripts place;
      for (std::size_t dim = 0; dim < tensor.shape.size(); ++dim) {
        const char letter = letters.operands[number][dim];
        const std::size_t kept = letters.result.find(letter);
        const Subscript loop = kept != std::string::npos ? at[kept] : inner[folded.find(letter)];
        place.push_back(tensor.shape[dim] == 1 ? Subscript(0) : loop);
      }
      factors.push_back(tensor.exactly(place));
    }
    Value out = factors.front();
    for (std::size_t number = 1; number < factors.size(); ++number) out = out * factors[number];
    return out;
  };
  if (folded.empty()) return call.map(call.out(), [&](const Subscripts& at) { return body(at, {}); });
  call.fold(Fold::sum, call.out(), reduced, body);
}

constexpr std::array kRows = {
    LoweringRow{"aten.matmul.default", matmul},   LoweringRow{"aten.mm.default", mm},
    LoweringRow{"aten.bmm.default", mm},          LoweringRow{"aten.mv.default", mv},
    LoweringRow{"aten.dot.default", dot},         LoweringRow{"aten.outer.default", outer},
    LoweringRow{"aten.linear.default", linear},   LoweringRow{"aten.addmm.default", addmm},
    LoweringRow{"aten.baddbmm.default", baddbmm}, LoweringRow{"aten.addmv.default", addmv},
    LoweringRow{"aten.einsum.default", einsum},
};

}  // namespace

std::span<const LoweringRow> matrix_lowerings() { return kRows; }

}  // namespace steptp::frontend
