#include "steptp/moves/window_match.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "steptp/analysis/interval.h"
#include "steptp/base/text.h"
#include "steptp/ir/dtype_facts.h"
#include "steptp/strategies/expressions.h"

namespace steptp {

namespace {

/// The one read of a factor: a tensor, or what is padded by a condition on indices.
const Ref* read_of(const Expr& expr) {
  if (const auto* read = std::get_if<Read>(&expr.node)) return read->ref.get();
  const auto* select = std::get_if<Select>(&expr.node);
  if (!select || !is_index_condition(*select->condition)) return nullptr;
  const auto* inside = std::get_if<Read>(&select->if_true->node);
  return inside && tensors_of(*select->if_false).empty() ? inside->ref.get() : nullptr;
}

std::set<std::string> indices_of(const std::vector<AxisOf>& axes) {
  std::set<std::string> out;
  for (const AxisOf& axis : axes) out.insert(axis.index);
  return out;
}

bool has_any(const Index& index, const std::set<std::string>& names) {
  bool found = false;
  for_each_variable(index, [&](const std::string& name) { found = found || names.contains(name); });
  return found;
}

/// A subscript with a loop of both kinds: where a window lies, and where in it.
bool has_window(const Ref& ref, const std::set<std::string>& spatial, const std::set<std::string>& summed) {
  return std::any_of(ref.subscripts.begin(), ref.subscripts.end(),
                     [&](const Index& index) { return has_any(index, spatial) && has_any(index, summed); });
}

/// The number by which every occurrence of a loop in the subscripts is divided, rounding down; nothing where it occurs
/// in another form.
std::optional<std::int64_t> only_divided_by(const Ref& ref, const std::string& loop) {
  std::optional<std::int64_t> by;
  for (const Index& subscript : ref.subscripts) {
    if (!has_any(subscript, {loop})) continue;
    for (const IndexTerm& term : subscript.terms()) {
      for (const IndexAtom& factor : term.factors) {
        const auto* variable = std::get_if<LoopVariable>(&factor);
        if (variable && variable->name == loop) return std::nullopt;
        const auto* remainder = std::get_if<FloorRemainder>(&factor);
        if (remainder && has_any(*remainder->dividend, {loop})) return std::nullopt;
        const auto* quotient = std::get_if<FloorQuotient>(&factor);
        if (!quotient || !has_any(*quotient->dividend, {loop})) continue;
        const std::string* alone = quotient->dividend->as_variable();
        const auto divisor = quotient->divisor->is_constant() ? quotient->divisor->constant_term() : 0;
        if (!alone || divisor < 2 || (by && *by != divisor)) return std::nullopt;
        by = divisor;
      }
    }
  }
  return by;
}

/// The right side without the accumulator, with its place in the sum; null where it does not accumulate by +.
const Product* product_of(const Statement& statement) {
  if (statement.accumulates != ArithmeticOp::add) return nullptr;
  const auto* sum = std::get_if<Sum>(&statement.equation->right->node);
  if (!sum || sum->operands.size() != 2 || sum->operators[0] != ArithmeticOp::add) return nullptr;
  const auto* first = std::get_if<Read>(&sum->operands[0]->node);
  if (!first || !equal(*first->ref, *statement.equation->left)) return nullptr;
  const auto* product = std::get_if<Product>(&sum->operands[1]->node);
  const bool fits = product && product->operands.size() == 2 && product->operators[0] == ArithmeticOp::multiply;
  return fits ? product : nullptr;
}

Result<const Statement*, Refusal> plain_equation(View& view, const Site& site) {
  const auto refuse = [&](std::string why) { return Refusal{&kWindowEquation, site, std::move(why), {}}; };
  const Statement* statement = statement_at(view, site);
  if (!statement || site.items.size() != 1 || statement->items.size() != 2) {
    return refuse("there is no expression here that is one equation in one header");
  }
  if (!statement->guards.empty()) return refuse("it has a guard");
  const auto indices = plain_indices(*statement->equation->left);
  if (!indices || indices->empty()) return refuse("a left subscript is no loop of its own");
  const std::string& result = statement->equation->left->tensor;
  if (view.table().tensors.at(result).effective_scope() != Scope::global) {
    return refuse(concat(result, " is no tensor in global memory"));
  }
  return statement;
}

TiledOperand operand_of(View& view, const Ref& ref, const std::set<std::string>& own,
                        const std::set<std::string>& summed) {
  std::size_t last_own = 0;
  std::size_t last_summed = 0;
  for (std::size_t i = 0; i < ref.subscripts.size(); ++i) {
    if (has_any(ref.subscripts[i], own)) last_own = i;
    if (has_any(ref.subscripts[i], summed)) last_summed = i;
  }
  const DType dtype = view.table().tensors.at(ref.tensor).dtype;
  return {ref.tensor, last_own < last_summed, is_narrow_float(dtype), info(dtype).bytes};
}

/// Tensors, types and what follows, where roles are known by loop.
std::optional<Refusal> complete(View& view, const Site& site, const Statement& statement,
                                const std::map<std::string, std::string>& role_of, std::int64_t following,
                                WindowKernel& kernel) {
  kernel.expression = site.items[0];
  std::map<std::string, std::int64_t> extents;
  for (const Loop* loop : statement.loops) {
    const std::string& role = role_of.at(loop->index);
    kernel.roles.push_back(role);
    if (role[0] != 'k' && role[0] != 's') extents[role] = loop->extent;
  }
  kernel.result = statement.equation->left->tensor;
  const DType dtype = view.table().tensors.at(kernel.result).dtype;
  kernel.is_narrow = is_narrow_float(dtype);
  kernel.element_bytes = std::max(info(dtype).bytes, 4);
  std::vector<std::string> roles;
  for (const Index& subscript : statement.equation->left->subscripts)
    roles.push_back(role_of.at(*subscript.as_variable()));
  auto behind =
      find_following(view, {kernel.expression, kernel.result, std::move(roles), std::move(extents)}, following);
  if (!behind) return Refusal{&kWindowFollowing, site, behind.error(), {}};
  kernel.behind = *std::move(behind);
  return std::nullopt;
}

/// What the loops of a convolution are, by the operands in which they occur.
class ProductMatch {
 public:
  ProductMatch(View& view, const Site& site, const Statement& statement)
      : view_(view), site_(site), statement_(statement) {}

  Result<WindowProduct, Refusal> match(std::int64_t following) {
    const Product* product = product_of(statement_);
    if (!product) return refuse(kWindowProduct, "it is not D=D+A*C");
    for (std::size_t i = 0; i < 2; ++i) {
      refs_[i] = read_of(*product->operands[i]);
      if (!refs_[i]) return refuse(kWindowProduct, "an operand is neither a tensor nor a padded one");
      indices_[i] = variables_of(*product->operands[i]);
    }
    if (refs_[0]->tensor == refs_[1]->tensor) {
      return refuse(kWindowProduct, concat("both operands are ", refs_[0]->tensor));
    }
    if (auto refusal = name_axes()) return *std::move(refusal);
    WindowProduct out;
    out.kernel.group = group_;
    if (auto refusal = complete(view_, site_, statement_, role_of_, following, out.kernel)) return *std::move(refusal);
    out.image_factor = static_cast<std::uint32_t>(image_);
    out.weights = operand_of(view_, *refs_[1 - image_], rows_, summed_);
    out.image = operand_of(view_, *refs_[image_], columns_, summed_);
    return out;
  }

 private:
  [[nodiscard]] Refusal refuse(const Precondition& need, std::string why) const {
    return {&need, site_, std::move(why), {}};
  }

  std::optional<Refusal> name_axes() {
    const Axes axes = axes_of(statement_);
    summed_ = indices_of(axes.reduced);
    const std::set<std::string> spatial = indices_of(axes.spatial);
    const bool windows[2] = {has_window(*refs_[0], spatial, summed_), has_window(*refs_[1], spatial, summed_)};
    if (windows[0] == windows[1]) return refuse(kWindowAxes, "not exactly one operand is read along windows");
    image_ = windows[0] ? 0 : 1;
    std::map<char, int> number;
    const auto name = [&](const AxisOf& axis, char role) { role_of_[axis.index] = concat(role, number[role]++); };
    for (const AxisOf& axis : axes.reduced) {
      const bool in_both = indices_[0].contains(axis.index) && indices_[1].contains(axis.index);
      if (axis.extent > 1 && !in_both)
        return refuse(kWindowAxes, concat(axis.index, " is summed and not in both operands"));
      name(axis, 'k');
    }
    for (const AxisOf& axis : axes.spatial) {
      const bool in_image = indices_[image_].contains(axis.index);
      const bool in_weights = indices_[1 - image_].contains(axis.index);
      if (in_image && in_weights && !name_group(axis)) name(axis, 'z');
      if (in_image && !in_weights) columns_.insert(axis.index), name(axis, 'n');
      if (in_weights && !in_image) rows_.insert(axis.index), name(axis, 'm');
      if (!in_image && !in_weights) return refuse(kWindowAxes, concat(axis.index, " is in neither operand"));
    }
    if (columns_.empty()) return refuse(kWindowAxes, "the result has no pixels");
    if (rows_.empty()) return refuse(kWindowAxes, "the weights have no channels of their own; form halo is for that");
    return std::nullopt;
  }

  /// Channels in groups: the image is read by the group, and the weights by the channel.
  bool name_group(const AxisOf& axis) {
    const auto by = only_divided_by(*refs_[image_], axis.index);
    if (!by || group_ != 1 || axis.extent % *by != 0) return false;
    group_ = *by;
    role_of_[axis.index] = "g";
    rows_.insert(axis.index);
    return true;
  }

  View& view_;
  const Site& site_;
  const Statement& statement_;
  const Ref* refs_[2] = {nullptr, nullptr};
  std::set<std::string> indices_[2];
  std::size_t image_ = 0;
  std::int64_t group_ = 1;
  std::set<std::string> rows_;
  std::set<std::string> columns_;
  std::set<std::string> summed_;
  std::map<std::string, std::string> role_of_;
};

/// What is read along windows and what else is read, below a part of the right side, each tensor once.
class HaloReads {
 public:
  HaloReads(View& view, const Statement& statement) : view_(view), statement_(statement) {
    const Axes axes = axes_of(statement);
    spatial_ = indices_of(axes.spatial);
    summed_ = indices_of(axes.reduced);
    for_each_ref(*statement.equation->right, [&](const RefPtr& ref) { refs_.push_back(ref); });
    walk(statement_.equation->right, {});
  }

  [[nodiscard]] const std::vector<WindowRead>& along_windows() const { return found_; }
  /// What is read with a loop, and not along windows.
  [[nodiscard]] std::vector<WindowRead> others_with(const std::string& loop) const {
    std::vector<WindowRead> out;
    for (const auto& [read, loops] : others_) {
      if (loops.contains(loop)) out.push_back(read);
    }
    return out;
  }
  /// Whether what is read along windows has a loop, in subscripts of its own where it must.
  [[nodiscard]] bool is_in_windows(const std::string& loop) const { return in_windows_.contains(loop); }
  [[nodiscard]] bool is_alone_in_windows(const std::string& loop) const {
    return in_windows_.contains(loop) && !mixed_.contains(loop);
  }

 private:
  void walk(const ExprPtr& expr, const std::vector<std::uint32_t>& path) {
    if (const Ref* ref = read_of(*expr)) {
      add(*ref, path, !std::holds_alternative<Read>(expr->node));
      return;
    }
    const std::vector<const ExprPtr*> parts = children(*expr);
    for (std::uint32_t i = 0; i < parts.size(); ++i) {
      std::vector<std::uint32_t> below = path;
      below.push_back(i);
      walk(*parts[i], below);
    }
  }

  void add(const Ref& ref, const std::vector<std::uint32_t>& path, bool is_padded) {
    if (ref.tensor == statement_.equation->left->tensor) return;
    const bool known =
        std::any_of(found_.begin(), found_.end(), [&](const auto& other) { return other.tensor == ref.tensor; });
    const bool is_global = view_.table().tensors.at(ref.tensor).effective_scope() == Scope::global;
    if (known || !is_global) return;
    if (!has_window(ref, spatial_, summed_) && !is_read_at_several_places(ref)) {
      others_.push_back({{path, ref.tensor, is_padded}, variables_in(ref)});
      return;
    }
    found_.push_back({path, ref.tensor, is_padded});
    for (const Index& subscript : ref.subscripts) {
      std::set<std::string> loops;
      for_each_variable(subscript, [&](const std::string& name) { loops.insert(name); });
      in_windows_.insert(loops.begin(), loops.end());
      if (loops.size() > 1) mixed_.insert(loops.begin(), loops.end());
    }
  }

  static std::set<std::string> variables_in(const Ref& ref) {
    std::set<std::string> out;
    for (const Index& subscript : ref.subscripts) {
      for_each_variable(subscript, [&](const std::string& name) { out.insert(name); });
    }
    return out;
  }

  /// A stencil: one tensor, with the same loops, at different distances.
  bool is_read_at_several_places(const Ref& ref) const {
    return std::any_of(refs_.begin(), refs_.end(),
                       [&](const RefPtr& other) { return other->tensor == ref.tensor && !equal(*other, ref); });
  }

  View& view_;
  const Statement& statement_;
  std::set<std::string> spatial_;
  std::set<std::string> summed_;
  std::vector<RefPtr> refs_;
  std::vector<WindowRead> found_;
  std::vector<std::pair<WindowRead, std::set<std::string>>> others_;
  std::set<std::string> in_windows_;
  std::set<std::string> mixed_;
};

/// The roles of the loops: rows and columns are the last axes of the result. Of the others, one that no window has is
/// for output channels, and of the summed ones, one that windows have in a subscript of its own is for input channels.
std::map<std::string, std::string> halo_roles(const Statement& statement, const std::vector<std::string>& indices,
                                              const HaloReads& reads) {
  std::map<std::string, std::string> out;
  std::size_t parallel = 0;
  std::size_t serial = 0;
  bool has_outputs = false;
  bool has_inputs = false;
  for (const Loop* loop : statement.loops) {
    const auto at = static_cast<std::size_t>(std::find(indices.begin(), indices.end(), loop->index) - indices.begin());
    std::string& role = out[loop->index];
    if (at + 1 == indices.size()) {
      role = "n0";
    } else if (at + 2 == indices.size()) {
      role = "m0";
    } else if (at < indices.size()) {
      const bool is_output = !has_outputs && loop->extent > 1 && !reads.is_in_windows(loop->index);
      role = is_output ? "c" : concat("z", parallel++);
      has_outputs = has_outputs || is_output;
    } else {
      const bool is_input = !has_inputs && loop->extent > 1 && reads.is_alone_in_windows(loop->index);
      role = is_input ? "k0" : concat("s", serial++);
      has_inputs = has_inputs || is_input;
    }
  }
  return out;
}

}  // namespace

Result<WindowProduct, Refusal> find_window_product(View& view, const Site& site, std::int64_t following) {
  const auto statement = plain_equation(view, site);
  if (!statement) return statement.error();
  return ProductMatch(view, site, **statement).match(following);
}

Result<WindowHalo, Refusal> find_window_halo(View& view, const Site& site, std::int64_t following) {
  const auto found = plain_equation(view, site);
  if (!found) return found.error();
  const Statement& statement = **found;
  WindowHalo out;
  const HaloReads reads(view, statement);
  out.reads = reads.along_windows();
  if (out.reads.empty()) return Refusal{&kWindowReads, site, "nothing is read along windows", {}};
  const Axes axes = axes_of(statement);
  if (!axes.repeated.empty() && iterations(axes.repeated) > 1) {
    return Refusal{&kWindowEquation, site, "a loop does the same again", {}};
  }
  const auto indices = *plain_indices(*statement.equation->left);
  if (indices.size() < 2) return Refusal{&kWindowEquation, site, "the result has one subscript only", {}};
  const std::map<std::string, std::string> role_of = halo_roles(statement, indices, reads);
  for (const auto& [loop, role] : role_of) {
    if (role == "k0") out.others = reads.others_with(loop);
  }
  out.accumulates = statement.accumulates.has_value();
  out.has_sum = statement.accumulates == ArithmeticOp::add || statement.accumulates == ArithmeticOp::multiply;
  if (auto refusal = complete(view, site, statement, role_of, following, out.kernel)) return *std::move(refusal);
  return out;
}

}  // namespace steptp
