// Evaluates formulas at one point. A fold over many rounds whose body depends on inputs alone is added up block by
// block, where all inputs of a block are alike; otherwise round by round, within a budget. This code shares nothing
// with the judge, on purpose.
#include "replay/form_value.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "replay/boxes.h"

namespace steptp::replayer {

namespace {

using Kind = Form::Kind;

/// Nested definitions, sums and recurrences; some kilobytes of stack each.
constexpr int kDeepest = 60'000;
constexpr Wide kLargest = static_cast<Wide>(1) << 100;

FormValue integer_value(Wide value) {
  if (value > kLargest || value < -kLargest) throw Undecided{"an integer of more than 100 bits"};
  return {true, value, {}};
}
FormValue of_real(const Real& value) { return {false, 0, value}; }

Wide floor_of(Wide a, Wide b) {
  const Wide quotient = a / b;
  return quotient - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

/// The leaves of a body that depends on nothing else: variables occur in subscripts of leaves only, and there are no
/// folds. Otherwise nothing.
std::optional<std::vector<const Form*>> leaves_of(const Form& body) {
  std::vector<const Form*> out;
  std::set<const Form*> seen;
  const std::function<bool(const Form&)> walk = [&](const Form& node) {
    if (!seen.insert(&node).second) return true;
    switch (node.kind) {
      case Kind::input:
      case Kind::value: out.push_back(&node); return true;
      case Kind::variable:
      case Kind::fold:
      case Kind::recurrence:
      case Kind::self: return false;
      default: break;
    }
    return std::all_of(node.parts.begin(), node.parts.end(), [&](const FormPtr& part) { return walk(*part); });
  };
  return walk(body) ? std::optional(std::move(out)) : std::nullopt;
}

FormValue identity(ArithmeticOp op) {
  switch (op) {
    case ArithmeticOp::multiply: return integer_value(1);
    case ArithmeticOp::max: return of_real(Numbers::of_class(Class::minus_infinity));
    case ArithmeticOp::min: return of_real(Numbers::of_class(Class::plus_infinity));
    default: return integer_value(0);
  }
}

}  // namespace

void FormEvaluator::spend() {
  if (budget_ == 0) throw Beyond{"the budget of steps is spent"};
  --budget_;
}

Real FormEvaluator::to_real(const FormValue& value) const {
  if (!value.is_integer) return value.real;
  const Wide size = value.integer < 0 ? -value.integer : value.integer;
  const auto high = static_cast<std::int64_t>(size >> 40);
  const auto low = static_cast<std::int64_t>(size & ((static_cast<Wide>(1) << 40) - 1));
  if (high < (std::int64_t{1} << 22)) return numbers_.of_integer(static_cast<std::int64_t>(value.integer));
  const Real joined = numbers_.add(numbers_.of_dyadic(high, 40), numbers_.of_integer(low));
  return value.integer < 0 ? numbers_.negate(joined) : joined;
}

std::int64_t FormEvaluator::index(const Form& form) {
  const FormValue found = value(form);
  if (found.is_integer && found.integer <= INT64_MAX && found.integer >= INT64_MIN) {
    return static_cast<std::int64_t>(found.integer);
  }
  throw Undecided{"a subscript that is not an integer"};
}

std::vector<std::int64_t> FormEvaluator::indices(const Form& form, std::size_t from) {
  std::vector<std::int64_t> out;
  for (std::size_t i = from; i < form.parts.size(); ++i) out.push_back(index(*form.parts[i]));
  return out;
}

FormValue FormEvaluator::rational(const Form& form) const {
  const Real top = numbers_.of_digits(form.numerator);
  if (form.denominator == "1") {
    if (top.error == 0) return integer_value(static_cast<Wide>(top.value));
    return of_real(top);
  }
  return of_real(numbers_.divide(top, numbers_.of_digits(form.denominator)));
}

FormValue FormEvaluator::combined(ArithmeticOp op, const FormValue& a, const FormValue& b) {
  if (a.is_integer && b.is_integer) {
    Wide product = 0;
    switch (op) {
      case ArithmeticOp::add: return integer_value(a.integer + b.integer);
      case ArithmeticOp::multiply:
        // What is too long for integers goes on as a real.
        if (__builtin_mul_overflow(a.integer, b.integer, &product) || product > kLargest || product < -kLargest) break;
        return integer_value(product);
      case ArithmeticOp::max: return a.integer >= b.integer ? a : b;
      case ArithmeticOp::min: return a.integer <= b.integer ? a : b;
      default: break;
    }
  }
  // -inf beside integers is what an empty maximum starts from.
  if (!a.is_integer && !a.real.is_finite() && b.is_integer && (op == ArithmeticOp::max || op == ArithmeticOp::min)) {
    const bool first =
        numbers_.compare(op == ArithmeticOp::max ? CompareOp::greater : CompareOp::less, a.real, to_real(b));
    return first ? a : b;
  }
  return of_real(numbers_.arithmetic(op, to_real(a), to_real(b)));
}

/// Longer than a screen, because it is one switch over all kinds of formulas.
FormValue FormEvaluator::value(const Form& form) {
  spend();
  switch (form.kind) {
    case Kind::number: return rational(form);
    case Kind::infinity: return of_real(Numbers::of_class(Class::plus_infinity));
    case Kind::variable: return integer_value(environment_[static_cast<std::size_t>(form.number)]);
    case Kind::input: return leaves_.input(form.name, indices(form, 0));
    case Kind::value: return of_real(leaves_.value(form.number, indices(form, 0)));
    case Kind::sum: {
      FormValue total = integer_value(0);
      for (std::size_t i = 0; i < form.parts.size(); ++i) {
        FormValue part = value(*form.parts[i]);
        if (form.negated[i]) part = combined(ArithmeticOp::multiply, integer_value(-1), part);
        total = i == 0 ? part : combined(ArithmeticOp::add, total, part);
      }
      return total;
    }
    case Kind::product: {
      FormValue total = integer_value(1);
      for (const FormPtr& part : form.parts) {
        if (part->kind != Kind::inverse) total = combined(ArithmeticOp::multiply, total, value(*part));
      }
      // Divided at the end: 0/0 is no number, 1/0 has no value.
      for (const FormPtr& part : form.parts) {
        if (part->kind == Kind::inverse) total = of_real(numbers_.divide(to_real(total), real(*part->parts[0])));
      }
      return total;
    }
    case Kind::power: {
      FormValue base = value(*form.parts[0]);
      if (!base.is_integer || form.number < 0) return of_real(numbers_.integer_power(to_real(base), form.number));
      FormValue total = integer_value(1);
      for (std::int64_t i = 0; i < form.number; ++i) total = combined(ArithmeticOp::multiply, total, base);
      return total;
    }
    case Kind::call: {
      const FormValue argument = value(*form.parts[0]);
      if (argument.is_integer && form.function == Function::abs) {
        return integer_value(argument.integer < 0 ? -argument.integer : argument.integer);
      }
      return of_real(numbers_.function(form.function, to_real(argument)));
    }
    case Kind::inverse: return of_real(numbers_.divide(numbers_.of_integer(1), real(*form.parts[0])));
    case Kind::max:
    case Kind::min: {
      FormValue total = value(*form.parts[0]);
      for (std::size_t i = 1; i < form.parts.size(); ++i) {
        total = combined(form.kind == Kind::max ? ArithmeticOp::max : ArithmeticOp::min, total, value(*form.parts[i]));
      }
      return total;
    }
    case Kind::real_power: {
      const Real base = real(*form.parts[0]);
      return of_real(numbers_.power(base, real(*form.parts[1])));
    }
    case Kind::select: return value(*form.parts[holds(*form.parts[0]) ? 1 : 2]);
    case Kind::truth: return integer_value(holds(*form.parts[0]) ? 1 : 0);
    case Kind::fold: return fold(form);
    case Kind::recurrence: return recurrence(form, indices(form, 1));
    case Kind::self:
      if (!open_) throw Undecided{"self outside of a recurrence"};
      return recurrence(*open_, indices(form, 0));
    case Kind::quotient:
    case Kind::conversion:
    case Kind::wrapped:
    case Kind::operation: return typed(form);
    default: return integer_value(holds(form) ? 1 : 0);
  }
}

FormValue FormEvaluator::typed(const Form& form) {
  const FormValue first = value(*form.parts[0]);
  if (form.kind == Kind::conversion) {
    if (!first.is_integer) return integer_value(numbers_.to_integer(first.real, form.dtype));
    if (form.dtype == DType::boolean) return integer_value(first.integer != 0 ? 1 : 0);
    const DTypeInfo& type = info(form.dtype);
    return integer_value(first.integer < type.least      ? type.least
                         : first.integer > type.greatest ? type.greatest
                                                         : first.integer);
  }
  if (form.kind == Kind::wrapped) {
    if (!first.is_integer) throw Undecided{"a real number where an integer is wanted"};
    return integer_value(wrapped(first.integer, form.dtype));
  }
  const FormValue second = value(*form.parts[1]);
  if (form.kind == Kind::operation && is_float(form.dtype)) {
    return of_real(numbers_.arithmetic(form.op, to_real(first), to_real(second)));
  }
  if (!first.is_integer || !second.is_integer) throw Undecided{"a real number where an integer is wanted"};
  if (second.integer == 0) throw Undefined{"an integer division by zero"};
  const Wide quotient = floor_of(first.integer, second.integer);
  if (form.kind == Kind::quotient) return integer_value(quotient);
  return integer_value(
      wrapped(form.op == ArithmeticOp::modulo ? first.integer - quotient * second.integer : quotient, form.dtype));
}

FormValue FormEvaluator::fold(const Form& form) {
  Key key{&form, {}};
  for (const std::uint32_t variable : form.free) key.second.push_back(environment_[variable]);
  const bool remembers = !form.reads_self;
  if (remembers) {
    if (const auto known = done_.find(key); known != done_.end()) return known->second;
  }
  if (++depth_ > kDeepest) throw Beyond{"forms nested too deeply"};
  const auto leaves = leaves_.uniform && form.parts.size() == 1 ? leaves_of(*form.parts[0]) : std::nullopt;
  if (leaves) {
    FormValue total = fold_in_blocks(form, *leaves);
    --depth_;
    done_.emplace(std::move(key), total);
    return total;
  }
  FormValue total = identity(form.op);
  bool is_empty = false;
  std::vector<std::int64_t> saved;  // a body may come back here through a recurrence
  for (const Form::Bound& bound : form.bound) {
    saved.push_back(environment_[bound.variable]);
    environment_[bound.variable] = bound.low;
    is_empty |= bound.low > bound.high;
  }
  while (!is_empty) {
    spend();
    bool counts = true;
    for (std::size_t i = 1; counts && i < form.parts.size(); ++i) counts = holds(*form.parts[i]);
    if (counts) total = combined(form.op, total, value(*form.parts[0]));
    std::size_t level = form.bound.size();
    while (level > 0 && environment_[form.bound[level - 1].variable] == form.bound[level - 1].high) {
      environment_[form.bound[level - 1].variable] = form.bound[level - 1].low;
      --level;
    }
    if (level == 0) break;
    ++environment_[form.bound[level - 1].variable];
  }
  for (std::size_t i = 0; i < saved.size(); ++i) environment_[form.bound[i].variable] = saved[i];
  --depth_;
  if (remembers) done_.emplace(std::move(key), total);
  return total;
}

FormValue FormEvaluator::fold_in_blocks(const Form& form, const std::vector<const Form*>& leaves) {
  IndexBox box;
  for (const std::int64_t value : environment_) box.emplace_back(value, value);
  const std::vector<std::int64_t> saved = environment_;
  bool is_empty = false;
  for (const Form::Bound& bound : form.bound) {
    box[bound.variable] = {bound.low, bound.high};
    is_empty |= bound.low > bound.high;
  }
  std::optional<FormValue> total;
  if (!is_empty) add_block(form, leaves, std::move(box), total);
  environment_ = saved;
  return total ? *total : identity(form.op);
}

void FormEvaluator::add_block(const Form& form, const std::vector<const Form*>& leaves, IndexBox box,
                              std::optional<FormValue>& total) {
  spend();
  std::int64_t count = 1;
  std::uint32_t widest = form.bound.empty() ? 0 : form.bound[0].variable;
  for (const Form::Bound& bound : form.bound) {
    const Range& range = box[bound.variable];
    count *= range.second - range.first + 1;
    if (range.second - range.first > box[widest].second - box[widest].first) widest = bound.variable;
  }
  if (count == 1 || is_uniform(leaves, box)) {
    for (const Form::Bound& bound : form.bound) environment_[bound.variable] = box[bound.variable].first;
    const FormValue term = repeated(form.op, value(*form.parts[0]), count);
    total = total ? combined(form.op, *total, term) : term;
    return;
  }
  const auto [low, high] = box[widest];
  const std::int64_t middle = low + (high - low) / 2;
  box[widest] = {low, middle};
  add_block(form, leaves, box, total);
  box[widest] = {middle + 1, high};
  add_block(form, leaves, std::move(box), total);
}

bool FormEvaluator::is_uniform(const std::vector<const Form*>& leaves, const IndexBox& box) const {
  return std::all_of(leaves.begin(), leaves.end(), [&](const Form* leaf) {
    IndexBox elements;
    for (const FormPtr& subscript : leaf->parts) {
      const auto range = range_on(*subscript, box);
      if (!range) return false;
      elements.push_back(*range);
    }
    return leaf->kind == Kind::input ? leaves_.uniform->input(leaf->name, elements)
                                     : leaves_.uniform->value(leaf->number, elements);
  });
}

FormValue FormEvaluator::repeated(ArithmeticOp op, const FormValue& term, std::int64_t count) {
  if (op == ArithmeticOp::add) return combined(ArithmeticOp::multiply, integer_value(count), term);
  if (op == ArithmeticOp::multiply) return of_real(numbers_.integer_power(to_real(term), count));
  return term;
}

FormValue FormEvaluator::recurrence(const Form& form, std::vector<std::int64_t> arguments) {
  const Key key{&form, std::move(arguments)};
  const bool asks_for_rounds = form.struck && open_ != &form;
  if (const auto known = done_.find(key); known != done_.end()) {
    if (asks_for_rounds) return integer_value(struck_.contains(key) ? 1 : 0);
    is_struck_ |= struck_.contains(key);
    return known->second;
  }
  if (++depth_ > kDeepest) throw Beyond{"a recurrence of too many rounds"};
  std::vector<std::int64_t> saved;
  for (std::size_t i = 0; i < form.bound.size(); ++i) {
    saved.push_back(environment_[form.bound[i].variable]);
    environment_[form.bound[i].variable] = key.second[i];
  }
  const Form* outer = open_;
  open_ = &form;
  const bool was_struck = std::exchange(is_struck_, false);
  const FormValue result = form.struck ? round_of(form) : value(*form.parts[0]);
  open_ = outer;
  for (std::size_t i = 0; i < form.bound.size(); ++i) environment_[form.bound[i].variable] = saved[i];
  --depth_;
  const bool struck = is_struck_;
  if (struck) struck_.insert(key);
  is_struck_ = was_struck || (struck && !asks_for_rounds);
  done_.emplace(key, result);
  return asks_for_rounds ? integer_value(struck ? 1 : 0) : result;
}

/// One round of a recurrence of which is asked whether some round has no value.
FormValue FormEvaluator::round_of(const Form& form) {
  try {
    const FormValue here = value(*form.struck);
    is_struck_ |= here.is_integer ? here.integer != 0 : numbers_.sign(here.real) != 0;
    return value(*form.parts[0]);
  } catch (const Undefined&) {
    is_struck_ = true;
    return integer_value(0);
  }
}

bool FormEvaluator::holds(const Form& condition) {
  switch (condition.kind) {
    case Kind::always: return true;
    case Kind::never: return false;
    case Kind::negation: return !holds(*condition.parts[0]);
    case Kind::conjunction:
      for (const FormPtr& part : condition.parts) {
        if (!holds(*part)) return false;
      }
      return true;
    case Kind::disjunction:
      for (const FormPtr& part : condition.parts) {
        if (holds(*part)) return true;
      }
      return false;
    default: break;
  }
  const FormValue left = value(*condition.parts[0]);
  if (condition.kind == Kind::nonnegative || condition.kind == Kind::zero || condition.kind == Kind::boolean) {
    if (!left.is_integer) throw Undecided{"a real number where an integer is wanted"};
    if (condition.kind == Kind::nonnegative) return left.integer >= 0;
    return (left.integer == 0) == (condition.kind == Kind::zero);
  }
  const FormValue right = value(*condition.parts[1]);
  if (left.is_integer && right.is_integer) {
    if (condition.kind == Kind::less) return left.integer < right.integer;
    return condition.kind == Kind::equal ? left.integer == right.integer : left.integer <= right.integer;
  }
  const CompareOp op = condition.kind == Kind::less    ? CompareOp::less
                       : condition.kind == Kind::equal ? CompareOp::equal
                                                       : CompareOp::less_equal;
  return numbers_.compare(op, to_real(left), to_real(right));
}

}  // namespace steptp::replayer
