// Elementwise operators and reductions that are put together out of others.
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "steptp/base/text.h"
#include "steptp/import/pt2_composite.h"
#include "steptp/ir/dtype_facts.h"

namespace steptp::graph::pt2 {

namespace {

using Values = std::vector<Value>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Values clip(const Composer& c) {
  const bool tensors = c.imported().op.ends_with("Tensor");
  const auto bound = [&](std::string_view name) { return c.has(name) ? c.operand(name) : Argument(); };
  return {c.call(tensors ? "clamp.Tensor" : "clamp.default", {c.tensor("self"), bound("min"), bound("max")})};
}
Values clamp_below(const Composer& c) { return {c.call("maximum.default", {c.tensor("self"), c.tensor("min")})}; }
Values clamp_above(const Composer& c) { return {c.call("minimum.default", {c.tensor("self"), c.tensor("max")})}; }

Values exclusive_or(const Composer& c) {
  const Value self = c.tensor("self");
  const Argument other = c.operand("other");
  if (c.type(self).dtype != DType::boolean) c.fail("bits of integers are not supported, only bools");
  return {c.call(std::holds_alternative<Value>(other) ? "ne.Tensor" : "ne.Scalar", {self, other})};
}

std::int64_t power_of_two(const Composer& c) {
  const std::int64_t bits = c.integer("other", 0);
  if (bits < 0 || bits > 62) c.fail(concat("a shift by ", bits, " is not supported"));
  return std::int64_t{1} << bits;
}
Values shift_left(const Composer& c) { return {c.mul(c.tensor("self"), power_of_two(c))}; }
Values shift_right(const Composer& c) { return {c.call("floor_divide.default", {c.tensor("self"), power_of_two(c)})}; }

Values fraction(const Composer& c) {
  const Value self = c.tensor("self");
  return {c.sub(self, c.apply("trunc.default", self))};
}
Values hypot(const Composer& c) {
  const auto square = [&](std::string_view name) { return c.apply("square.default", c.tensor(name)); };
  return {c.apply("sqrt.default", c.add(square("self"), square("other")))};
}
Values erfc(const Composer& c) { return {c.call("rsub.Scalar", {c.apply("erf.default", c.tensor("self")), 1.0})}; }

Values asinh(const Composer& c) {
  const Value self = c.tensor("self");
  const Value size = c.apply("abs.default", self);
  const Value root = c.apply("sqrt.default", c.add(c.apply("square.default", self), 1.0));
  return {c.mul(c.apply("sign.default", self), c.apply("log.default", c.add(size, root)))};
}
Values acosh(const Composer& c) {
  const Value self = c.tensor("self");
  const Value root = c.apply("sqrt.default", c.sub(c.apply("square.default", self), 1.0));
  return {c.apply("log.default", c.add(self, root))};
}
Values atanh(const Composer& c) {
  const Value self = c.tensor("self");
  const Value ratio = c.div(c.add(self, 1.0), c.call("rsub.Scalar", {self, 1.0}));
  return {c.mul(c.apply("log.default", ratio), 0.5)};
}

/// The larger one plus log(1 + exp(-distance)), so that nothing overflows.
Values log_of_sum(const Composer& c, double base) {
  const Value self = c.tensor("self");
  const Value other = c.tensor("other");
  const Value distance = c.apply("abs.default", c.sub(self, other));
  const Value small = c.apply("exp.default", c.mul(distance, -base));
  const Value rest = c.div(c.apply("log.default", c.add(small, 1.0)), base);
  return {c.add(c.call("maximum.default", {self, other}), rest)};
}
Values logaddexp(const Composer& c) { return log_of_sum(c, 1); }
Values logaddexp2(const Composer& c) { return log_of_sum(c, std::numbers::ln2); }

Values xlogy(const Composer& c) {
  const Value self = c.tensor("self");
  const Value product = c.mul(self, c.apply("log.default", c.tensor("other")));
  return {c.where(c.call("eq.Scalar", {self, 0.0}), 0.0, product)};
}
Values entropy(const Composer& c) {
  const Value self = c.tensor("self");
  const Value product = c.apply("neg.default", c.mul(self, c.apply("log.default", self)));
  const Value outside = c.where(c.call("eq.Scalar", {self, 0.0}), 0.0, product);
  return {c.where(c.call("lt.Scalar", {self, 0.0}), -kInfinity, outside)};
}
Values normal_distribution(const Composer& c) {
  const Value scaled = c.mul(c.tensor("self"), std::numbers::sqrt2 / 2);
  return {c.mul(c.add(c.apply("erf.default", scaled), 1.0), 0.5)};
}
Values expit(const Composer& c) { return {c.apply("sigmoid.default", c.tensor("self"))}; }

Values logit(const Composer& c) {
  Value self = c.tensor("self");
  if (c.has("eps")) self = c.call("clamp.default", {self, c.real("eps", 0), 1 - c.real("eps", 0)});
  return {c.apply("log.default", c.div(self, c.call("rsub.Scalar", {self, 1.0})))};
}
Values sinc(const Composer& c) {
  const Value self = c.tensor("self");
  const Value scaled = c.mul(self, std::numbers::pi);
  return {c.where(c.call("eq.Scalar", {self, 0.0}), 1.0, c.div(c.apply("sin.default", scaled), scaled))};
}
Values heaviside(const Composer& c) {
  const Value self = c.tensor("self");
  const Value step = c.call("to.dtype", {c.call("gt.Scalar", {self, 0.0}), c.type(self).dtype});
  return {c.where(c.call("eq.Scalar", {self, 0.0}), c.tensor("values"), step)};
}
Values lerp(const Composer& c) {
  const Value self = c.tensor("self");
  return {c.add(self, c.mul(c.tensor("weight"), c.sub(c.tensor("end"), self)))};
}
Values round_decimals(const Composer& c) {
  const double scale = std::pow(10.0, static_cast<double>(c.integer("decimals", 0)));
  return {c.div(c.apply("round.default", c.mul(c.tensor("self"), scale)), scale)};
}
Values sign(const Composer& c) { return {c.apply("sign.default", c.tensor("self"))}; }
Values same(const Composer& c) { return {c.apply("clone.default", c.tensor("self"))}; }
Values degrees(const Composer& c) { return {c.mul(c.tensor("self"), 180 / std::numbers::pi)}; }
Values radians(const Composer& c) { return {c.mul(c.tensor("self"), std::numbers::pi / 180)}; }

Values is_finite(const Composer& c) {
  const Value self = c.tensor("self");
  const Value wild = c.call("logical_or.default", {c.apply("isnan.default", self), c.apply("isinf.default", self)});
  return {c.apply("logical_not.default", wild)};
}

/// The greatest finite number stands for infinity unless another one is given.
Values nan_to_num(const Composer& c) {
  const Value self = c.tensor("self");
  if (!is_float(c.type(self).dtype)) return {c.apply("clone.default", self)};
  const double most = greatest_finite(c.type(self).dtype);
  const Value high = c.where(c.call("eq.Scalar", {self, kInfinity}), c.real("posinf", most), self);
  const Value low = c.where(c.call("eq.Scalar", {self, -kInfinity}), c.real("neginf", -most), high);
  return {c.where(c.apply("isnan.default", self), c.real("nan", 0), low)};
}

/// Where one of them is not a number, the other one counts.
Values larger_number(const Composer& c, std::string_view op) {
  const Value self = c.tensor("self");
  const Value other = c.tensor("other");
  const Value second = c.where(c.apply("isnan.default", other), self, c.call(op, {self, other}));
  return {c.where(c.apply("isnan.default", self), other, second)};
}
Values fmax(const Composer& c) { return larger_number(c, "maximum.default"); }
Values fmin(const Composer& c) { return larger_number(c, "minimum.default"); }

// Reductions

std::vector<std::int64_t> all_dimensions(const Composer& c, const Value& x) {
  std::vector<std::int64_t> out = c.integers("dim");
  if (!out.empty()) return out;
  out.resize(c.rank(x));
  std::iota(out.begin(), out.end(), 0);
  return out;
}
Values count_nonzero(const Composer& c) {
  const Value self = c.tensor("self");
  return {c.call("sum.dim_IntList", {c.call("ne.Scalar", {self, std::int64_t{0}}), all_dimensions(c, self), false})};
}
Value without_nan(const Composer& c, const Value& self) { return c.where(c.apply("isnan.default", self), 0.0, self); }
Values nansum(const Composer& c) {
  const Value self = c.tensor("self");
  return {c.call("sum.dim_IntList", {without_nan(c, self), all_dimensions(c, self), c.flag("keepdim", false)})};
}
Values nanmean(const Composer& c) {
  const Value self = c.tensor("self");
  const Value number = c.apply("logical_not.default", c.apply("isnan.default", self));
  return {
      c.div(nansum(c).front(), c.call("sum.dim_IntList", {number, all_dimensions(c, self), c.flag("keepdim", false)}))};
}
Values aminmax(const Composer& c) {
  const Value self = c.tensor("self");
  const std::vector<Argument> arguments = {self, all_dimensions(c, self), c.flag("keepdim", false)};
  return {c.call("amin.default", arguments), c.call("amax.default", arguments)};
}
Values truth_of_dimensions(const Composer& c) {
  const Value self = c.tensor("self");
  const bool any = c.imported().op.starts_with("aten.any");
  const Value flags = c.call("to.dtype", {c.call("ne.Scalar", {self, std::int64_t{0}}), DType::i64});
  const Value folded =
      c.call(any ? "amax.default" : "amin.default", {flags, all_dimensions(c, self), c.flag("keepdim", false)});
  return {c.call("ne.Scalar", {folded, std::int64_t{0}})};
}
/// How many of the boundaries an element has passed.
Values bucketize(const Composer& c) {
  const Value wide = c.call("unsqueeze.default", {c.tensor("self"), std::int64_t{-1}});
  const Value passed = c.call(c.flag("right", false) ? "le.Tensor" : "lt.Tensor", {c.tensor("boundaries"), wide});
  return {c.call("sum.dim_IntList", {passed, Shape{-1}})};
}
Values distance(const Composer& c) {
  return {c.call("linalg_vector_norm.default", {c.sub(c.tensor("self"), c.tensor("other")), c.real("p", 2)})};
}
/// A vector's norm; those of matrices that are more than the root of all squares are not here.
Values norm(const Composer& c) {
  const Value self = c.tensor("self");
  const std::vector<std::int64_t> dims = c.integers("dim");
  if (c.has("ord") && (dims.size() > 1 || (dims.empty() && c.rank(self) != 1)))
    c.fail("a norm of matrices is not supported");
  return {c.call("linalg_vector_norm.default",
                 {self, c.real("ord", 2), all_dimensions(c, self), c.flag("keepdim", false)})};
}
Values median(const Composer& c) {
  return {c.call("median.dim", {c.reshape(c.tensor("self"), {-1}), std::int64_t{0}})};
}

/// Without a correction the old way says whether the divisor is one less.
std::vector<Argument> variance_arguments(const Composer& c) {
  const Value self = c.tensor("self");
  const Argument correction =
      c.has("correction") ? c.operand("correction") : Argument(c.flag("unbiased", true) ? 1.0 : 0.0);
  return {self, all_dimensions(c, self), correction, c.flag("keepdim", false)};
}
Values var_mean(const Composer& c) { return c.call_all("var_mean.correction", variance_arguments(c)); }
Values std_mean(const Composer& c) {
  Values out = var_mean(c);
  out.front() = c.apply("sqrt.default", out.front());
  return out;
}

Values differences(const Composer& c) {
  Value x = c.tensor("self");
  if (c.has("prepend") || c.has("append")) c.fail("'prepend' and 'append' are not supported");
  const std::int64_t dim = c.dimension("dim", -1, x);
  for (std::int64_t times = c.integer("n", 1); times > 0; --times) {
    const std::int64_t extent = c.shape(x)[static_cast<std::size_t>(dim)];
    x = c.sub(c.call("slice.Tensor", {x, dim, std::int64_t{1}, extent}),
              c.call("slice.Tensor", {x, dim, std::int64_t{0}, extent - 1}));
  }
  return {x};
}

constexpr std::array kRows = {
    CompositeRow{"clip.default", clip},
    CompositeRow{"clip.Tensor", clip},
    CompositeRow{"clamp_min.Tensor", clamp_below},
    CompositeRow{"clamp_max.Tensor", clamp_above},
    CompositeRow{"__xor__.Tensor", exclusive_or},
    CompositeRow{"bitwise_xor.Tensor", exclusive_or},
    CompositeRow{"__lshift__.Scalar", shift_left},
    CompositeRow{"bitwise_left_shift.Tensor_Scalar", shift_left},
    CompositeRow{"__rshift__.Scalar", shift_right},
    CompositeRow{"bitwise_right_shift.Tensor_Scalar", shift_right},
    CompositeRow{"frac.default", fraction},
    CompositeRow{"hypot.default", hypot},
    CompositeRow{"erfc.default", erfc},
    CompositeRow{"special_erfc.default", erfc},
    CompositeRow{"asinh.default", asinh},
    CompositeRow{"arcsinh.default", asinh},
    CompositeRow{"acosh.default", acosh},
    CompositeRow{"arccosh.default", acosh},
    CompositeRow{"atanh.default", atanh},
    CompositeRow{"arctanh.default", atanh},
    CompositeRow{"logaddexp.default", logaddexp},
    CompositeRow{"logaddexp2.default", logaddexp2},
    CompositeRow{"xlogy.Tensor", xlogy},
    CompositeRow{"special_entr.default", entropy},
    CompositeRow{"special_ndtr.default", normal_distribution},
    CompositeRow{"special_expit.default", expit},
    CompositeRow{"logit.default", logit},
    CompositeRow{"special_logit.default", logit},
    CompositeRow{"sinc.default", sinc},
    CompositeRow{"special_sinc.default", sinc},
    CompositeRow{"heaviside.default", heaviside},
    CompositeRow{"lerp.Tensor", lerp},
    CompositeRow{"round.decimals", round_decimals},
    CompositeRow{"sgn.default", sign},
    CompositeRow{"positive.default", same},
    CompositeRow{"rad2deg.default", degrees},
    CompositeRow{"deg2rad.default", radians},
    CompositeRow{"isfinite.default", is_finite},
    CompositeRow{"nan_to_num.default", nan_to_num},
    CompositeRow{"fmax.default", fmax},
    CompositeRow{"fmin.default", fmin},
    CompositeRow{"count_nonzero.default", count_nonzero},
    CompositeRow{"count_nonzero.dim_IntList", count_nonzero},
    CompositeRow{"nansum.default", nansum},
    CompositeRow{"nanmean.default", nanmean},
    CompositeRow{"aminmax.default", aminmax},
    CompositeRow{"any.dims", truth_of_dimensions},
    CompositeRow{"all.dims", truth_of_dimensions},
    CompositeRow{"median.default", median},
    CompositeRow{"var_mean.default", var_mean},
    CompositeRow{"var_mean.dim", var_mean},
    CompositeRow{"std_mean.default", std_mean},
    CompositeRow{"std_mean.dim", std_mean},
    CompositeRow{"std_mean.correction", std_mean},
    CompositeRow{"diff.default", differences},
    CompositeRow{"bucketize.Tensor", bucketize},
    CompositeRow{"dist.default", distance},
    CompositeRow{"linalg_norm.default", norm},
};

}  // namespace

std::span<const CompositeRow> pointwise_composites() { return kRows; }

}  // namespace steptp::graph::pt2
