#include "steptp/cuda/matrix_nest.h"

#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/cuda/body.h"
#include "steptp/lowering/offsets.h"

namespace steptp::cuda {

using lowering::Node;
using lowering::Value;

MatrixNestWriter::MatrixNestWriter(const lowering::Arrangement& arrangement, const Fragments& fragments,
                                   const std::map<std::size_t, GroupProduct>& groups, Speller& speller, Writer& out,
                                   const Node& node)
    : arrangement_(arrangement), fragments_(fragments), groups_(groups), speller_(speller), out_(out), node_(node) {
  const Node* at = &node;
  while (at->kind != Node::Kind::store) {
    if (at->kind == Node::Kind::loop) loops_.push_back(at->loop);
    if (at->kind == Node::Kind::guard) guards_.push_back(at->condition.get());
    at = &at->body[0];
  }
  store_ = at;
}

void MatrixNestWriter::fail(std::string message, std::string hint) {
  const Site site{arrangement_.table.statements[store_->statement].items, Site::Part::left, {}, {}};
  if (!problem_) problem_ = lowering::cannot_lower(std::move(message), site, std::move(hint));
}

std::optional<Diagnostic> MatrixNestWriter::write() {
  auto nest = matrix_nest(arrangement_.table.statements[store_->statement]);
  if (!nest) return lowering::cannot_lower(nest.error().message, nest.error().site, nest.error().hint);
  nest_ = std::move(nest).value();
  for (const Loop& loop : loops_) speller_.open(loop);
  sort_loops();
  out_.open();
  switch (nest_.form) {
    case MatrixForm::contraction: write_contraction(); break;
    case MatrixForm::reduction: write_reduction(); break;
    case MatrixForm::elementwise: write_elementwise(); break;
  }
  out_.close();
  for (std::size_t i = 0; i < loops_.size(); ++i) speller_.close();
  speller_.forget_replaced();
  if (speller_.problem()) fail(*speller_.problem(), {});
  return problem_;
}

namespace {

void add_fragment_loads(const Value& value, std::vector<RefPtr>& out) {
  if (value.kind == Value::Kind::load && value.ref->scope == Scope::fragment) out.push_back(value.ref);
  for (const lowering::ValuePtr& operand : value.operands) add_fragment_loads(*operand, out);
}

}  // namespace

/// Which loops count rows and which columns: in an elementwise nest a fragment says so.
void MatrixNestWriter::sort_loops() {
  if (nest_.form != MatrixForm::elementwise) {
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      switch (nest_.roles[i]) {
        case MatrixRole::row: rows_.push_back(loops_[i]); break;
        case MatrixRole::column: columns_.push_back(loops_[i]); break;
        case MatrixRole::inner:
        case MatrixRole::any: inner_.push_back(loops_[i]); break;
      }
    }
    return;
  }
  std::vector<RefPtr> refs;
  if (store_->target->scope == Scope::fragment) refs.push_back(store_->target);
  add_fragment_loads(*store_->value, refs);
  std::size_t rows = 1;
  for (const RefPtr& ref : refs) {
    const Fragment& fragment = fragments_.at(ref->tensor);
    std::size_t count = 0;
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      const bool is_row =
          std::any_of(ref->subscripts.begin(), ref->subscripts.begin() + static_cast<std::ptrdiff_t>(fragment.row_rank),
                      [&](const Index& subscript) { return mentions(subscript, loops_[i].index); });
      if (is_row) count = i + 1;
    }
    rows = std::max(rows, count);
  }
  rows_.assign(loops_.begin(), loops_.begin() + static_cast<std::ptrdiff_t>(rows));
  columns_.assign(loops_.begin() + static_cast<std::ptrdiff_t>(rows), loops_.end());
}

std::int64_t MatrixNestWriter::product_of(const Loops& loops) {
  std::int64_t out = 1;
  for (const Loop& loop : loops) out *= loop.extent;
  return out;
}

/// The indices of the loops of a role, where they are counted together.
void MatrixNestWriter::declare_indices(const Loops& loops, const std::string& flat) {
  std::int64_t inner = product_of(loops);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    inner /= loops[i].extent;
    const std::string quotient = inner == 1 ? concat("(", flat, ")") : concat("(", flat, ") / ", inner);
    const std::string rest = i == 0 ? "" : concat(" % ", loops[i].extent);
    out_.line("const int ", variable_name(loops[i].index), " = ", quotient, rest, ";");
  }
}

/// The number of the tile in the registers of a fragment, `tile` being that of the nest. `step` elements are one tile.
std::string MatrixNestWriter::tile_of(const Ref& ref, bool is_row, const std::string& tile, std::int64_t step) {
  const Fragment& fragment = fragments_.at(ref.tensor);
  const lowering::Buffer& buffer = arrangement_.buffers.at(ref.tensor);
  const std::size_t begin = is_row ? 0 : fragment.row_rank;
  const std::size_t end = is_row ? fragment.row_rank : ref.subscripts.size();
  Index offset;
  bool is_inner = false;
  std::int64_t stride = 1;
  for (std::size_t i = end; i-- > begin;) {
    Index rest = ref.subscripts[i];
    std::int64_t extent = 1;
    for (const Loop& loop : loops_) {
      if (!mentions(rest, loop.index)) continue;
      extent = loop.extent;
      rest = lowering::at_zero(rest, loop.index).value_or(Index());
    }
    // All but the outermost dimension have to be whole, so that neighbours in the nest are neighbours in the fragment.
    if (i > begin && (extent != buffer.shape[i] || !(rest == Index()))) is_inner = true;
    offset = Index::add(offset, Index::multiply(rest, Index::constant(stride)).value_or(Index())).value_or(Index());
    stride *= buffer.shape[i];
  }
  if (is_inner) {
    fail(concat("a part of ", ref.tensor, " is used whose inner dimensions are not whole"),
         "split the outermost dimension only");
  }
  if (offset == Index()) return tile;
  return concat(tile, " + ", speller_.index(offset), " / ", step);
}

/// An element of a fragment at the tile stp_i, stp_j and the place stp_e.
std::string MatrixNestWriter::element_of(const Ref& ref) {
  const Fragment& fragment = fragments_.at(ref.tensor);
  const std::string row = tile_of(ref, true, "stp_i", 8);
  if (!fragment.has_columns) return concat(ref.tensor, "[", row, "]");
  const std::string tile = concat(ref.tensor, "[", row, "][", tile_of(ref, false, "stp_j", 8), "]");
  if (!fragment.is_packed()) return tile + "[stp_e]";
  return concat("stp_get_half<", memory_type(fragment.dtype), ">(", tile, ", stp_e)");
}

/// A number that is the same for all elements is read once, in front of the loops.
void MatrixNestWriter::replace_scalars(const Value& value) {
  const bool is_scalar = value.kind == Value::Kind::load && value.ref->scope == Scope::global &&
                         value.ref->subscripts.empty() && value.dtype != DType::boolean &&
                         value.ref->tensor != store_->target->tensor;
  if (is_scalar && scalars_.insert(value.ref->tensor).second) {
    const std::string name = concat("stp_scalar_", value.ref->tensor);
    out_.line("const ", memory_type(value.ref->dtype), " ", name, " = ", speller_.element(*value.ref), ";");
    speller_.replace(value.ref, name);
  }
  for (const lowering::ValuePtr& operand : value.operands) replace_scalars(*operand);
}

void MatrixNestWriter::replace_fragments(const Value& value) {
  replace_scalars(value);
  std::vector<RefPtr> refs;
  add_fragment_loads(value, refs);
  for (const RefPtr& ref : refs) speller_.replace(ref, element_of(*ref));
}

void MatrixNestWriter::open_rows() {
  each("stp_i", (product_of(rows_) + 7) / 8);
  declare("stp_row", "stp_i * 8 + stp_lane / 4", rows_);
}

void MatrixNestWriter::open_columns() {
  each("stp_j", (product_of(columns_) + 7) / 8);
  each("stp_e", 2);
  declare("stp_column", "stp_j * 8 + stp_lane % 4 * 2 + stp_e", columns_);
}

/// Lanes beyond the last row or column, and the guards of the nest.
void MatrixNestWriter::open_guards() {
  std::vector<std::string> conditions;
  if (const std::int64_t rows = product_of(rows_); rows % 8 != 0) conditions.push_back(concat("stp_row < ", rows));
  if (const std::int64_t columns = product_of(columns_); columns % 8 != 0 && !columns_.empty()) {
    conditions.push_back(concat("stp_column < ", columns));
  }
  for (const Value* guard : guards_) conditions.push_back(speller_.value(*guard));
  if (conditions.empty()) return out_.open();
  out_.open("if (", join(conditions, " && ", [](const std::string& text) { return text; }), ")");
}

void MatrixNestWriter::store_element(const std::string& value) {
  const Ref& target = *store_->target;
  if (target.scope != Scope::fragment) {
    // What has no columns is the same in the four lanes of a row.
    out_.line(columns_.empty() ? "if (stp_lane % 4 == 0) " : "", speller_.element(target), " = ", value, ";");
    return;
  }
  const Fragment& fragment = fragments_.at(target.tensor);
  if (!fragment.is_packed()) {
    out_.line(element_of(target), " = ", value, ";");
    return;
  }
  out_.line("stp_set_half(", target.tensor, "[", tile_of(target, true, "stp_i", 8), "][",
            tile_of(target, false, "stp_j", 8), "], stp_e, ", value, ");");
}

/// Whether two neighbouring columns lie side by side in memory, so that one store takes both.
bool MatrixNestWriter::stores_pairs() {
  const Ref& target = *store_->target;
  if (target.scope == Scope::fragment || columns_.empty() || !guards_.empty()) return false;
  const std::int64_t bytes = info(target.dtype).bytes;
  const Loop& last = columns_.back();
  if (bytes < 2 || last.extent % 2 != 0 || product_of(columns_) % 8 != 0) return false;
  const std::int64_t alignment = lowering::run_alignment(speller_.offset(target), last.index);
  return alignment != 0 && alignment % 2 == 0;
}

void MatrixNestWriter::store_pair(const std::string& value) {
  const Ref& target = *store_->target;
  out_.line("stp_pair.at[stp_e] = ", value, ";");
  out_.line("if (stp_e == 1) *(stp_vector<", memory_type(target.dtype), ", 2>*)(&", speller_.element(target),
            " - 1) = stp_pair;");
}

void MatrixNestWriter::write_elementwise() {
  const bool has_columns = !columns_.empty();
  replace_fragments(*store_->value);
  for (const Value* guard : guards_) replace_fragments(*guard);
  open_rows();
  const bool has_pairs = stores_pairs();
  if (has_pairs) out_.line("stp_vector<", memory_type(store_->target->dtype), ", 2> stp_pair;");
  if (has_columns) open_columns();
  open_guards();
  const std::string value = speller_.value(*store_->value);
  has_pairs ? store_pair(value) : store_element(value);
  out_.close();
  if (has_columns) {
    out_.close();
    out_.close();
  }
  out_.close();
}

/// Each lane folds its columns, in order; then the four lanes of a row, in a fixed one; then the element.
void MatrixNestWriter::write_reduction() {
  const Ref& target = *store_->target;
  const ArithmeticOp op = *arrangement_.table.statements[store_->statement].accumulates;
  const std::string element = concat(target.tensor, "[", tile_of(target, true, "stp_i", 8), "]");
  speller_.replace(store_->target, "stp_own");
  replace_fragments(*store_->value);
  open_rows();
  out_.line(value_type(target.dtype), " stp_own = ", speller_.value(*lowering::identity_value(op, target.dtype)), ";");
  open_columns();
  open_guards();
  out_.line("stp_own = ", speller_.value(*store_->value), ";");
  out_.close();
  out_.close();
  out_.close();
  for (const char* distance : {"1", "2"}) {
    const std::string other = concat("__shfl_xor_sync(0xffffffffu, stp_own, ", distance, ")");
    out_.line("stp_own = ", Speller::operation(op, target.dtype, "stp_own", other), ";");
  }
  out_.line(element, " = ", Speller::operation(op, target.dtype, element, "stp_own"), ";");
  out_.close();
}

}  // namespace steptp::cuda
