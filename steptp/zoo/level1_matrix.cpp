#include <array>

#include "steptp/zoo/maker.h"

namespace steptp::zoo {

namespace {

Outputs product(Maker& m, Shape left, Shape right) {
  const Value a = m.input("a", std::move(left));
  const Value b = m.input("b", std::move(right));
  return {m.matmul(a, b)};
}

Outputs matmul3d(Maker& m) { return product(m, {m.n("N"), m.n("M"), m.n("K")}, {m.n("K"), m.n("L")}); }
Outputs matmul4d(Maker& m) {
  const Value a = m.input("a", {m.n("b"), m.n("i"), m.n("j"), m.n("l")});
  const Value b = m.input("b", {m.n("l"), m.n("k")});
  return {m.op("einsum", {"bijl,lk->bijk", std::vector<Value>{a, b}})};
}
Outputs square(Maker& m) { return product(m, {m.n("N"), m.n("N")}, {m.n("N"), m.n("N")}); }
Outputs standard(Maker& m) { return product(m, {m.n("M"), m.n("K")}, {m.n("K"), m.n("N")}); }
/// The published programs multiply over N here, and K is an outer extent.
Outputs outer_k(Maker& m) { return product(m, {m.n("M"), m.n("N")}, {m.n("N"), m.n("K")}); }
Outputs tall_skinny(Maker& m) { return product(m, {m.n("M"), m.n("N")}, {m.n("N"), m.n("M")}); }
Outputs vector(Maker& m) { return product(m, {m.n("M"), m.n("K")}, {m.n("K"), 1}); }

Outputs batched(Maker& m) {
  const Value a = m.input("a", {m.n("batch_size"), m.n("m"), m.n("k")});
  const Value b = m.input("b", {m.n("batch_size"), m.n("k"), m.n("n")});
  return {m.op("bmm", {a, b})};
}

Outputs scaled(Maker& m) {
  const Value a = m.input("a", {m.n("M"), m.n("N")});
  return {m.mul(a, m.scalar_input("s", m.r("s")))};
}

Outputs diagonal(Maker& m) {
  const Value a = m.input("a", {m.n("N")});
  const Value b = m.input("b", {m.n("N"), m.n("M")});
  return {m.matmul(m.op("diag", {a}), b)};
}

Outputs symmetric(Maker& m) {
  const Value a = m.input("a", {m.n("N"), m.n("N")});
  const Value b = m.input("b", {m.n("N"), m.n("N")});
  const Value left = m.div(m.add(a, m.op("t", {a})), std::int64_t{2});
  const Value right = m.div(m.add(b, m.op("t", {b})), std::int64_t{2});
  return {m.matmul(left, right)};
}

Outputs triangular(Maker& m, std::string_view part) {
  const Value a = m.input("a", {m.n("N"), m.n("N")});
  const Value b = m.input("b", {m.n("N"), m.n("N")});
  const Value left = m.op(part, {a});
  const Value right = m.op(part, {b});
  return {m.op(part, {m.matmul(left, right)})};
}
Outputs upper(Maker& m) { return triangular(m, "triu"); }
Outputs lower(Maker& m) { return triangular(m, "tril"); }

Outputs transposed_left(Maker& m) {
  const Value a = m.input("a", {m.n("K"), m.n("M")});
  const Value b = m.input("b", {m.n("K"), m.n("N")});
  return {m.matmul(m.op("t", {a}), b)};
}
Outputs transposed_right(Maker& m) {
  const Value a = m.input("a", {m.n("M"), m.n("K")});
  const Value b = m.input("b", {m.n("N"), m.n("K")});
  return {m.matmul(a, m.op("t", {b}))};
}
Outputs transposed_both(Maker& m) {
  const Value a = m.input("a", {m.n("K"), m.n("M")});
  const Value b = m.input("b", {m.n("N"), m.n("K")});
  const Value left = m.op("t", {a});
  return {m.matmul(left, m.op("t", {b}))};
}

constexpr std::array kRows = {
    BuildRow{"Matmul3D", matmul3d},
    BuildRow{"Matmul4D", matmul4d},
    BuildRow{"Matmul_with_diagonal_mat", diagonal},
    BuildRow{"Matmul_for_symmetric_matrices", symmetric},
    BuildRow{"Matmul_for_upper_triangular_matrices", upper},
    BuildRow{"Matmul_for_lower_triangular_matrices", lower},
    BuildRow{"Matmul_with_transposed_A", transposed_left},
    BuildRow{"Matmul_with_transposed_B", transposed_right},
    BuildRow{"Matmul_with_transposed_both", transposed_both},
    BuildRow{"Square_matrix_multiplication", square},
    BuildRow{"Standard_matrix_multiplication", standard},
    BuildRow{"Batched_matrix_multiplication", batched},
    BuildRow{"Matrix_vector_multiplication", vector},
    BuildRow{"Matrix_scalar_multiplication", scaled},
    BuildRow{"Matmul_with_large_K_dimension", outer_k},
    BuildRow{"Matmul_with_small_K_dimension", outer_k},
    BuildRow{"Matmul_with_irregular_shapes", standard},
    BuildRow{"Tall_skinny_matrix_multiplication", tall_skinny},
};

}  // namespace

std::span<const BuildRow> matrix_programs() { return kRows; }

}  // namespace steptp::zoo
