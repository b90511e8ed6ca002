#include "steptp/estimate/statement_reader.h"

#include <algorithm>
#include <limits>

#include "steptp/estimate/access_requests.h"
#include "steptp/estimate/condition_share.h"
#include "steptp/lowering/homes.h"
#include "steptp/lowering/offsets.h"
#include "steptp/lowering/threads.h"

namespace steptp::estimation {

namespace {

using lowering::Value;

/// As the CUDA text unrolls, and no other loops: registers cannot be indexed.
constexpr std::int64_t kUnrolledIterations = 1024;
constexpr std::int64_t kMostLanes = 16;
constexpr std::int64_t kVectorBytes = 16;

Work work_of(ArithmeticOp op) {
  switch (op) {
    case ArithmeticOp::add:
    case ArithmeticOp::subtract: return Work::add;
    case ArithmeticOp::multiply: return Work::multiply;
    case ArithmeticOp::divide:
    case ArithmeticOp::floor_divide:
    case ArithmeticOp::modulo: return Work::divide;
    case ArithmeticOp::power: return Work::power;
    case ArithmeticOp::max:
    case ArithmeticOp::min: return Work::choose;
  }
  return Work::add;
}

Work work_of(Function function) {
  switch (function) {
    case Function::negate:
    case Function::abs:
    case Function::floor:
    case Function::ceil:
    case Function::round: return Work::choose;
    case Function::exp: return Work::exponential;
    case Function::log: return Work::logarithm;
    case Function::sqrt:
    case Function::rsqrt: return Work::root;
    case Function::erf:
    case Function::tanh: return Work::hyperbolic;
    case Function::sin:
    case Function::cos: return Work::circular;
  }
  return Work::add;
}

bool mentions(const Value& value, const std::string& name) {
  bool found = value.kind == Value::Kind::load;
  if (value.kind == Value::Kind::index) {
    for_each_variable(value.index, [&](const std::string& other) { found = found || other == name; });
  }
  return found || std::any_of(value.operands.begin(), value.operands.end(),
                              [&](const lowering::ValuePtr& operand) { return mentions(*operand, name); });
}

bool is_product(const Value& value) {
  return value.kind == Value::Kind::arithmetic && value.op == ArithmeticOp::multiply && is_float(value.dtype);
}

}  // namespace

StatementReader::StatementReader(const lowering::Arrangement& arrangement, const lowering::ArrangedKernel& kernel,
                                 const lowering::Node& store, const std::vector<const Value*>& guards,
                                 const std::vector<Axis>& in_turn, std::map<const Loop*, std::size_t>& identities)
    : arrangement_(arrangement),
      kernel_(kernel),
      store_(store),
      statement_(arrangement.table.statements[store.statement]) {
  const auto host = static_cast<std::ptrdiff_t>(std::min(kernel.host_loops.size(), statement_.loops.size()));
  loops_.assign(statement_.loops.begin() + host, statement_.loops.end());
  for (const Loop* loop : statement_.loops) box_.push_back({loop->index, loop->extent});
  add_loops(in_turn, identities);
  for (const Value* guard : guards) {
    const ConditionShare share = share_of(*guard, loops_);
    out_.share *= share.all;
    out_.block_share *= share.block;
    out_.busiest_share *= share.busiest;
  }
}

void StatementReader::add_loops(const std::vector<Axis>& in_turn, std::map<const Loop*, std::size_t>& identities) {
  for (const Loop* loop : loops_) {
    LoopSummary one;
    one.kind = loop->kind;
    one.extent = loop->extent;
    if (loop->kind == LoopKind::bound) one.axis = axis_of(loop->index);
    // Lanes run these together, as threads do; how many elements each of them has is said by the matrix nest.
    if (loop->kind == LoopKind::tensorized) one.axis = Axis::wx;
    if (one.axis && std::find(in_turn.begin(), in_turn.end(), *one.axis) != in_turn.end()) one.extent = 1;
    one.identity = identities.try_emplace(loop, identities.size()).first->second;
    const bool asked = loop->kind == LoopKind::unrolled || loop->kind == LoopKind::vectorized;
    one.is_unrolled = asked && loop->extent <= kUnrolledIterations;
    out_.loops.push_back(one);
  }
}

std::uint64_t StatementReader::all_loops() const {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < loops_.size(); ++i) out |= loop_bit(i);
  return out;
}

std::uint64_t StatementReader::loops_of(const Index& index) const {
  std::uint64_t out = 0;
  for_each_variable(index, [&](const std::string& name) {
    for (std::size_t i = loops_.size(); i-- > 0;) {
      if (loops_[i]->index != name) continue;
      out |= loop_bit(i);
      break;
    }
  });
  return out;
}

/// The loops around both this statement and one that writes the tensor: each iteration may find other values there.
std::uint64_t StatementReader::loops_with_writers(const std::string& tensor) const {
  std::uint64_t out = 0;
  const auto facts = arrangement_.table.tensors.find(tensor);
  if (facts == arrangement_.table.tensors.end()) return out;
  for (const std::size_t write : facts->second.writes) {
    const Statement& writer = arrangement_.table.statements[arrangement_.table.accesses[write].statement];
    if (writer.kernel != statement_.kernel) continue;
    const std::size_t host = statement_.loops.size() - loops_.size();
    for (std::size_t i = 0; i < loops_.size() && host + i < writer.loops.size(); ++i) {
      if (writer.loops[host + i] != loops_[i]) break;
      out |= loop_bit(i);
    }
  }
  return out;
}

/// Unrolls the loops over the element where that is possible.
bool StatementReader::are_registers(const Ref& ref) {
  std::uint64_t used = 0;
  for (const Index& subscript : ref.subscripts) used |= loops_of(subscript);
  double iterations = 1;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    if ((used & loop_bit(i)) && !out_.loops[i].axis) iterations *= static_cast<double>(loops_[i]->extent);
  }
  if (iterations > static_cast<double>(kUnrolledIterations)) {
    spilled_bytes_ = std::max(spilled_bytes_, static_cast<double>(arrangement_.buffers.at(ref.tensor).bytes));
    return false;
  }
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    if ((used & loop_bit(i)) && !out_.loops[i].axis) out_.loops[i].is_unrolled = true;
  }
  return true;
}

ElementOffset StatementReader::offset_of(const Ref& ref, std::int64_t& lanes) const {
  const lowering::Buffer& buffer = arrangement_.buffers.at(ref.tensor);
  const auto offset = lowering::offset_of(buffer, ref.subscripts, box_);
  lanes = 1;
  if (!offset) return {};
  const bool may_be = way_.lanes && !is_blocked_ && buffer.scope != Scope::local &&
                      (way_.lanes->kind == LoopKind::vectorized || way_.lanes->extent <= kMostLanes);
  if (may_be && way_.lanes->kind != LoopKind::bound) {
    const std::int64_t alignment = lowering::run_alignment(*offset, way_.lanes->index);
    const std::int64_t bytes = info(ref.dtype).bytes;
    for (std::int64_t width = kVectorBytes / bytes; alignment > 0 && width > 1 && width * bytes >= 4; width /= 2) {
      if (alignment % width != 0 || way_.lanes->extent % width != 0) continue;
      lanes = width;
      break;
    }
  }
  return {*offset, loops_};
}

void StatementReader::add_access(const Ref& ref, bool is_write, std::uint64_t loops, double share) {
  const lowering::Buffer& buffer = arrangement_.buffers.at(ref.tensor);
  AccessSummary access;
  access.tensor = ref.tensor;
  access.scope = buffer.scope;
  access.element_bytes = info(ref.dtype).bytes;
  access.tensor_bytes = static_cast<double>(buffer.bytes);
  access.is_write = is_write;
  access.offset = offset_of(ref, access.lanes);
  if (is_write && way_.lanes && way_.lanes->kind != LoopKind::vectorized) access.lanes = 1;
  access.loops = loops | access.offset.loops();
  access.share = share;
  out_.accesses.push_back(std::move(access));
}

/// As the LLVM back end decides: beyond these bytes, or one for each thread, it is no array on the stack.
bool StatementReader::is_kept(const lowering::Buffer& buffer) const {
  constexpr std::int64_t kStackBytes = 4096;
  if (lowering::begins_anew(arrangement_.table, buffer)) return buffer.bytes > kStackBytes;
  const lowering::Home home = lowering::home_of(kernel_, buffer);
  return !home.expanded.empty() || buffer.bytes > kStackBytes;
}

std::uint64_t StatementReader::load(const Ref& ref, double share) {
  const lowering::Buffer& buffer = arrangement_.buffers.at(ref.tensor);
  std::uint64_t loops = loops_with_writers(ref.tensor);
  for (const Index& subscript : ref.subscripts) loops |= loops_of(subscript);
  const bool is_accumulator = statement_.accumulates && equal(ref, *store_.target);
  if (is_accumulator && (way_.is_own_sum || way_.join)) return all_loops();
  if (buffer.scope == Scope::fragment) return is_accumulator ? all_loops() : loops;
  if (buffer.scope == Scope::local && are_registers(ref)) {
    out_.kept_operands += is_kept(buffer) ? 1 : 0;
    return is_accumulator ? all_loops() : loops;
  }
  if (is_accumulator) loops = all_loops();
  // What lies in a narrow float is made wider.
  if (info(ref.dtype).bytes < 4 && is_float(ref.dtype)) add(Work::convert, ref.dtype, loops, share);
  add_access(ref, false, loops, share);
  return loops;
}

void StatementReader::add(Work work, DType dtype, std::uint64_t loops, double share) {
  out_.operations.push_back({work, dtype, loops, share});
}

void StatementReader::arithmetic(const Value& value, double share, bool is_free, std::uint64_t loops) {
  const bool is_narrow = is_float(value.dtype) && info(value.dtype).bytes < 4;
  if (!is_free) {
    const bool is_sum = value.op == ArithmeticOp::add || value.op == ArithmeticOp::subtract;
    const bool is_fused = is_sum && !is_narrow && is_float(value.dtype) &&
                          (is_product(*value.operands[0]) || is_product(*value.operands[1]));
    const Work usual = lowering::is_square(value) ? Work::square : work_of(value.op);
    add(is_fused ? Work::fused : usual, value.dtype, loops, share);
  }
  if (is_narrow) add(Work::convert, value.dtype, loops, share);
}

std::uint64_t StatementReader::value(const Value& value, double share, bool is_free) {
  switch (value.kind) {
    case Value::Kind::integer:
    case Value::Kind::real: return 0;
    case Value::Kind::index: {
      const std::uint64_t loops = loops_of(value.index);
      add(Work::subscript, DType::i32, loops, share);
      return loops;
    }
    case Value::Kind::load: return load(*value.ref, share);
    default: break;
  }
  std::uint64_t loops = 0;
  const bool is_sum = value.kind == Value::Kind::arithmetic &&
                      (value.op == ArithmeticOp::add || value.op == ArithmeticOp::subtract) && is_float(value.dtype) &&
                      info(value.dtype).bytes >= 4;
  double taken = 1;
  if (value.kind == Value::Kind::select) taken = share_of(*value.operands[0], loops_).all;
  const bool was_blocked = is_blocked_;
  bool has_fused = false;
  for (std::size_t i = 0; i < value.operands.size(); ++i) {
    double part = share;
    if (value.kind == Value::Kind::select && i > 0) {
      part *= i == 1 ? taken : 1 - taken;
      is_blocked_ = was_blocked || !way_.lanes || mentions(*value.operands[0], way_.lanes->index) || i == 2;
    }
    // One product is a part of the sum's instruction.
    const bool is_part = is_sum && !has_fused && is_product(*value.operands[i]);
    has_fused = has_fused || is_part;
    if (part > 0) loops |= this->value(*value.operands[i], part, is_part);
  }
  is_blocked_ = was_blocked;
  switch (value.kind) {
    case Value::Kind::arithmetic: arithmetic(value, share, is_free, loops); break;
    case Value::Kind::function:
      add(work_of(value.function), value.dtype, loops, share);
      if (is_float(value.dtype) && info(value.dtype).bytes < 4) add(Work::convert, value.dtype, loops, share);
      break;
    case Value::Kind::integer_power: add(Work::power, value.dtype, loops, share); break;
    case Value::Kind::convert:
      // A narrow float is made wider where it is loaded.
      if (!(is_float(value.dtype) && value.operands[0]->kind == Value::Kind::load &&
            info(value.operands[0]->dtype).bytes < 4)) {
        add(Work::convert, value.dtype, loops, share);
      }
      break;
    case Value::Kind::select:
    case Value::Kind::compare: add(Work::choose, value.dtype, loops, share); break;
    case Value::Kind::logic: add(Work::choose, DType::i32, loops, share); break;
    default: break;
  }
  return loops;
}

void StatementReader::add_write() {
  const Ref& target = *store_.target;
  const lowering::Buffer& buffer = arrangement_.buffers.at(target.tensor);
  if (buffer.scope == Scope::fragment) return;
  if (buffer.scope == Scope::local && are_registers(target)) {
    out_.kept_operands += is_kept(buffer) ? 1 : 0;
    return;
  }
  std::uint64_t loops = 0;
  for (const Index& subscript : target.subscripts) loops |= loops_of(subscript);
  if (!way_.is_own_sum && !way_.join) loops = all_loops();
  add_access(target, true, loops, 1);
  // One thread of a group writes.
  if (way_.join && way_.join->threads > 1) {
    out_.accesses.back().share = 1.0 / static_cast<double>(way_.join->threads);
  }
}

void StatementReader::add_chain() {
  if (!statement_.accumulates) return;
  const Ref& target = *store_.target;
  ChainSummary chain;
  chain.op = *statement_.accumulates;
  chain.dtype = target.dtype;
  std::uint64_t used = 0;
  for (const Index& subscript : target.subscripts) used |= loops_of(subscript);
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    if (used & loop_bit(i)) continue;
    (out_.loops[i].axis ? chain.bound : chain.loops) |= loop_bit(i);
  }
  const bool is_local = arrangement_.buffers.at(target.tensor).scope == Scope::local;
  chain.in_registers = way_.is_own_sum || way_.join.has_value() || (is_local && are_registers(target));
  out_.chain = chain;
}

/// What depends on a loop is repeated by every loop outside of it, too. Loops that are unrolled are one piece of code,
/// in which the same value is computed once.
std::uint64_t StatementReader::repeating(std::uint64_t loops) const {
  std::size_t deepest = 0;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    if ((loops & loop_bit(i)) && !out_.loops[i].axis && !out_.loops[i].is_unrolled) deepest = i;
  }
  for (std::size_t i = 0; i < deepest; ++i) loops |= loop_bit(i);
  return loops;
}

StatementSummary StatementReader::read(const Way& way, const std::array<std::int64_t, 3>& block) {
  way_ = way;
  out_.join = way.join;
  const std::size_t host = statement_.loops.size() - loops_.size();
  for (const std::size_t held : way.held) {
    if (held >= host) out_.loops[held - host].is_unrolled = true;
  }
  (void)value(*store_.value, 1, false);
  add_write();
  add_chain();
  for (AccessSummary& access : out_.accesses) access.loops = repeating(access.loops);
  for (OperationSummary& operation : out_.operations) operation.loops = repeating(operation.loops);
  for (AccessSummary& access : out_.accesses) add_requests(out_, block, access);
  out_.ahead = store_.target->scope.depth;
  return std::move(out_);
}

}  // namespace steptp::estimation
