#include "steptp/llvm/lower.h"

namespace steptp::llvm_ir {

/// Longer than a screen, because it is one text in another language.
/// Quotient and remainder of reals as the oracle has them; conversions that round once, by rounding to odd on the way.
std::string_view helper_text() {
  return R"(
declare double @exp(double)
declare double @log(double)
declare double @erf(double)
declare double @tanh(double)
declare double @sin(double)
declare double @cos(double)
declare double @pow(double, double)
declare double @llvm.sqrt.f64(double)
declare float @llvm.sqrt.f32(float)
declare double @llvm.fabs.f64(double)
declare float @llvm.fabs.f32(float)
declare double @llvm.floor.f64(double)
declare float @llvm.floor.f32(float)
declare double @llvm.ceil.f64(double)
declare float @llvm.ceil.f32(float)
declare double @llvm.roundeven.f64(double)
declare float @llvm.roundeven.f32(float)
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.copysign.f64(double, double)
declare i64 @llvm.fptosi.sat.i64.f64(double)
declare i64 @llvm.fptosi.sat.i64.f32(float)
declare i32 @llvm.fptosi.sat.i32.f64(double)
declare i32 @llvm.fptosi.sat.i32.f32(float)
declare i16 @llvm.fptosi.sat.i16.f64(double)
declare i16 @llvm.fptosi.sat.i16.f32(float)
declare i8 @llvm.fptosi.sat.i8.f64(double)
declare i8 @llvm.fptosi.sat.i8.f32(float)
declare i8 @llvm.fptoui.sat.i8.f64(double)
declare i8 @llvm.fptoui.sat.i8.f32(float)

define internal void @stp_note(ptr %status, i1 %wrong, i32 %what) alwaysinline {
entry:
  br i1 %wrong, label %note, label %done
note:
  store atomic i32 %what, ptr %status monotonic, align 4
  br label %done
done:
  ret void
}

define internal float @stp_from_bf16(i16 %x) alwaysinline {
entry:
  %wide = zext i16 %x to i32
  %bits = shl i32 %wide, 16
  %value = bitcast i32 %bits to float
  ret float %value
}

define internal i16 @stp_to_bf16(float %x) alwaysinline {
entry:
  %bits = bitcast float %x to i32
  %high = lshr i32 %bits, 16
  %odd = and i32 %high, 1
  %bias = add i32 %odd, 32767
  %sum = add i32 %bits, %bias
  %up = lshr i32 %sum, 16
  %nan = fcmp uno float %x, %x
  %chosen = select i1 %nan, i32 32704, i32 %up
  %short = trunc i32 %chosen to i16
  ret i16 %short
}

define internal float @stp_round_bf16(float %x) alwaysinline {
entry:
  %short = call i16 @stp_to_bf16(float %x)
  %value = call float @stp_from_bf16(i16 %short)
  ret float %value
}

define internal float @stp_to_odd(double %x) alwaysinline {
entry:
  %near = fptrunc double %x to float
  %back = fpext float %near to double
  %exact = fcmp ueq double %back, %x
  %bits = bitcast float %near to i32
  %last = and i32 %bits, 1
  %odd = icmp ne i32 %last, 0
  %keep = or i1 %exact, %odd
  %size = call double @llvm.fabs.f64(double %x)
  %rounded = call double @llvm.fabs.f64(double %back)
  %below = fcmp olt double %rounded, %size
  %up = add i32 %bits, 1
  %down = sub i32 %bits, 1
  %other = select i1 %below, i32 %up, i32 %down
  %chosen = select i1 %keep, i32 %bits, i32 %other
  %value = bitcast i32 %chosen to float
  ret float %value
}

define internal double @stp_i64_to_odd(i64 %x) alwaysinline {
entry:
  %exact = sitofp i64 %x to double
  %shifted = ashr i64 %x, 11
  %lost = and i64 %x, 2047
  %some = icmp ne i64 %lost, 0
  %sticky = zext i1 %some to i64
  %odd = or i64 %shifted, %sticky
  %small = sitofp i64 %odd to double
  %scaled = fmul double %small, 2048.0
  %high = icmp sgt i64 %x, 9007199254740992
  %low = icmp slt i64 %x, -9007199254740992
  %large = or i1 %high, %low
  %value = select i1 %large, double %scaled, double %exact
  ret double %value
}

define internal double @stp_floor_divide(double %a, double %b) {
entry:
  %quotient = fdiv double %a, %b
  %difference = fsub double %a, %a
  %infinite = fcmp une double %difference, 0.0
  %nan_b = fcmp uno double %b, %b
  %bad = or i1 %infinite, %nan_b
  br i1 %bad, label %nan, label %finite
nan:
  ret double 0x7FF8000000000000
finite:
  %zero_a = fcmp oeq double %a, 0.0
  %zero_b = fcmp oeq double %b, 0.0
  %plain = or i1 %zero_a, %zero_b
  br i1 %plain, label %as_is, label %real
as_is:
  ret double %quotient
real:
  %negative_a = fcmp olt double %a, 0.0
  %negative_b = fcmp olt double %b, 0.0
  %negative = xor i1 %negative_a, %negative_b
  %vanished = fcmp oeq double %quotient, 0.0
  br i1 %vanished, label %tiny, label %usual
tiny:
  %least = select i1 %negative, double -1.0, double 0.0
  ret double %least
usual:
  %below = call double @llvm.floor.f64(double %quotient)
  %whole = fcmp oeq double %below, %quotient
  %minus = fneg double %quotient
  %rest = call double @llvm.fma.f64(double %minus, double %b, double %a)
  %some = fcmp one double %rest, 0.0
  %negative_rest = fcmp olt double %rest, 0.0
  %sides = xor i1 %negative_rest, %negative_b
  %over = and i1 %some, %sides
  %move = and i1 %whole, %over
  %less = fsub double %below, 1.0
  %value = select i1 %move, double %less, double %below
  ret double %value
}

define internal double @stp_modulo(double %a, double %b) {
entry:
  %rest = frem double %a, %b
  %zero = fcmp oeq double %rest, 0.0
  br i1 %zero, label %none, label %some
none:
  %signed = call double @llvm.copysign.f64(double 0.0, double %b)
  ret double %signed
some:
  %negative_rest = fcmp olt double %rest, 0.0
  %negative_b = fcmp olt double %b, 0.0
  %sides = xor i1 %negative_rest, %negative_b
  %moved = fadd double %rest, %b
  %value = select i1 %sides, double %moved, double %rest
  ret double %value
}
)";
}

}  // namespace steptp::llvm_ir
