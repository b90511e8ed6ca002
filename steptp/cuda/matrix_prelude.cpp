// The instructions of tensor cores and of asynchronous copies as functions. All lanes of a warp call them together.
// With STP_EMULATION their text drops out: testing/cuda_emulation/cuda_matrix.h has the same functions in C++, on
// fibers.
//
// Where the elements of a 16 x 8 x 16 product of halves lie, in words of two neighbouring halves; g is lane / 4, t is
// lane % 4:
//   A (16 x 16)  a[0] at (g, 2t)    a[1] at (g + 8, 2t)    a[2] at (g, 2t + 8)    a[3] at (g + 8, 2t + 8)
//   B (16 x 8)   b[0] at (2t, g)    b[1] at (2t + 8, g)    neighbours along the first index
//   C (16 x 8)   d[0], d[1] at (g, 2t), (g, 2t + 1)        d[2], d[3] at (g + 8, 2t), (g + 8, 2t + 1)
// and those of a product of doubles with 16 rows:
//   A (16 x 16)  a[2i + h] at (g + 8h, 4i + t)    B (16 x 8)   b[i] at (4i + t, g)    C as above
// A product of 8 x 8 x 4 doubles is the part of it with h = 0 and i = 0.
#include "steptp/cuda/prelude_parts.h"

namespace steptp::cuda {

namespace {

const std::vector<Part> kParts = {
    {{"stp_mma_f16_f32", "stp_group_f16"},
     R"(#ifndef STP_EMULATION
/// d += a * b, 16 x 8 x 16, halves with sums in f32.
static __device__ __forceinline__ void stp_mma_f16_f32(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif
)"},
    {{"stp_mma_bf16_f32", "stp_group_bf16"},
     R"(#ifndef STP_EMULATION
/// d += a * b, 16 x 8 x 16, bf16 with sums in f32.
static __device__ __forceinline__ void stp_mma_bf16_f32(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif
)"},
    {{"stp_mma_f16_f16"},
     R"(#ifndef STP_EMULATION
/// d += a * b, 16 x 8 x 16, halves with sums in f16: d[0] is the pair in row g, d[1] the one in row g + 8.
static __device__ __forceinline__ void stp_mma_f16_f16(unsigned (&d)[2], const unsigned (&a)[4],
                                                       const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
      : "+r"(d[0]), "+r"(d[1])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif
)"},
    {{"stp_mma_f64_8x8x4", "stp_mma_f64_16x8x16"},
     R"(#ifndef STP_EMULATION
/// d += a * b, 8 x 8 x 4 doubles.
static __device__ __forceinline__ void stp_mma_f64_8x8x4(double& d0, double& d1, double a, double b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(d0), "+d"(d1)
               : "d"(a), "d"(b));
}
#endif
)"},
    {{"stp_mma_f64_16x8x16"},
     R"(#ifndef STP_EMULATION
/// d += a * b, 16 x 8 x 16 doubles: one instruction from sm_90 on, eight before, with the same elements in the same
/// places.
static __device__ __forceinline__ void stp_mma_f64_16x8x16(double (&d)[4], const double (&a)[8], const double (&b)[4]) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "
      "{%12, %13, %14, %15}, {%0, %1, %2, %3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]),
        "d"(b[2]), "d"(b[3]));
#else
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    stp_mma_f64_8x8x4(d[0], d[1], a[2 * i], b[i]);
    stp_mma_f64_8x8x4(d[2], d[3], a[2 * i + 1], b[i]);
  }
#endif
}
#endif
)"},
    {{"stp_ldmatrix", "stp_group_"},
     R"(#ifndef STP_EMULATION
/// One, two or four matrices of 8 x 8 halves from shared memory; lane 8m + r gives the address of row r of matrix m,
/// which is 16 bytes at a multiple of 16. Word m of lane l is the pair at (l / 4, 2 * (l % 4)) of matrix m, or of its
/// transpose.
static __device__ __forceinline__ void stp_ldmatrix(unsigned (&r)[1], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(r[0])
               : "r"((unsigned)__cvta_generic_to_shared(row))
               : "memory");
}
static __device__ __forceinline__ void stp_ldmatrix(unsigned (&r)[2], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"((unsigned)__cvta_generic_to_shared(row))
               : "memory");
}
static __device__ __forceinline__ void stp_ldmatrix(unsigned (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((unsigned)__cvta_generic_to_shared(row))
               : "memory");
}
static __device__ __forceinline__ void stp_ldmatrix_transposed(unsigned (&r)[1], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
               : "=r"(r[0])
               : "r"((unsigned)__cvta_generic_to_shared(row))
               : "memory");
}
static __device__ __forceinline__ void stp_ldmatrix_transposed(unsigned (&r)[2], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"((unsigned)__cvta_generic_to_shared(row))
               : "memory");
}
static __device__ __forceinline__ void stp_ldmatrix_transposed(unsigned (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((unsigned)__cvta_generic_to_shared(row))
               : "memory");
}
#endif
)"},
    {{"stp_copy_ahead"},
     R"(#ifndef STP_EMULATION
/// Begins to copy 4, 8 or 16 bytes into shared memory; both places are multiples of as many. Where `is_wanted` is false
/// zeros are written and nothing is read.
template <int kBytes>
static __device__ __forceinline__ void stp_copy_ahead(void* to, const void* from, bool is_wanted = true) {
  const unsigned place = (unsigned)__cvta_generic_to_shared(to);
  const size_t source = __cvta_generic_to_global(from);
  const int count = is_wanted ? kBytes : 0;
  if (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(place), "l"(source), "r"(count) : "memory");
  } else if (kBytes == 8) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" : : "r"(place), "l"(source), "r"(count) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" : : "r"(place), "l"(source), "r"(count) : "memory");
  }
}
/// The copies that this thread has begun since the last time are a group.
static __device__ __forceinline__ void stp_copies_close() { asm volatile("cp.async.commit_group;" : : : "memory"); }
/// Waits until all groups of this thread but the newest `kRest` have arrived. Others see them behind a barrier.
template <int kRest>
static __device__ __forceinline__ void stp_copies_wait() {
  asm volatile("cp.async.wait_group %0;" : : "n"(kRest) : "memory");
}
#endif
)"},
    {{"stp_swizzled", "stp_paneled", "stp_group_"},
     R"(/// Where an element of a tile in shared memory lies: bits of the number of its row, which has 2^kRowBits elements,
/// are exclusive-ored to the number of its run of 2^kRunBits elements. Rows at one column then lie in different banks.
template <int kBits, int kRowBits, int kRunBits>
static __device__ __forceinline__ int stp_swizzled(int offset) {
  return offset ^ ((offset >> kRowBits & ((1 << kBits) - 1)) << kRunBits);
}
)"},
    {{"stp_paneled"},
     R"(/// Where an element of a tile of 64 rows of 2^kRowBits halves lies: in panels of 64 columns, one behind the other,
/// whose rows are 128 bytes, swizzled.
template <int kRowBits>
static __device__ __forceinline__ int stp_paneled(int offset) {
  const int panel = offset >> 6 & ((1 << (kRowBits - 6)) - 1);
  return panel << 12 | stp_swizzled<3, 6, 3>(offset >> kRowBits << 6 | (offset & 63));
}
)"},
    {{"stp_get_half", "stp_set_half"},
     R"(/// The halves of a word.
template <typename T>
static __device__ __forceinline__ T stp_get_half(unsigned word, int which) {
  const unsigned short bits = (unsigned short)(word >> 16 * which);
  return *(const T*)&bits;
}
template <typename T>
static __device__ __forceinline__ void stp_set_half(unsigned& word, int which, T value) {
  word = (word & 0xffffu << 16 * (1 - which)) | (unsigned)*(const unsigned short*)&value << 16 * which;
}
)"},
};

}  // namespace

const std::vector<Part>& matrix_parts() {
  static const std::vector<Part> kAll = [] {
    std::vector<Part> out = kParts;
    out.insert(out.end(), group_parts().begin(), group_parts().end());
    return out;
  }();
  return kAll;
}

}  // namespace steptp::cuda
