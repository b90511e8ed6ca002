// What an equation under T loops is: a contraction, a reduction or an elementwise nest, with the roles of its loops.
// Only structure is looked at; that the iterations may run together is a question of races, as for P loops.
// Decision 0130.
#include "steptp/analysis/matrix_nests.h"

#include <algorithm>
#include <set>
#include <utility>

#include "steptp/base/text.h"

namespace steptp {

namespace {

struct ShapeRow {
  DType factors;
  DType sum;
  MatrixShape shape;
};
constexpr ShapeRow kShapes[] = {{DType::f16, DType::f32, {16, 8, 16}},
                                {DType::f16, DType::f16, {16, 8, 16}},
                                {DType::bf16, DType::f32, {16, 8, 16}},
                                {DType::f64, DType::f64, {8, 8, 4}}};
/// Rows and columns of a fragment move in these steps where no contraction says more.
constexpr std::int64_t kStep = 8;

bool occurs(const Index& index, const std::string& name) {
  bool found = false;
  for_each_variable(index, [&](const std::string& other) { found = found || other == name; });
  return found;
}

bool occurs(const Ref& ref, const std::string& name) {
  return std::any_of(ref.subscripts.begin(), ref.subscripts.end(),
                     [&](const Index& subscript) { return occurs(subscript, name); });
}

bool is_unit_loop(const Loop& loop) {
  const auto axis = loop.kind == LoopKind::bound ? axis_of(loop.index) : std::nullopt;
  return axis && is_unit_axis(*axis);
}

class NestReader {
 public:
  explicit NestReader(const Statement& statement) : statement_(statement) {
    const auto first = std::find_if(statement.loops.begin(), statement.loops.end(),
                                    [](const Loop* loop) { return loop->kind == LoopKind::tensorized; });
    out_.first_loop = static_cast<std::size_t>(first - statement.loops.begin());
    for (std::size_t i = out_.first_loop; i < statement.loops.size(); ++i) {
      loops_.push_back(statement.loops[i]);
      indices_.insert(statement.loops[i]->index);
    }
  }

  Result<MatrixNest, MatrixProblem> run() {
    if (check_place() && read_form() && check_fragments() && check_guards()) return std::move(out_);
    return std::move(*problem_);
  }

 private:
  bool fail(std::string_view id, Site::Part part, std::string message, std::string hint) {
    problem_ = MatrixProblem{id, Site{statement_.items, part, {}, {}}, std::move(message), std::move(hint)};
    return false;
  }
  bool fail_nest(std::string message, std::string hint) {
    Site site{{statement_.items.begin(), statement_.items.end() - 1}, Site::Part::item, {}, {}};
    problem_ = MatrixProblem{"matrix-nest", std::move(site), std::move(message), std::move(hint)};
    return false;
  }

  /// Where T loops stand.
  bool check_place() {
    const Nest& own = *statement_.nests.back();
    if (own.items.size() != 1)
      return fail_nest("T loops are around more than one item", "give each equation T loops of its own");
    if (loops_.size() > own.loops.size()) {
      return fail_nest("T loops stand in several headers", "write all T loops of an equation into its own header");
    }
    const Loop* unit = nullptr;
    for (std::size_t i = 0; i < statement_.loops.size(); ++i) {
      const Loop& loop = *statement_.loops[i];
      if (i >= out_.first_loop) {
        if (loop.kind == LoopKind::tensorized) continue;
        return fail_nest(concat("the loop ", loop.index, " stands behind a T loop"),
                         "T loops are the last of a header");
      }
      if (is_unit_loop(loop)) unit = &loop;
      if (i < statement_.kernel.host_loops) continue;
      if (loop.kind == LoopKind::parallel || loop.kind == LoopKind::vectorized) {
        return fail_nest(concat("the loop ", loop.index, " is a ", code(loop.kind), " loop around T loops"),
                         "around T loops stand L, U and B loops");
      }
    }
    if (unit) return true;
    return fail_nest("T loops need a unit that runs them, and no loop over wx, wy or wz is around them",
                     "put the nest into a loop over a unit axis, such as wx4");
  }

  bool read_form() {
    const Ref& left = *statement_.equation->left;
    if (is_contraction()) return read_contraction(left);
    std::size_t own = 0;
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      if (!occurs(left, loops_[i]->index)) continue;
      if (own++ == i) continue;
      return fail("matrix-form", Site::Part::left,
                  concat(left.tensor, " has the T index ", loops_[i]->index, " but not ", loops_[i - 1]->index),
                  "the left side of a reduction has the first T indices of the header, which are the rows");
    }
    if (own == loops_.size()) {
      out_.roles.assign(loops_.size(), MatrixRole::any);
      return true;
    }
    out_.form = MatrixForm::reduction;
    const auto op = statement_.accumulates;
    const bool is_known = op == ArithmeticOp::add || op == ArithmeticOp::max || op == ArithmeticOp::min;
    if (!is_known || left.scope != Scope::fragment || own == 0) {
      return fail("matrix-form", Site::Part::left,
                  concat("no form has the left side ", left.tensor, " without the T index ", loops_[own]->index),
                  "a reduction over columns accumulates by +, max or min into a tensor of the rows in f; a contraction "
                  "is X=X+F*G with X in f");
    }
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      out_.roles.push_back(i < own ? MatrixRole::row : MatrixRole::column);
    }
    return true;
  }

  /// X=X+F*G, where F and G are references and each has a T index that the other has not.
  bool is_contraction() {
    const auto* sum = std::get_if<Sum>(&statement_.equation->right->node);
    if (statement_.accumulates != ArithmeticOp::add || !sum || sum->operands.size() != 2) return false;
    const auto* product = std::get_if<Product>(&sum->operands[1]->node);
    if (!product || product->operands.size() != 2 || product->operators[0] != ArithmeticOp::multiply) return false;
    const auto* first = std::get_if<Read>(&product->operands[0]->node);
    const auto* second = std::get_if<Read>(&product->operands[1]->node);
    if (!first || !second) return false;
    const auto has_own = [this](const Ref& ref, const Ref& other) {
      return std::any_of(loops_.begin(), loops_.end(),
                         [&](const Loop* loop) { return occurs(ref, loop->index) && !occurs(other, loop->index); });
    };
    if (!has_own(*first->ref, *second->ref) || !has_own(*second->ref, *first->ref)) return false;
    out_.first = first->ref;
    out_.second = second->ref;
    return true;
  }

  bool read_contraction(const Ref& left) {
    out_.form = MatrixForm::contraction;
    const Ref& first = *out_.first;
    const Ref& second = *out_.second;
    MatrixShape extents{1, 1, 1};
    bool is_column_seen = false;
    for (const Loop* loop : loops_) {
      const bool in_left = occurs(left, loop->index);
      const bool in_first = occurs(first, loop->index);
      const bool in_second = occurs(second, loop->index);
      if (in_left + in_first + in_second != 2) {
        return fail("matrix-form", Site::Part::right,
                    concat("the T index ", loop->index, " occurs in ", in_left + in_first + in_second, " of ",
                           left.tensor, ", ", first.tensor, " and ", second.tensor, ", and it must be in two"),
                    "rows are in X and F of X=X+F*G, columns in X and G, inner indices in F and G; a batch is a loop "
                    "outside");
      }
      const MatrixRole role = !in_second ? MatrixRole::row : !in_first ? MatrixRole::column : MatrixRole::inner;
      out_.roles.push_back(role);
      std::int64_t& extent = role == MatrixRole::row      ? extents.rows
                             : role == MatrixRole::column ? extents.columns
                                                          : extents.inner;
      extent *= loop->extent;
    }
    for (const Index& subscript : left.subscripts) {
      for (std::size_t i = 0; i < loops_.size(); ++i) {
        if (!occurs(subscript, loops_[i]->index)) continue;
        if (is_column_seen && out_.roles[i] == MatrixRole::row) {
          return fail("matrix-form", Site::Part::left,
                      concat("in ", left.tensor, " the columns, which ", second.tensor,
                             " has, stand before the rows, which ", first.tensor, " has"),
                      "exchange the two factors");
        }
        is_column_seen = is_column_seen || out_.roles[i] == MatrixRole::column;
      }
    }
    return check_scopes(left) && check_shape(left, extents);
  }

  bool check_scopes(const Ref& left) {
    if (left.scope != Scope::fragment) {
      return fail("matrix-form", Site::Part::left,
                  concat("a contraction accumulates in f, and ", left.tensor, " is in ", code(left.scope)),
                  "accumulate in a tensor in f and store it afterwards");
    }
    if (out_.second->scope != Scope::shared ||
        (out_.first->scope != Scope::shared && out_.first->scope != Scope::fragment)) {
      const Ref& wrong = out_.second->scope != Scope::shared ? *out_.second : *out_.first;
      return fail("matrix-form", Site::Part::right, concat("the factor ", wrong.tensor, " is in ", code(wrong.scope)),
                  "the first factor is in s or f, the second in s: stage it, with cache_read_write");
    }
    return true;
  }

  bool check_shape(const Ref& left, const MatrixShape& extents) {
    const DType factors = out_.first->dtype;
    const auto shape = out_.second->dtype == factors ? matrix_shape(factors, left.dtype) : std::nullopt;
    if (!shape) {
      return fail("matrix-shape", Site::Part::right,
                  concat("there is no instruction for factors in ", code(factors), " and ", code(out_.second->dtype),
                         " and a sum in ", code(left.dtype)),
                  "f16 is summed in f32 or f16, bf16 in f32, f64 in f64; other types have the move tile");
    }
    out_.shape = *shape;
    if (out_.first->scope == Scope::fragment && factors == DType::f64) {
      return fail("matrix-form", Site::Part::right,
                  concat("the factor ", out_.first->tensor, " is in f, and sums in f64 do not lie as factors do"),
                  "store it in a tensor in s and read it from there");
    }
    const std::pair<std::string_view, std::pair<std::int64_t, std::int64_t>> sides[] = {
        {"rows", {extents.rows, shape->rows}},
        {"columns", {extents.columns, shape->columns}},
        {"inner iterations", {extents.inner, shape->inner}}};
    for (const auto& [what, numbers] : sides) {
      if (numbers.first % numbers.second == 0) continue;
      return fail("matrix-shape", Site::Part::left,
                  concat(numbers.first, ' ', what, ", and the instruction for ", code(factors), " takes multiples of ",
                         numbers.second),
                  "round the loop up and fill what is beyond the edge in the staged copy");
    }
    return true;
  }

  /// Operands in f: a T index for each subscript, in the order of the header, with an offset.
  bool check_fragments() {
    bool good = check_fragment(*statement_.equation->left, Site::Part::left);
    for_each_ref(*statement_.equation->right, [&](const RefPtr& ref) {
      if (good) good = check_fragment(*ref, Site::Part::right);
    });
    return good;
  }

  bool check_fragment(const Ref& ref, Site::Part part) {
    for (const Index& subscript : ref.subscripts) {
      bool reads = false;
      for_each_read(subscript, [&](const RefPtr& read) { reads = reads || read->scope == Scope::fragment; });
      if (reads)
        return fail("fragment", part, concat("a subscript of ", ref.tensor, " reads f data"), "read it from s or g");
    }
    if (ref.scope != Scope::fragment) return true;
    std::optional<std::size_t> last;
    for (const Index& subscript : ref.subscripts) {
      const auto position = tile_index(subscript);
      const std::int64_t step = position ? step_of(ref, *position) : kStep;
      if (!position || !is_offset(subscript, step)) {
        return fail("fragment", part,
                    concat("a subscript of ", ref.tensor,
                           ", which is in f, is not one T index with an offset that is a multiple of ", step),
                    "subscripts of f data are T indices, plus constants and indices of U loops");
      }
      if (last && *position <= *last) {
        return fail("fragment", part,
                    concat("the T indices of ", ref.tensor, ", which is in f, are not in the order of the header"),
                    "f data cannot be transposed: write the T loops in the order of its subscripts, or go through s");
      }
      last = position;
    }
    return true;
  }

  /// The number of the one T loop whose index the subscript adds.
  [[nodiscard]] std::optional<std::size_t> tile_index(const Index& subscript) const {
    std::optional<std::size_t> found;
    for (const IndexTerm& term : subscript.terms()) {
      const auto* variable = term.factors.size() == 1 ? std::get_if<LoopVariable>(&term.factors[0]) : nullptr;
      if (!variable) return std::nullopt;
      if (!indices_.contains(variable->name)) continue;
      if (found || term.coefficient != 1) return std::nullopt;
      for (std::size_t i = 0; i < loops_.size(); ++i) {
        if (loops_[i]->index == variable->name) found = i;
      }
    }
    return found;
  }

  /// All but the T index: constants and indices of U loops, in steps of the instruction.
  [[nodiscard]] bool is_offset(const Index& subscript, std::int64_t step) const {
    if (subscript.constant_term() < 0 || subscript.constant_term() % step != 0) return false;
    return std::all_of(subscript.terms().begin(), subscript.terms().end(), [&](const IndexTerm& term) {
      const std::string& name = std::get<LoopVariable>(term.factors[0]).name;
      if (indices_.contains(name)) return true;
      const auto loop = std::find_if(statement_.loops.begin(), statement_.loops.end(),
                                     [&](const Loop* other) { return other->index == name; });
      return loop != statement_.loops.end() && (*loop)->kind == LoopKind::unrolled && term.coefficient % step == 0;
    });
  }

  [[nodiscard]] std::int64_t step_of(const Ref&, std::size_t position) const {
    switch (out_.roles[position]) {
      case MatrixRole::row: return out_.form == MatrixForm::contraction ? out_.shape.rows : kStep;
      case MatrixRole::column: return out_.form == MatrixForm::contraction ? out_.shape.columns : kStep;
      case MatrixRole::inner: return out_.shape.inner;
      case MatrixRole::any: break;
    }
    return kStep;
  }

  bool check_guards() {
    if (out_.form == MatrixForm::elementwise) return true;
    for (const ExprPtr& guard : statement_.guards) {
      bool found = false;
      for_each_variable(*guard, [&](const std::string& name) { found = found || indices_.contains(name); });
      if (!found) continue;
      Site site{{statement_.items.begin(), statement_.items.end() - 1}, Site::Part::guard, {}, {}};
      problem_ = MatrixProblem{
          "matrix-form", std::move(site), "a guard on T indices stands around a contraction or a reduction",
          "fill the operands beyond the edge instead; guards on T indices go with loads, stores and "
          "elementwise equations"};
      return false;
    }
    return true;
  }

  const Statement& statement_;
  MatrixNest out_;
  std::vector<const Loop*> loops_;
  std::set<std::string> indices_;
  std::optional<MatrixProblem> problem_;
};

}  // namespace

bool has_matrix_loops(const Statement& statement) {
  return std::any_of(statement.loops.begin(), statement.loops.end(),
                     [](const Loop* loop) { return loop->kind == LoopKind::tensorized; });
}

Result<MatrixNest, MatrixProblem> matrix_nest(const Statement& statement) { return NestReader(statement).run(); }

std::optional<MatrixShape> matrix_shape(DType factors, DType sum) {
  for (const ShapeRow& row : kShapes) {
    if (row.factors == factors && row.sum == sum) return row.shape;
  }
  return std::nullopt;
}

}  // namespace steptp
