// The functions of steptp/cuda/matrix_prelude.cpp in C++: lanes are fibers, which show each other their operands, and
// copies arrive when their thread waits for them. Sums are those of an H200, bit for bit (decision 0140).
#pragma once

namespace emulation {

/// What all lanes of the warp give at this point, lane by lane. `leave_warp` has to follow, so that nobody goes on
/// while others still look.
template <typename T>
struct Lanes {
  const T* of[kWarp];
};
template <typename T>
Lanes<T> meet_warp(const T& mine) {
  static constexpr char kMeeting = 0;
  const T* pointer = &mine;
  std::memcpy(current->slot, &pointer, sizeof pointer);
  current->meeting = &kMeeting;
  pause(State::waits_for_warp);
  const unsigned first = current->thread / kWarp * kWarp;
  Lanes<T> out;
  for (unsigned i = 0; i < kWarp; ++i) {
    const Fiber& other = fibers()[first + i];
    // Half a warp, or lanes that are elsewhere.
    if (first + i >= blockDim.x * blockDim.y * blockDim.z || other.meeting != &kMeeting) diverged = true;
    out.of[i] = pointer;
    if (!diverged) std::memcpy(&out.of[i], other.slot, sizeof pointer);
  }
  return out;
}
inline void leave_warp() {
  pause(State::waits_for_warp);
  current->meeting = nullptr;
}
inline unsigned lane() { return current->thread % kWarp; }

/// A number as digits * 2^unit, with the exponent by which an instruction aligns it.
struct Term {
  long long digits = 0;
  int unit = 0;
  int exponent = 0;
};
/// A float of so many digits behind the point whose exponents begin at `least`.
inline Term term_of(unsigned bits, int digits, int exponent_bits, int least) {
  const long long fraction = bits & ((1u << digits) - 1);
  const int field = static_cast<int>(bits >> digits & ((1u << exponent_bits) - 1));
  const int exponent = field == 0 ? least : field + least - 1;
  const long long all = field == 0 ? fraction : fraction | 1LL << digits;
  return {bits >> (digits + exponent_bits) & 1 ? -all : all, exponent - digits, exponent};
}
inline Term half_term(unsigned bits) { return term_of(bits & 0xffff, 10, 5, -14); }
inline Term bfloat16_term(unsigned bits) { return term_of(bits & 0xffff, 7, 8, -126); }
inline Term float_term(float x) { return term_of(std::bit_cast<std::uint32_t>(x), 23, 8, -126); }
inline Term product(const Term& a, const Term& b) {
  return {a.digits * b.digits, a.unit + b.unit, a.exponent + b.exponent};
}

/// The sum of terms that are aligned to the greatest exponent and cut off 25 digits behind its point, exactly.
inline Term aligned_sum(const std::vector<Term>& terms) {
  constexpr int kDigits = 25;
  int greatest = INT32_MIN;
  for (const Term& term : terms) {
    if (term.digits != 0) greatest = std::max(greatest, term.exponent);
  }
  if (greatest == INT32_MIN) return {};
  const int unit = greatest - kDigits;
  Term sum = {0, unit, greatest};
  for (const Term& term : terms) {
    const int shift = term.unit - unit;
    const long long size = std::llabs(term.digits);
    const long long cut = shift >= 0 ? size << shift : shift < -62 ? 0 : size >> -shift;
    sum.digits += term.digits < 0 ? -cut : cut;
  }
  return sum;
}
inline bool is_finite_half(unsigned bits) { return (bits & 0x7c00) != 0x7c00; }
inline bool is_finite_bfloat16(unsigned bits) { return (bits & 0x7f80) != 0x7f80; }
/// A sum as a float, cut off.
inline float cut_to_float(const Term& sum) {
  const double whole = std::ldexp(static_cast<double>(sum.digits), sum.unit);  // below 2^53 digits: exact
  const float nearest = static_cast<float>(whole);
  return std::fabs(static_cast<double>(nearest)) > std::fabs(whole) ? std::nextafterf(nearest, 0.0f) : nearest;
}
inline unsigned half_bits(_Float16 x) { return std::bit_cast<std::uint16_t>(x); }
inline float half_value(unsigned bits) {
  return static_cast<float>(std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits)));
}
inline float bfloat16_value(unsigned bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

/// The operands of one lane; c as terms, so that f16 and f32 are one.
struct HalfOperands {
  unsigned a[4];
  unsigned b[2];
};
/// One element of the product of the fragments of a warp. `plain` is a sum in double, which counts where an operand is
/// no finite number.
template <typename TermOf, typename ValueOf, typename IsFinite>
Term matrix_element(const Lanes<HalfOperands>& lanes, unsigned row, unsigned column, const Term& addend, double& plain,
                    bool& is_finite, const TermOf& term, const ValueOf& value, const IsFinite& finite) {
  std::vector<Term> terms = {addend};
  for (unsigned k = 0; k < 16; ++k) {
    const unsigned word = k / 8;
    const unsigned shift = k % 2 * 16;
    const unsigned a = lanes.of[row % 8 * 4 + k % 8 / 2]->a[word * 2 + row / 8] >> shift & 0xffff;
    const unsigned b = lanes.of[column * 4 + k % 8 / 2]->b[word] >> shift & 0xffff;
    terms.push_back(product(term(a), term(b)));
    plain += static_cast<double>(value(a)) * static_cast<double>(value(b));
    is_finite = is_finite && finite(a) && finite(b);
  }
  return aligned_sum(terms);
}

template <typename TermOf, typename ValueOf, typename IsFinite>
void multiply_halves(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2], const TermOf& term,
                     const ValueOf& value, const IsFinite& finite) {
  const HalfOperands own = {{a[0], a[1], a[2], a[3]}, {b[0], b[1]}};
  const Lanes<HalfOperands> lanes = meet_warp(own);
  for (unsigned i = 0; i < 4; ++i) {
    double plain = static_cast<double>(d[i]);
    bool is_finite = std::isfinite(d[i]);
    const Term sum = matrix_element(lanes, lane() / 4 + i / 2 * 8, lane() % 4 * 2 + i % 2,
                                    is_finite ? float_term(d[i]) : Term(), plain, is_finite, term, value, finite);
    d[i] = is_finite ? cut_to_float(sum) : static_cast<float>(plain);
  }
  leave_warp();
}

/// Words of 8 x 8 matrices from rows whose addresses all lanes give.
inline void load_matrices(unsigned* r, unsigned count, const void* row, bool is_transposed) {
  const Lanes<const void*> lanes = meet_warp(row);
  for (unsigned m = 0; m < count; ++m) {
    for (unsigned i = 0; i < 8; ++i) {
      if (reinterpret_cast<std::uintptr_t>(*lanes.of[m * 8 + i]) % 16 != 0) diverged = true;
    }
    const unsigned major = lane() / 4;
    const unsigned minor = lane() % 4 * 2;
    unsigned word = 0;
    for (unsigned i = 0; i < 2 && !diverged; ++i) {
      const unsigned line = is_transposed ? minor + i : major;
      const unsigned column = is_transposed ? major : minor + i;
      std::uint16_t half = 0;
      std::memcpy(&half, static_cast<const unsigned char*>(*lanes.of[m * 8 + line]) + column * 2, sizeof half);
      word |= static_cast<unsigned>(half) << (16 * i);
    }
    r[m] = word;
  }
  leave_warp();
}

struct DoubleOperands {
  double a[8];
  double b[4];
};
/// Sums of doubles are fused multiply-adds in the order of k.
inline void multiply_doubles(double* d, unsigned rows, unsigned steps, const DoubleOperands& own) {
  const Lanes<DoubleOperands> lanes = meet_warp(own);
  for (unsigned i = 0; i < rows / 4; ++i) {
    const unsigned row = lane() / 4;
    const unsigned column = lane() % 4 * 2 + i % 2;
    for (unsigned k = 0; k < steps * 4; ++k) {
      d[i] = std::fma(lanes.of[row * 4 + k % 4]->a[k / 4 * 2 + i / 2], lanes.of[column * 4 + k % 4]->b[k / 4], d[i]);
    }
  }
  leave_warp();
}

}  // namespace emulation

template <typename T>
T __shfl_xor_sync(unsigned, T value, unsigned distance) {
  const auto lanes = emulation::meet_warp(value);
  const T out = *lanes.of[emulation::lane() ^ distance];
  emulation::leave_warp();
  return out;
}
inline void __syncwarp() {
  (void)emulation::meet_warp('w');
  emulation::leave_warp();
}

inline void stp_mma_f16_f32(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  emulation::multiply_halves(d, a, b, emulation::half_term, emulation::half_value, emulation::is_finite_half);
}
inline void stp_mma_bf16_f32(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  emulation::multiply_halves(d, a, b, emulation::bfloat16_term, emulation::bfloat16_value,
                             emulation::is_finite_bfloat16);
}
inline void stp_mma_f16_f16(unsigned (&d)[2], const unsigned (&a)[4], const unsigned (&b)[2]) {
  using namespace emulation;
  const HalfOperands own = {{a[0], a[1], a[2], a[3]}, {b[0], b[1]}};
  const Lanes<HalfOperands> lanes = meet_warp(own);
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned old = d[i / 2] >> (i % 2 * 16) & 0xffff;
    double plain = static_cast<double>(half_value(old));
    bool is_finite = is_finite_half(old);
    const Term sum = matrix_element(lanes, lane() / 4 + i / 2 * 8, lane() % 4 * 2 + i % 2, half_term(old), plain,
                                    is_finite, half_term, half_value, is_finite_half);
    const double exact = is_finite ? std::ldexp(static_cast<double>(sum.digits), sum.unit) : plain;
    d[i / 2] = (d[i / 2] & ~(0xffffu << (i % 2 * 16))) | half_bits(static_cast<_Float16>(exact)) << (i % 2 * 16);
  }
  leave_warp();
}
inline void stp_mma_f64_8x8x4(double& d0, double& d1, double a, double b) {
  double d[2] = {d0, d1};
  emulation::multiply_doubles(d, 8, 1, {{a}, {b}});
  d0 = d[0];
  d1 = d[1];
}
inline void stp_mma_f64_16x8x16(double (&d)[4], const double (&a)[8], const double (&b)[4]) {
  emulation::DoubleOperands own;
  std::copy(std::begin(a), std::end(a), own.a);
  std::copy(std::begin(b), std::end(b), own.b);
  emulation::multiply_doubles(d, 16, 4, own);
}

template <unsigned kCount>
void stp_ldmatrix(unsigned (&r)[kCount], const void* row) {
  emulation::load_matrices(r, kCount, row, false);
}
template <unsigned kCount>
void stp_ldmatrix_transposed(unsigned (&r)[kCount], const void* row) {
  emulation::load_matrices(r, kCount, row, true);
}

/// Until it arrives the target holds what no program means.
template <int kBytes>
void stp_copy_ahead(void* to, const void* from, bool is_wanted = true) {
  using namespace emulation;
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16);
  const bool is_aligned =
      reinterpret_cast<std::uintptr_t>(to) % kBytes == 0 && reinterpret_cast<std::uintptr_t>(from) % kBytes == 0;
  if (!is_aligned) diverged = true;
  std::memset(to, 0xee, kBytes);
  current->copies.push_back({to, is_wanted ? from : nullptr, kBytes, current->groups});
}
inline void stp_copies_close() { ++emulation::current->groups; }
template <int kRest>
void stp_copies_wait() {
  using namespace emulation;
  std::erase_if(current->copies, [](const Copy& copy) {
    if (copy.group + kRest >= current->groups) return false;
    if (copy.from) {
      std::memcpy(copy.to, copy.from, copy.bytes);
    } else {
      std::memset(copy.to, 0, copy.bytes);
    }
    return true;
  });
}
