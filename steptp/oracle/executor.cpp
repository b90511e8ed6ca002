// Walks the resolved tree and does what it says, one operation after another; there is no analysis here on purpose.
// Each element carries the number of the launch that wrote it last, from which follows whether it is defined
// (storage.h).
#include "steptp/oracle/executor.h"

#include <limits>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/oracle/arithmetic.h"

namespace steptp::oracle {

namespace {

std::string element_text(const std::string& tensor, std::span<const std::int64_t> subscripts) {
  if (subscripts.empty()) return tensor;
  return concat(tensor, '[', join(subscripts, ",", [](std::int64_t value) { return std::to_string(value); }), ']');
}

}  // namespace

Executor::Executor(const Code& code, const RunOptions& options, std::vector<Storage>& storages,
                   std::vector<Storage>& copies)
    : code_(code), options_(options), storages_(storages), copies_(copies), slots_(code.slots) {}

std::optional<Trap> Executor::run() {
  try {
    for (const NestCode& nest : code_.nests) run_nest(nest);
  } catch (Stop& stopped) {
    return std::move(stopped.trap);
  }
  return std::nullopt;
}

void Executor::stop(TrapKind kind, const Site& site, const std::string& message, const Access* access,
                    std::vector<std::int64_t> subscripts) {
  Trap trap;
  trap.kind = kind;
  trap.site = site;
  trap.message = concat(message, ", at ", to_text(site));
  if (access) trap.tensor = code_.tensors[access->tensor].name;
  trap.subscripts = std::move(subscripts);
  for (std::size_t slot = 0; slot < open_.size(); ++slot) {
    trap.iteration.emplace_back(open_[slot]->index, slots_[slot]);
    append(trap.message, slot == 0 ? " where " : " ", open_[slot]->index, '=', slots_[slot]);
  }
  throw Stop{std::move(trap)};
}

void Executor::stop_at_element(TrapKind kind, const Access& access, std::span<const std::int64_t> subscripts,
                               const std::string& what) {
  stop(kind, access.site, concat(element_text(code_.tensors[access.tensor].name, subscripts), ' ', what), &access,
       {subscripts.begin(), subscripts.end()});
}

void Executor::tick() {
  if ((++ticks_ & 0xffff) != 0 || !options_.progress) return;
  if (options_.progress(operations_, code_.work.operations)) return;
  Trap trap;
  trap.kind = TrapKind::cancelled;
  trap.message = "cancelled";
  throw Stop{std::move(trap)};
}

/// Everything that is fresh in a launch becomes undefined: it is stamped with an earlier one.
void Executor::start_launch() {
  if (launch_ == std::numeric_limits<Storage::Launch>::max()) {
    Trap trap;
    trap.kind = TrapKind::budget;
    trap.message = "more launches than the machine can number";
    throw Stop{std::move(trap)};
  }
  ++launch_;
}

void Executor::run_nest(const NestCode& nest) {
  if (nest.left_out) return;
  const std::size_t before = open_.size();
  run_loops(nest, 0);
  open_.resize(before);
}

void Executor::run_loops(const NestCode& nest, std::size_t number) {
  if (nest.launches && nest.launch_at == number) start_launch();
  if (number == nest.loops.size()) return run_body(nest);
  const LoopCode& loop = nest.loops[number];
  std::int64_t& index = slots_[nest.first_slot + number];
  open_.resize(nest.first_slot + number);
  open_.push_back(&loop);
  if (!loop.chosen) {
    for (index = 0; index < loop.extent; ++index) run_loops(nest, number + 1);
    return;
  }
  for (const auto& [low, high] : *loop.chosen) {
    for (index = low; index <= high; ++index) run_loops(nest, number + 1);
  }
}

void Executor::run_body(const NestCode& nest) {
  if (nest.guard) {
    operations_ += nest.guard_operations;
    tick();
    if (!holds(*nest.guard)) return;
  }
  for (const ItemCode& item : nest.items) {
    if (const auto* equation = std::get_if<EquationCode>(&item)) {
      run_equation(*equation);
    } else {
      run_nest(*std::get<std::unique_ptr<NestCode>>(item));
    }
  }
}

void Executor::run_equation(const EquationCode& equation) {
  if (equation.launches) start_launch();
  const Scalar value = evaluate_at(equation.right);
  write(equation.left, convert(value, code_.tensors[equation.left.tensor].dtype));
  ++executions_;
  operations_ += equation.operations;
  tick();
}

bool Executor::holds(const GuardCode& guard) {
  const auto value = [&](std::size_t number) { return exact(guard.values[number], nullptr, guard.site); };
  switch (guard.kind) {
    case GuardCode::Kind::value: return value(0) != 0;
    case GuardCode::Kind::compare: {
      bool all = true;
      Wide left = value(0);
      for (std::size_t i = 0; i < guard.comparisons.size(); ++i) {
        const Wide right = value(i + 1);
        switch (guard.comparisons[i]) {
          case CompareOp::less: all &= left < right; break;
          case CompareOp::less_equal: all &= left <= right; break;
          case CompareOp::greater: all &= left > right; break;
          case CompareOp::greater_equal: all &= left >= right; break;
          case CompareOp::equal: all &= left == right; break;
          case CompareOp::not_equal: all &= left != right; break;
        }
        left = right;
      }
      return all;
    }
    case GuardCode::Kind::logic: {
      bool all = true;
      bool any = false;
      for (const GuardCode& operand : guard.operands) {
        const bool one = holds(operand);
        all &= one;
        any |= one;
      }
      return guard.logic == LogicOp::conjunction ? all : any;
    }
  }
  return false;
}

Wide Executor::exact(const AtomCode& atom, const Access* access, const Site& site) {
  switch (atom.kind) {
    case AtomCode::Kind::slot: return slots_[atom.slot];
    case AtomCode::Kind::read: return read(*atom.read).as_integer();
    case AtomCode::Kind::quotient:
    case AtomCode::Kind::remainder: break;
  }
  const Wide dividend = exact(*atom.dividend, access, site);
  const Wide divisor = exact(*atom.divisor, access, site);
  if (divisor == 0) stop(TrapKind::integer_division_by_zero, site, "an index is divided by zero", access);
  return atom.kind == AtomCode::Kind::quotient ? floor_quotient_wide(dividend, divisor)
                                               : floor_remainder_wide(dividend, divisor);
}

Wide Executor::exact(const IndexCode& index, const Access* access, const Site& site) {
  Wide sum = index.constant;
  bool overflow = false;
  for (const TermCode& term : index.terms) {
    Wide product = term.coefficient;
    for (const AtomCode& factor : term.factors) {
      overflow |= __builtin_mul_overflow(product, exact(factor, access, site), &product);
    }
    overflow |= __builtin_add_overflow(sum, product, &sum);
  }
  // The least value has no quotient by -1.
  if (overflow || sum < -(Wide{1} << 126)) {
    stop(TrapKind::out_of_range, site, "an index is beyond all integers", access);
  }
  return sum;
}

std::int64_t Executor::axis_index(const Access& access, std::size_t axis) const {
  return access.axes[axis] == kNoSlot ? 0 : slots_[access.axes[axis]];
}

void Executor::push_axes(Tuple& tuple, const Access& access, std::size_t count) const {
  for (std::size_t axis = 0; axis < count; ++axis) tuple.push(axis_index(access, axis));
}

void Executor::push_subscripts(Tuple& tuple, const Access& access) {
  for (const IndexCode& subscript : access.subscripts) {
    if (subscript.is_linear) {
      if (const auto value = narrow(subscript)) {
        tuple.push(*value);
        continue;
      }
    }
    const Wide value = exact(subscript, &access, access.site);
    if (value != static_cast<std::int64_t>(value)) {
      stop(TrapKind::out_of_range, access.site,
           concat("a subscript of ", code_.tensors[access.tensor].name, " is beyond 64 bits"), &access);
    }
    tuple.push(static_cast<std::int64_t>(value));
  }
}

Scalar Executor::read(const Access& access) {
  const TensorCode& tensor = code_.tensors[access.tensor];
  const Storage& storage = storages_[access.tensor];
  const bool scoped = tensor.is_scoped();
  const std::size_t hidden = scoped ? hidden_axes(tensor.scope) : 0;
  Tuple tuple;
  if (scoped) push_axes(tuple, access, hidden);
  push_subscripts(tuple, access);
  const auto subscripts = tuple.all();
  const std::int64_t element = storage.find(subscripts);
  if (element != Storage::kNone) {
    const Storage::Launch written = storage.written(element);
    if (written >= (scoped ? launch_ : 1)) {
      const Scalar value = storage.read(element);
      if (tensor.demoted) check_ambiguity(access, value, written);
      return value;
    }
  } else if (tensor.known && !storage.contains(subscripts)) {
    stop_at_element(TrapKind::out_of_range, access, subscripts, "is out of range");
  }
  if (access.initial) return *access.initial;
  stop_at_element(TrapKind::undefined_read, access, subscripts.subspan(hidden), "is read but undefined");
}

/// A demoted tensor has its value in `g`. What its own scope would hold is kept beside it; as long as every read finds
/// the same in both, the two meanings are one. A value from an earlier kernel that its scope would not have is what
/// demotion is for, unless the scope would have started afresh with another value.
void Executor::check_ambiguity(const Access& access, Scalar value, Storage::Launch written) {
  const TensorCode& tensor = code_.tensors[access.tensor];
  const Storage& copy = copies_[access.tensor];
  const std::size_t hidden = hidden_axes(tensor.scope);
  Tuple tuple;
  push_axes(tuple, access, hidden);
  push_subscripts(tuple, access);
  const std::int64_t element = copy.find(tuple.all());
  bool same = written != launch_;
  if (element != Storage::kNone && copy.written(element) >= launch_) {
    same = copy.read(element) == value;
  } else if (access.initial) {
    same = *access.initial == value;
  }
  if (same) return;
  stop_at_element(TrapKind::scope_ambiguous, access, tuple.all().subspan(hidden),
                  concat("differs between scope ", code(tensor.scope),
                         " and g, and the tensor is touched by more than one kernel"));
}

void Executor::write(const Access& access, Scalar value) {
  const TensorCode& tensor = code_.tensors[access.tensor];
  const auto put = [&](Storage& storage, std::size_t hidden) {
    Tuple tuple;
    push_axes(tuple, access, hidden);
    push_subscripts(tuple, access);
    const auto subscripts = tuple.all().subspan(hidden);
    for (const std::int64_t subscript : subscripts) {
      if (subscript < 0) stop_at_element(TrapKind::out_of_range, access, subscripts, "is written but out of range");
    }
    const std::int64_t element = storage.find_or_add(tuple.all());
    if (element == Storage::kNone) {
      stop_at_element(TrapKind::out_of_range, access, subscripts, "is written but out of range");
    }
    storage.write(element, value, launch_);
    const bool full = storage.is_sparse() && static_cast<double>(storage.element_count()) * Storage::kSparseBytes >
                                                 static_cast<double>(options_.memory);
    if (full) stop(TrapKind::memory, access.site, concat(tensor.name, " grows beyond the memory allowed"), &access);
  };
  put(storages_[access.tensor], tensor.is_scoped() ? hidden_axes(tensor.scope) : 0);
  if (tensor.demoted) put(copies_[access.tensor], hidden_axes(tensor.scope));
}

}  // namespace steptp::oracle
