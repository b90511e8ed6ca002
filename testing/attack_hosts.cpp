#include "testing/attack_hosts.h"

#include <cmath>

#include "steptp/base/text.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "testing/generator_context.h"
#include "testing/tree_editor.h"

namespace steptp::testing {

namespace {

using Op = ArithmeticOp;

ExprPtr add(ExprPtr a, ExprPtr b) { return make_sum(std::move(a), Op::add, std::move(b)); }
ExprPtr sub(ExprPtr a, ExprPtr b) { return make_sum(std::move(a), Op::subtract, std::move(b)); }
ExprPtr mul(ExprPtr a, ExprPtr b) { return make_product(std::move(a), Op::multiply, std::move(b)); }
ExprPtr div(ExprPtr a, ExprPtr b) { return make_product(std::move(a), Op::divide, std::move(b)); }
ExprPtr call(Function function, ExprPtr a) { return make_call(function, std::move(a)); }
ExprPtr whole(std::int64_t value) { return integer_literal(value); }
/// Negative literals are a sign and a number.
ExprPtr number(double value) { return value < 0 ? call(Function::negate, real_literal(-value)) : real_literal(value); }
ExprPtr extremum(bool is_max, ExprPtr a, ExprPtr b) { return make_expr(Extremum{is_max, std::move(a), std::move(b)}); }
ExprPtr data_minus_constant(const HostSite& site) {
  if (site.data_value == 0) return site.data;
  return site.data_value < 0 ? add(site.data, real_literal(-site.data_value))
                             : sub(site.data, real_literal(site.data_value));
}

/// Another value than e.
ExprPtr different_value(const HostSite& site, Random& random) {
  const ExprPtr& e = site.target;
  switch (random.below(4)) {
    case 0: return add(e, whole(1));
    case 1: return mul(e, whole(2));
    case 2: return call(Function::negate, e);
    default: return site.target_is_float ? add(e, number(1e-20)) : sub(e, whole(3));
  }
}

std::optional<Program> by_index(const HostSite& site, Random& random) {
  const ExprPtr condition = index_condition(site, random);
  if (!condition) return std::nullopt;
  return with_target(site, select(condition, different_value(site, random), site.target));
}

std::optional<Program> by_value(const HostSite& site, Random& random) {
  if (!site.data) return std::nullopt;
  const ExprPtr constant = number(site.data_value);
  const ExprPtr& e = site.target;
  switch (random.below(4)) {
    case 0:
      return with_target(site,
                         select(compare_two(site.data, CompareOp::equal, constant), different_value(site, random), e));
    case 1:
      return with_target(
          site, add(e, extremum(true, sub(whole(1), mul(call(Function::abs, data_minus_constant(site)), whole(4096))),
                                whole(0))));
    case 2: {
      const ExprPtr above = compare_two(site.data, CompareOp::greater, constant);
      const ExprPtr below = compare_two(site.data, CompareOp::less, constant);
      return with_target(site, select(above, e, select(below, e, different_value(site, random))));
    }
    default:
      if (!site.target_is_exact || !site.target_is_float) return std::nullopt;
      return with_target(site, select(compare_two(e, CompareOp::equal, number(site.target_value.get_d())),
                                      different_value(site, random), e));
  }
}

std::optional<Program> by_pole(const HostSite& site, Random& random) {
  if (!site.data || !site.target_is_float) return std::nullopt;
  const ExprPtr& e = site.target;
  const ExprPtr zero = data_minus_constant(site);
  switch (random.below(7)) {
    case 0: return with_target(site, div(mul(e, zero), zero));
    case 1: return with_target(site, mul(div(e, zero), zero));
    case 2: return with_target(site, add(e, div(whole(0), zero)));
    case 3: return with_target(site, add(e, mul(whole(0), call(Function::rsqrt, call(Function::abs, zero)))));
    case 4: return with_target(site, add(e, mul(whole(0), call(Function::log, call(Function::abs, zero)))));
    case 5: return with_target(site, mul(mul(e, make_expr(Power{zero, call(Function::negate, whole(1))})), zero));
    default: return with_target(site, add(e, mul(whole(0), make_product(e, Op::modulo, zero))));
  }
}

std::optional<Program> by_nan(const HostSite& site, Random& random) {
  if (!site.data || !site.target_is_float) return std::nullopt;
  const ExprPtr& e = site.target;
  const ExprPtr negative =
      sub(data_minus_constant(site), number(std::ldexp(1.0, static_cast<int>(random.between(-8, 4)))));
  const ExprPtr nan = call(random.chance(1, 2) ? Function::log : Function::sqrt, negative);
  switch (random.below(3)) {
    case 0: return with_target(site, add(e, mul(whole(0), nan)));
    case 1: return with_target(site, sub(add(e, nan), nan));
    default: return with_target(site, add(e, mul(nan, sub(e, e))));
  }
}

std::optional<Program> by_saturation(const HostSite& site, Random& random) {
  if (!site.target_is_float) return std::nullopt;
  const ExprPtr& e = site.target;
  const ExprPtr positive = site.data ? call(Function::abs, site.data) : whole(1);
  const ExprPtr far = add(whole(random.between(200, 900)), positive);
  switch (random.below(4)) {
    case 0: return with_target(site, mul(e, call(Function::tanh, far)));
    case 1: return with_target(site, add(e, call(Function::exp, call(Function::negate, far))));
    case 2: return with_target(site, mul(e, call(Function::erf, add(whole(30), positive))));
    default: return with_target(site, div(e, add(whole(1), call(Function::exp, call(Function::negate, far)))));
  }
}

std::optional<Program> by_clamp(const HostSite& site, Random& random) {
  if (!site.target_is_exact || !site.target_is_float || site.target_value == 0) return std::nullopt;
  const double value = site.target_value.get_d();
  const bool is_max = value < 0;
  const double bound = random.chance(1, 2) ? value / 2 : value + (is_max ? 1 : -1) / 1024.0;
  return with_target(site, extremum(is_max, site.target, number(bound)));
}

std::optional<Program> by_literal(const HostSite& site, Random& random) {
  const auto* literal = std::get_if<Literal>(&site.target->node);
  if (!literal) return std::nullopt;
  if (literal->is_integer) return with_target(site, whole(literal->integer + (random.chance(1, 2) ? 1 : 2)));
  return with_target(
      site, real_literal(random.chance(1, 2) ? std::nextafter(literal->real, 1e300) : literal->real * 1.0000001));
}

/// Reads the neighbour at this one execution.
std::optional<Program> by_subscript(const HostSite& site, Random& random) {
  const auto* read = std::get_if<Read>(&site.target->node);
  if (!read || read->ref->subscripts.empty()) return std::nullopt;
  Reals reals;
  Meaning meaning(site.program, site.inputs, reals);
  const auto values = meaning.subscripts_at(site.instance, *read->ref);
  if (!values) return std::nullopt;
  std::vector<Index> subscripts = read->ref->subscripts;
  const std::size_t at = random.below(subscripts.size());
  const auto next = Index::add(subscripts[at], Index::constant((*values)[at] > 0 ? -1 : 1));
  if (!next) return std::nullopt;
  subscripts[at] = *next;
  const ExprPtr neighbour =
      read_expr(make_ref(read->ref->tensor, read->ref->dtype, read->ref->scope, std::move(subscripts)));
  const ExprPtr condition = execution_condition(site);
  if (!condition) return std::nullopt;
  return with_target(site, select(condition, neighbour, site.target));
}

/// The nest that holds the equation alone, with its last loop one shorter.
NestPtr shortened(const NestPtr& nest, const EquationPtr& equation) {
  std::vector<Loop> loops = nest->loops;
  std::vector<Item> items = nest->items;
  for (Item& item : items) {
    if (auto* inner = std::get_if<NestPtr>(&item)) {
      *inner = shortened(*inner, equation);
    } else if (std::get<EquationPtr>(item) == equation && items.size() == 1 && !loops.empty() &&
               loops.back().extent > 1) {
      --loops.back().extent;
    }
  }
  return make_nest(std::move(loops), nest->guard, std::move(items));
}

/// Leaves out the last iteration of an accumulation.
std::optional<Program> by_skipping(const HostSite& site, Random&) {
  if (!site.accumulates) return std::nullopt;
  Program out = site.program;
  for (NestPtr& nest : out.nests) nest = shortened(nest, site.equation);
  return out;
}

/// Overwrites the element once more, after the nest that wrote it.
std::optional<Program> by_store(const HostSite& site, Random& random) {
  const Ref& left = *site.equation->left;
  if (left.scope != Scope::global) return std::nullopt;
  Reals reals;
  Meaning meaning(site.program, site.inputs, reals);
  const auto subscripts = meaning.subscripts_at(site.instance, left);
  if (!subscripts) return std::nullopt;
  std::vector<Index> fixed;
  for (const std::int64_t one : *subscripts) fixed.push_back(Index::constant(one));
  const RefPtr element = make_ref(left.tensor, left.dtype, left.scope, std::move(fixed));
  const ExprPtr value = read_expr(element);
  const ExprPtr changed = random.chance(1, 2) ? add(value, whole(1)) : mul(value, whole(2));
  Program out = site.program;
  const auto at = static_cast<std::ptrdiff_t>(site.instance.stamp[0]) + 1;
  out.nests.insert(out.nests.begin() + at,
                   make_nest({Loop{LoopKind::serial, 1, "a"}}, nullptr, {make_equation(element, changed)}));
  return out;
}

/// Keeps an intermediate in another type: integers cut off, narrow integers wrap or saturate.
std::optional<Program> by_narrow_store(const HostSite& site, Random& random) {
  const std::string& tensor = site.equation->left->tensor;
  if (site.program.signature.find(tensor)) return std::nullopt;
  static constexpr DType kNarrow[] = {DType::i64, DType::i32, DType::i16, DType::i8, DType::u8};
  const DType narrow = kNarrow[random.below(std::size(kNarrow))];
  TreeHooks hooks;
  hooks.ref = [&](const RefPtr& ref, bool) {
    return ref->tensor == tensor ? make_ref(ref->tensor, narrow, ref->scope, ref->subscripts) : ref;
  };
  return edit(site.program, hooks);
}

/// The same float tensors with fewer digits.
std::optional<Program> by_precision(const HostSite& site, Random& random) {
  const std::string& tensor = site.equation->left->tensor;
  const DType dtype = site.equation->left->dtype;
  if (site.program.signature.find(tensor) || !is_float(dtype) || !site.data) return std::nullopt;
  for (const Variable& variable : site.program.signature.variables) {
    if (is_float(variable.dtype) && variable.dtype != dtype) return std::nullopt;
  }
  const DType narrow = dtype == DType::f64 ? DType::f32 : random.chance(1, 2) ? DType::bf16 : DType::f16;
  if (info(narrow).precision >= info(dtype).precision) return std::nullopt;
  TreeHooks hooks;
  // What has passed through a narrower type already may lose nothing more.
  bool has_others = false;
  hooks.ref = [&](const RefPtr& ref, bool) {
    has_others |= is_float(ref->dtype) && ref->dtype != dtype;
    return ref->tensor == tensor ? make_ref(ref->tensor, narrow, ref->scope, ref->subscripts) : ref;
  };
  Program changed = edit(site.program, hooks);
  return has_others ? std::nullopt : std::optional(std::move(changed));
}

/// An assumption that dead code would seem to justify.
std::optional<Program> by_absolute(const HostSite& site, Random& random) {
  if (!site.target_is_float) return std::nullopt;
  const ExprPtr& e = site.target;
  switch (random.below(4)) {
    case 0: return with_target(site, call(Function::abs, e));
    case 1: return with_target(site, call(Function::sqrt, mul(e, e)));
    case 2: return with_target(site, call(Function::exp, call(Function::log, e)));
    default: return with_target(site, mul(call(Function::sqrt, e), call(Function::sqrt, e)));
  }
}

using Change = std::optional<Program> (*)(const HostSite&, Random&);

std::optional<Attack> make(const std::string& name, Change change, AttackReason reason, Random& random) {
  auto site = draw_site(random);
  if (!site) return std::nullopt;
  auto changed = change(*site, random);
  if (!changed) return std::nullopt;
  // Through text, as a stranger's program would come.
  Document after = read_program_text("attack", print(*changed, Profile::compact), site->program.signature);
  if (!after.ok || equal_nests(after.program, site->program)) return std::nullopt;
  Attack attack;
  attack.name = concat(name, "/", site->host);
  attack.before = std::move(site->program);
  attack.after = std::move(after.program);
  attack.inputs = std::move(site->inputs);
  attack.elements = {site->element};
  attack.reason = reason;
  return attack;
}

}  // namespace

const std::vector<AttackClass>& host_attacks() {
  static const std::vector<AttackClass> kClasses = [] {
    std::vector<AttackClass> classes;
    const auto add_class = [&](const std::string& name, Change change, AttackReason reason = AttackReason::value) {
      classes.push_back({name, [name, change, reason](Random& random) {
                           // Many draws come to nothing: the element is too dear, or the change does not apply.
                           for (int attempt = 0; attempt < 12; ++attempt) {
                             if (auto made = make(name, change, reason, random)) return made;
                           }
                           return std::optional<Attack>{};
                         }});
    };
    add_class("host index", by_index);
    add_class("host value", by_value);
    add_class("host pole", by_pole);
    add_class("host NaN", by_nan);
    add_class("host saturated", by_saturation);
    add_class("host clamp", by_clamp);
    add_class("host literal", by_literal);
    add_class("host subscript", by_subscript);
    add_class("host skip", by_skipping);
    add_class("host store", by_store);
    add_class("host narrow", by_narrow_store);
    add_class("host precision", by_precision, AttackReason::precision);
    add_class("host absolute", by_absolute);
    return classes;
  }();
  return kClasses;
}

}  // namespace steptp::testing
