// Values as LLVM instructions. A branch of if_then_else becomes a jump if evaluating it needlessly could fault or be
// slow, otherwise a select. A subscript that data decides is checked, and a subscript out of range sets the status,
// as the oracle's trap does.
#include <algorithm>

#include "steptp/llvm/builder.h"

namespace steptp::llvm_ir {

using lowering::Value;

namespace {

/// Evaluating it where it is not wanted can neither fault nor cost much.
bool is_harmless(const Value& value) {
  switch (value.kind) {
    case Value::Kind::load:
    case Value::Kind::function: return false;
    case Value::Kind::arithmetic:
      if (value.op == ArithmeticOp::floor_divide || value.op == ArithmeticOp::modulo ||
          (value.op == ArithmeticOp::power && !lowering::is_square(value))) {
        return false;
      }
      break;
    case Value::Kind::index: return value.index.nesting() == 0;
    case Value::Kind::integer:
    case Value::Kind::real:
    case Value::Kind::convert:
    case Value::Kind::integer_power:
    case Value::Kind::select:
    case Value::Kind::compare:
    case Value::Kind::logic: break;
  }
  return std::all_of(value.operands.begin(), value.operands.end(),
                     [](const lowering::ValuePtr& operand) { return is_harmless(*operand); });
}

std::string_view condition_code(CompareOp op, bool real, bool is_unsigned) {
  switch (op) {
    case CompareOp::less: return real ? "fcmp olt " : is_unsigned ? "icmp ult " : "icmp slt ";
    case CompareOp::less_equal: return real ? "fcmp ole " : is_unsigned ? "icmp ule " : "icmp sle ";
    case CompareOp::greater: return real ? "fcmp ogt " : is_unsigned ? "icmp ugt " : "icmp sgt ";
    case CompareOp::greater_equal: return real ? "fcmp oge " : is_unsigned ? "icmp uge " : "icmp sge ";
    case CompareOp::equal: return real ? "fcmp oeq " : "icmp eq ";
    case CompareOp::not_equal: return real ? "fcmp une " : "icmp ne ";
  }
  return "";
}

}  // namespace

void Values::open(const Loop& loop, std::string value) {
  box_.push_back({loop.index, loop.extent});
  loops_.emplace_back(loop, std::move(value));
}

void Values::close() {
  box_.pop_back();
  loops_.pop_back();
}

std::string Values::atom(const IndexAtom& atom) {
  struct Visitor {
    Values& values;
    std::string operator()(const LoopVariable& variable) const {
      for (const auto& [loop, value] : values.loops_) {
        if (loop.index == variable.name) return value;
      }
      return "0";
    }
    std::string operator()(const FloorQuotient& node) const { return division(*node.dividend, *node.divisor, true); }
    std::string operator()(const FloorRemainder& node) const { return division(*node.dividend, *node.divisor, false); }
    std::string operator()(const IndirectRead& node) const {
      return values.conversion(node.ref->dtype, DType::i64, values.load(*node.ref));
    }
    [[nodiscard]] std::string division(const Index& dividend, const Index& divisor, bool quotient) const {
      const Ranges ranges = lowering::ranges_of(values.box_);
      const std::string a = values.index(dividend);
      const std::string b = values.index(divisor);
      const bool plain = range_of(dividend, ranges).low >= 0 && range_of(divisor, ranges).low > 0;
      if (plain) return values.out_.emit(quotient ? "udiv i64 " : "urem i64 ", a, ", ", b);
      return values.floor_division(DType::i64, a, b, quotient);
    }
  };
  return std::visit(Visitor{*this}, atom);
}

std::string Values::index(const Index& index) {
  if (lowering::magnitude(index, lowering::ranges_of(box_)) >= (static_cast<Wide>(1) << 62) && !problem_) {
    problem_ = "a subscript needs more than 64 bits";
  }
  // What data gives may be anything until it is checked; loops stay far from 64 bits.
  const std::string_view exact = reads_tensor(index) ? " i64 " : " nsw i64 ";
  std::string sum;
  for (const IndexTerm& term : index.terms()) {
    std::string product;
    for (const IndexAtom& factor : term.factors) {
      const std::string value = atom(factor);
      product = product.empty() ? value : out_.emit("mul i64 ", product, ", ", value);
    }
    if (term.coefficient != 1) product = out_.emit("mul", exact, product, ", ", term.coefficient);
    sum = sum.empty() ? product : out_.emit("add", exact, sum, ", ", product);
  }
  if (sum.empty()) return concat(index.constant_term());
  return index.constant_term() == 0 ? sum : out_.emit("add", exact, sum, ", ", index.constant_term());
}

/// Data decides this subscript: outside of its dimension the status says so, and 0 stands in.
std::string Values::checked(const std::string& subscript, std::int64_t extent) {
  const std::string outside = out_.emit("icmp uge i64 ", subscript, ", ", extent);
  out_.run("call void @stp_note(ptr %status, i1 ", outside, ", i32 1)");
  return out_.emit("select i1 ", outside, ", i64 0, i64 ", subscript);
}

std::string Values::address(const Ref& ref) {
  const lowering::Buffer& buffer = arrangement_.buffers.at(ref.tensor);
  const Storage& storage = storages_.at(ref.tensor);
  std::vector<Index> exact = ref.subscripts;
  std::string sum;
  const auto add = [&](const std::string& part) { sum = sum.empty() ? part : out_.emit("add i64 ", sum, ", ", part); };
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (!reads_tensor(exact[i])) continue;
    const std::string subscript = checked(index(exact[i]), buffer.shape[i]);
    exact[i] = Index();
    add(out_.emit("mul i64 ", subscript, ", ", buffer.strides[i]));
  }
  const auto offset = lowering::offset_of(buffer, exact, box_);
  if (!offset && !problem_) problem_ = concat("the elements of ", ref.tensor, " cannot be numbered with 64 bits");
  add(index(offset.value_or(Index())));
  for (const auto& [axis, stride] : storage.expanded) {
    for (const auto& [loop, value] : loops_) {
      if (loop.kind != LoopKind::bound || axis_of(loop.index) != axis) continue;
      add(out_.emit("mul i64 ", value, ", ", stride));
    }
  }
  return out_.emit("getelementptr inbounds ", memory_type(ref.dtype), ", ptr ", storage.pointer, ", i64 ", sum);
}

std::string Values::load(const Ref& ref) {
  const std::string place = address(ref);
  std::string raw = out_.emit("load ", memory_type(ref.dtype), ", ptr ", place);
  switch (ref.dtype) {
    case DType::f16: return out_.emit("fpext half ", raw, " to float");
    case DType::bf16: return out_.emit("call float @stp_from_bf16(i16 ", raw, ")");
    case DType::boolean: return out_.emit("icmp ne i8 ", raw, ", 0");
    case DType::f64:
    case DType::f32:
    case DType::i64:
    case DType::i32:
    case DType::i16:
    case DType::i8:
    case DType::u8: break;
  }
  return raw;
}

void Values::store_element(DType dtype, const std::string& value, const std::string& address) {
  std::string raw = value;
  if (dtype == DType::f16) raw = out_.emit("fptrunc float ", value, " to half");
  if (dtype == DType::bf16) raw = out_.emit("call i16 @stp_to_bf16(float ", value, ")");
  if (dtype == DType::boolean) raw = out_.emit("zext i1 ", value, " to i8");
  out_.run("store ", memory_type(dtype), " ", raw, ", ptr ", address);
}

void Values::store(const Ref& target, const Value& value) {
  const std::string computed = this->value(value);
  store_element(target.dtype, computed, address(target));
}

void Values::fill(const lowering::Buffer& buffer, const std::string& pointer, std::int64_t elements) {
  const std::string value = this->value(*buffer.initial);
  const std::string before = out_.current();
  const std::string body = out_.new_label();
  const std::string after = out_.new_label();
  out_.jump(body);
  out_.begin(body);
  const std::string next = concat("%next_", body);
  const std::string at = out_.emit("phi i64 [ 0, %", before, " ], [ ", next, ", %", body, " ]");
  store_element(buffer.dtype, value,
                out_.emit("getelementptr inbounds ", memory_type(buffer.dtype), ", ptr ", pointer, ", i64 ", at));
  out_.run(next, " = add nuw nsw i64 ", at, ", 1");
  out_.branch(out_.emit("icmp ult i64 ", next, ", ", elements), body, after);
  out_.begin(after);
}

std::string Values::select(const Value& value) {
  const std::string_view type = value_type(value.dtype);
  const std::string condition = this->value(*value.operands[0]);
  if (is_harmless(*value.operands[1]) && is_harmless(*value.operands[2])) {
    const std::string yes = this->value(*value.operands[1]);
    const std::string no = this->value(*value.operands[2]);
    return out_.emit("select i1 ", condition, ", ", type, " ", yes, ", ", type, " ", no);
  }
  const std::string yes_label = out_.new_label();
  const std::string no_label = out_.new_label();
  const std::string after = out_.new_label();
  out_.branch(condition, yes_label, no_label);
  out_.begin(yes_label);
  const std::string yes = this->value(*value.operands[1]);
  const std::string yes_end = out_.current();
  out_.jump(after);
  out_.begin(no_label);
  const std::string no = this->value(*value.operands[2]);
  const std::string no_end = out_.current();
  out_.jump(after);
  out_.begin(after);
  return out_.emit("phi ", type, " [ ", yes, ", %", yes_end, " ], [ ", no, ", %", no_end, " ]");
}

std::string Values::compare(const Value& value) {
  const DType dtype = value.operands[0]->dtype;
  const std::string left = this->value(*value.operands[0]);
  const std::string right = this->value(*value.operands[1]);
  const bool is_unsigned = dtype == DType::u8 || dtype == DType::boolean;
  return out_.emit(condition_code(value.comparison, is_float(dtype), is_unsigned), value_type(dtype), " ", left, ", ",
                   right);
}

std::string Values::value(const Value& value) {
  switch (value.kind) {
    case Value::Kind::integer:
      if (value.dtype == DType::boolean) return value.integer != 0 ? "true" : "false";
      return concat(value.integer);
    case Value::Kind::real: return real_constant(value.real);
    case Value::Kind::index: return index(value.index);
    case Value::Kind::load: return load(*value.ref);
    case Value::Kind::convert: {
      const std::string operand = this->value(*value.operands[0]);
      return conversion(value.operands[0]->dtype, value.dtype, operand);
    }
    case Value::Kind::arithmetic: {
      const std::string left = this->value(*value.operands[0]);
      if (lowering::is_square(value)) return arithmetic(ArithmeticOp::multiply, value.dtype, left, left);
      const std::string right = this->value(*value.operands[1]);
      return arithmetic(value.op, value.dtype, left, right);
    }
    case Value::Kind::integer_power: return power(value.dtype, this->value(*value.operands[0]), value.exponent);
    case Value::Kind::function: return function(value.function, value.dtype, this->value(*value.operands[0]));
    case Value::Kind::select: return select(value);
    case Value::Kind::compare: return compare(value);
    case Value::Kind::logic: {
      std::string all = this->value(*value.operands[0]);
      for (std::size_t i = 1; i < value.operands.size(); ++i) {
        const std::string next = this->value(*value.operands[i]);
        all = out_.emit(value.logic == LogicOp::conjunction ? "and i1 " : "or i1 ", all, ", ", next);
      }
      return all;
    }
  }
  return "";
}

}  // namespace steptp::llvm_ir
