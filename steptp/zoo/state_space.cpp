#include <array>
#include <cmath>

#include "steptp/zoo/maker.h"

namespace steptp::zoo {

namespace {

Value view(Maker& m, const Value& x, Ints shape) { return m.op("view", {x, std::move(shape)}); }
Value einsum(Maker& m, std::string equation, std::vector<Value> operands) {
  return m.op("einsum", {std::move(equation), std::move(operands)});
}

/// exp of the sums of a segment: entry (i, j) is exp(a[j+1] + ... + a[i]) for j <= i, and 0 above the diagonal.
Value segment_decay(Maker& m, const Value& a, std::int64_t length) {
  const Value sums = m.op("cumsum", {a, std::int64_t{-1}});
  const Value rows = m.unsqueeze(sums, -1);
  const Value difference = m.sub(rows, m.unsqueeze(sums, -2));
  const Value mask = m.causal_mask({length, length});
  return m.op("exp", {m.op("masked_fill.Scalar", {difference, mask, -HUGE_VAL})});
}

/// The part of state-space duality that stays inside the chunks, with the published signature.
Outputs inside_chunks(Maker& m) {
  const std::int64_t batch = m.n("batch_size");
  const std::int64_t length = m.n("seq_length");
  const std::int64_t heads = m.n("n_heads");
  const std::int64_t block = m.n("block_len");
  m.require(length % block == 0, "block_len does not divide seq_length");
  const std::int64_t chunks = length / block;
  const Value x = m.input("x", {batch, length, heads, m.n("d_head")});
  const Value a = m.parameter("A", {batch, length, heads});
  const Value b = m.parameter("B", {batch, length, heads, m.n("d_state")});
  const Value c = m.parameter("C", {batch, length, heads, m.n("d_state")});
  const auto chunked = [&](const Value& whole) {
    Ints shape = m.shape(whole);
    const Value same = view(m, whole, shape);
    shape[1] = block;
    shape.insert(shape.begin() + 1, chunks);
    return view(m, same, shape);
  };
  const Value xs = chunked(x);
  const Value as = chunked(a);
  const Value bs = chunked(b);
  const Value cs = chunked(c);
  const Value turned = m.op("transpose.int", {as, std::int64_t{1}, std::int64_t{3}});
  const Value decay = segment_decay(m, m.op("transpose.int", {turned, std::int64_t{2}, std::int64_t{3}}), block);
  const Value scores = einsum(m, "bclhn,bcshn->bhcls", {cs, bs});
  return {einsum(m, "bhcls,bcshp->bclhp", {m.mul(scores, decay), xs})};
}

/// State-space duality in chunks: inside a chunk by the masked products, between chunks by states that are passed on
/// with their decay, and the contribution of the state before a chunk to its outputs.
Outputs mamba2(Maker& m) {
  const std::int64_t batch = m.n("batch_size");
  const std::int64_t chunks = m.n("chunks");
  const std::int64_t block = m.n("block_len");
  const std::int64_t heads = m.n("n_heads");
  const std::int64_t width = m.n("d_head");
  const std::int64_t size = m.n("d_state");
  const Value x = m.input("x", {batch, chunks * block, heads, width});
  const Value a = m.input("A", {batch, chunks * block, heads});
  const Value b = m.input("B", {batch, chunks * block, heads, size});
  const Value c = m.input("C", {batch, chunks * block, heads, size});
  const Value xs = view(m, x, {batch, chunks, block, heads, width});
  const Value bs = view(m, b, {batch, chunks, block, heads, size});
  const Value cs = view(m, c, {batch, chunks, block, heads, size});
  const Value as = m.op("permute", {view(m, a, {batch, chunks, block, heads}), Ints{0, 3, 1, 2}});
  const Value sums = m.op("cumsum", {as, std::int64_t{-1}});
  const Value decay = segment_decay(m, as, block);
  const Value scores = m.mul(einsum(m, "bclhn,bcshn->bhcls", {cs, bs}), decay);
  const Value inside = einsum(m, "bhcls,bcshp->bclhp", {scores, xs});
  const Value last = m.op("slice.Tensor", {sums, std::int64_t{-1}, std::int64_t{-1}});
  const Value to_end = m.op("exp", {m.sub(last, sums)});
  const Value states = einsum(m, "bclhn,bhcl,bclhp->bchpn", {bs, to_end, xs});
  // Before the first chunk there is no state: a row of zeros, and with it chunks + 1 decays.
  const Value zeros = m.op("new_zeros", {states, Ints{batch, 1, heads, width, size}});
  const Value all_states = m.op("cat", {std::vector<Value>{zeros, states}, std::int64_t{1}});
  const Value chunk_sums = m.op("pad", {m.squeeze(last, -1), Ints{1, 0}});
  const Value chunk_decay = segment_decay(m, chunk_sums, chunks + 1);
  const Value passed = einsum(m, "bhzc,bchpn->bzhpn", {chunk_decay, all_states});
  const Value before = m.op("slice.Tensor", {passed, std::int64_t{1}, std::int64_t{0}, chunks});
  const Value outside = einsum(m, "bclhn,bchpn,bhcl->bclhp", {cs, before, m.op("exp", {sums})});
  const Value sum = m.op("clone", {m.add(inside, outside)});
  return {view(m, sum, {batch, chunks * block, heads, width})};
}

constexpr std::array kRows = {BuildRow{"Mamba2ReturnY", inside_chunks}, BuildRow{"Mamba2", mamba2}};

}  // namespace

std::span<const BuildRow> state_space_programs() { return kRows; }

}  // namespace steptp::zoo
