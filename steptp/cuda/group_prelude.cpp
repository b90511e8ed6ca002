// Products that four units make together, as functions; all 128 lanes call them. Where the text is compiled for sm_90a,
// they are the instructions of groups of warps (wgmma), which read both factors from shared memory by themselves; for
// other targets, and in the emulation, each unit loads the same elements from the same places and makes its own rows.
//
// Both factors lie in rows of 128 bytes, eight of which are 1024 bytes and begin at a multiple of 1024; the run of 16
// bytes number r of row i of those eight is at place r ^ i. The left one has 64 rows of 64 halves along k. The right
// one has 64 rows along k of 64 columns, in panels of 8192 bytes for the next 64 columns, or (`_along`) a row of 64
// halves along k for each column.
#include <memory>
#include <string>

#include "steptp/base/text.h"
#include "steptp/cuda/prelude_parts.h"

namespace steptp::cuda {

namespace {

constexpr std::string_view kCommon =
    R"(/// Copies of this thread, and of others behind a barrier, are there for instructions that read shared memory themselves.
static __device__ __forceinline__ void stp_group_begin() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
  asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
#endif
}
/// The sums are there.
static __device__ __forceinline__ void stp_group_end() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" : : : "memory");
#endif
}
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
/// Where a factor lies: the distance of the next 64 columns, and that of the next eight rows.
static __device__ __forceinline__ unsigned long long stp_group_place(const void* at, unsigned beside, unsigned below) {
  return (unsigned long long)((unsigned)__cvta_generic_to_shared(at) >> 4 & 0x3fff) |
         (unsigned long long)(beside >> 4) << 16 | (unsigned long long)(below >> 4) << 32 | 1ull << 62;
}
#endif
)";

/// What a unit does by itself; TYPE is f16 or bf16.
constexpr std::string_view kByUnits = R"(#ifndef __CUDA_ARCH_FEAT_SM90_ALL
template <int kColumns, bool kIsAlong, typename T>
static __device__ __forceinline__ void stp_group_TYPE_by_units(float (&d)[2][kColumns / 8][2], const T* left,
                                                               const T* right, int k) {
  const int lane = (int)threadIdx.x % 32, unit = (int)threadIdx.x / 32 % 4;
  unsigned a[4];
  stp_ldmatrix(a, left + stp_swizzled<3, 6, 3>((unit * 16 + lane % 16) * 64 + k + lane / 16 * 8));
#pragma unroll
  for (int j = 0; j < kColumns / 16; ++j) {
    unsigned four[4];
    if (kIsAlong) {
      stp_ldmatrix(four, right + stp_swizzled<3, 6, 3>((j * 16 + lane / 16 * 8 + lane % 8) * 64 + k + lane / 8 % 2 * 8));
    } else {
      const int place = stp_swizzled<3, 6, 3>((k + lane % 16) * 64 + j % 4 * 16 + lane / 16 * 8);
      stp_ldmatrix_transposed(four, right + j / 4 * 4096 + place);
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const unsigned b[2] = {four[2 * i], four[2 * i + 1]};
      float sums[4] = {d[0][2 * j + i][0], d[0][2 * j + i][1], d[1][2 * j + i][0], d[1][2 * j + i][1]};
      stp_mma_TYPE_f32(sums, a, b);
#pragma unroll
      for (int e = 0; e < 4; ++e) d[e / 2][2 * j + i][e % 2] = sums[e];
    }
  }
}
#endif
)";

std::string by_units(std::string_view type) {
  constexpr std::string_view kWord = "TYPE";
  std::string out(kByUnits);
  for (std::size_t at = 0; (at = out.find(kWord, at)) != std::string::npos;) out.replace(at, kWord.size(), type);
  return out;
}

/// One function: 64 rows, so many columns, 16 steps along k from `k` on.
std::string product_text(const std::string& type, int columns, bool is_along) {
  const int registers = columns / 2;
  std::string places;
  std::string operands;
  for (int i = 0; i < registers; ++i) {
    append(places, i == 0 ? "%" : ", %", i);
    append(operands, i == 0 ? "" : ", ", "\"+f\"(d[", i / 2 % 2, "][", i / 4, "][", i % 2, "])");
  }
  std::string out = concat("/// d += left * right, 64 x ", columns, " x 16, in ", type, " with sums in f32.\n",
                           "template <typename T>\nstatic __device__ __forceinline__ void stp_group_", type, "_",
                           columns, is_along ? "_along" : "", "(float (&d)[2][", columns / 8,
                           "][2], const T* left, const T* right, int k) {\n#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n");
  append(out, "  asm volatile(\"wgmma.mma_async.sync.aligned.m64n", columns, "k16.f32.", type, ".", type, " {", places,
         "}, %", registers, ", %", registers + 1, ", 1, 1, 1, 0, ", is_along ? 0 : 1,
         ";\"\n               : ", operands,
         "\n               : \"l\"(stp_group_place(left + k, 16, 1024)), \"l\"(stp_group_place(right + ",
         is_along ? "k, 16" : "k * 64, 8192", ", 1024)));\n");
  append(out, "#else\n  stp_group_", type, "_by_units<", columns, ", ", is_along ? "true" : "false",
         ">(d, left, right, k);\n#endif\n}\n");
  return out;
}

/// The texts live as long as the parts, which point to them.
struct Texts {
  std::vector<std::unique_ptr<std::string>> kept;
  std::vector<Part> parts;

  std::string_view keep(std::string text) { return *kept.emplace_back(std::make_unique<std::string>(std::move(text))); }
  void add(std::string word, std::string text) { parts.push_back({{keep(std::move(word))}, keep(std::move(text))}); }
};

}  // namespace

const std::vector<Part>& group_parts() {
  static const Texts kTexts = [] {
    Texts out;
    out.add("stp_group_", std::string(kCommon));
    for (const std::string type : {"f16", "bf16"}) {
      out.add(concat("stp_group_", type, "_"), by_units(type));
      for (const int columns : {64, 128, 192, 256}) {
        for (const bool is_along : {false, true}) {
          out.add(concat("stp_group_", type, "_", columns, is_along ? "_along(" : "("),
                  product_text(type, columns, is_along));
        }
      }
    }
    return out;
  }();
  return kTexts.parts;
}

}  // namespace steptp::cuda
