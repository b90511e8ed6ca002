/// common_subexpression_elimination: a sub-expression that stands in several equations is computed once.
///   D_{a}=exp(A_{a})-1; E_{c}=exp(A_{c})+1;   -->   F_{a}=exp(A_{a}); D_{a}=F_{a}-1; E_{c}=F_{c}+1;
/// Safe because all occurrences are the same up to the names of loops with equal extents, and everything that they read
/// is complete before the first of them and never written again.
#include <algorithm>
#include <map>

#include "steptp/base/text.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/origins.h"
#include "steptp/structure/types.h"

namespace steptp {

namespace {

constexpr Precondition kPublished[] = {
    {Check::operation_identity, "identical",
     "the same operations on the same tensors stand in at least one more place"},
    {Check::loop_nest_consistency, "same-loops", "corresponding loops have equal extents"},
};
constexpr Precondition kSafety[] = {
    {Check::fact, "computes", "the part is not a number, an index, a read or a condition, and has a dtype"},
    {Check::fact, "always", "the first occurrence does not stand in a branch of an if_then_else or under a guard"},
    {Check::order, "complete", "everything it reads is in g and written before the first expression that holds it"},
    {Check::size, "memory", "the new tensor has at most 2^31 elements"},
};
constexpr const Precondition& kIdentical = kPublished[0];
constexpr const Precondition& kSameLoops = kPublished[1];
constexpr const Precondition& kComputes = kSafety[0];
constexpr const Precondition& kAlways = kSafety[1];
constexpr const Precondition& kComplete = kSafety[2];
constexpr const Precondition& kMemory = kSafety[3];
constexpr Component kModifies[] = {Component::expressions, Component::equations, Component::variables};
constexpr NewElement kIntroduces[] = {NewElement::variables, NewElement::expressions};

/// A sub-expression with its loops in the order in which they occur in it, and the same with those named #0, #1, ...
struct Shape {
  std::vector<const Loop*> loops;
  ExprPtr named;
};

std::optional<Shape> shape_of(const PlacedExpr& part) {
  Shape out;
  Rewriter rewriter;
  for_each_variable(*part.expr, [&](const std::string& name) {
    if (rewriter.variables.contains(name)) return;
    for (const Loop* loop : part.statement->loops) {
      if (loop->index == name) out.loops.push_back(loop);
    }
    rewriter.variables.emplace(name, Index::variable(concat("#", rewriter.variables.size())));
  });
  out.named = rewrite(part.expr, rewriter);
  if (!out.named || out.loops.size() != rewriter.variables.size()) return std::nullopt;
  return out;
}

bool equal_extents(const Shape& a, const Shape& b) {
  return std::equal(a.loops.begin(), a.loops.end(), b.loops.begin(), b.loops.end(),
                    [](const Loop* x, const Loop* y) { return x->extent == y->extent; });
}

struct Common {
  std::vector<PlacedExpr> places;  ///< the first one defines
  std::vector<Shape> shapes;
  DType dtype = DType::f32;
  std::vector<const Loop*> loops;  ///< of the first, outermost first
};

/// Sub-expressions by what they look like without the names of loops.
class Catalogue {
 public:
  explicit Catalogue(View& view) {
    for (PlacedExpr& part : all_expressions(view)) {
      if (is_leaf(*part.expr)) continue;
      auto shape = is_condition(*part.expr) ? std::nullopt : shape_of(part);
      if (shape) by_hash_[shape->named->hash].push_back(entries_.size());
      entries_.push_back({std::move(part), std::move(shape)});
    }
  }
  struct Entry {
    PlacedExpr part;
    std::optional<Shape> shape;  ///< of what could be taken out
  };
  /// All that are no leaves, in the order of the text.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] std::vector<const Entry*> like(const Shape& shape) const {
    std::vector<const Entry*> out;
    for (const std::size_t number : by_hash_.at(shape.named->hash)) {
      if (equal(*entries_[number].shape->named, *shape.named)) out.push_back(&entries_[number]);
    }
    return out;
  }
  /// The entry of a sub-expression; null where it is a leaf.
  [[nodiscard]] const Entry* find(const PlacedExpr& part) const {
    const auto at = std::find_if(entries_.begin(), entries_.end(),
                                 [&](const Entry& entry) { return entry.part.site == part.site; });
    return at == entries_.end() ? nullptr : &*at;
  }

 private:
  std::vector<Entry> entries_;
  std::map<Hash, std::vector<std::size_t>> by_hash_;
};

/// Everything that is read is complete before the expression and stays as it is.
std::optional<Refusal> refuse_incomplete(View& view, const PlacedExpr& part) {
  const AccessTable& table = view.table();
  for (const std::string& name : tensors_of(*part.expr)) {
    const TensorFacts& tensor = table.tensors.at(name);
    const bool global = tensor.scope == Scope::global;
    const bool complete = std::all_of(tensor.writes.begin(), tensor.writes.end(), [&](std::size_t number) {
      return table.statements[table.accesses[number].statement].items[0] < part.statement->items[0];
    });
    if (global && complete) continue;
    return Refusal{
        &kComplete, part.site, concat(name, global ? " is written here or later" : " is not in g"), {{"tensor", name}}};
  }
  return std::nullopt;
}

Refusal refuse_plain(const Site& site) { return {&kComputes, site, "a number, an index, a read or a condition", {}}; }

Result<Common, Refusal> plan(View& view, const Catalogue& catalogue, const Catalogue::Entry& entry) {
  const PlacedExpr& part = entry.part;
  const auto type = is_condition(*part.expr) ? std::nullopt : type_of(*part.expr);
  if (!type || type->weak || !entry.shape) return refuse_plain(part.site);
  std::vector<const Catalogue::Entry*> all = catalogue.like(*entry.shape);
  const auto other_extents =
      std::erase_if(all, [&](const Catalogue::Entry* other) { return !equal_extents(*other->shape, *entry.shape); });
  if (all.size() < 2) {
    if (other_extents > 0) return Refusal{&kSameLoops, part.site, "other occurrences have loops of other extents", {}};
    return Refusal{&kIdentical, part.site, "it occurs once", {{"occurrences", 1}}};
  }
  Common out;
  out.dtype = type->dtype;
  if (std::any_of(all.begin(), all.end(), [](const Catalogue::Entry* other) { return is_wide_product(other->part); })) {
    return Refusal{&kComputes, part.site, "a product that is computed in the type of the sum that it is added to", {}};
  }
  for (const Catalogue::Entry* other : all) {
    out.places.push_back(other->part);
    out.shapes.push_back(*other->shape);
  }
  if (!(out.places[0].site == part.site)) {
    return Refusal{&kIdentical, part.site, concat("it occurs first at ", to_text(out.places[0].site)), {}};
  }
  if (part.is_branch || !part.statement->guards.empty()) {
    return Refusal{&kAlways, part.site, "it is computed under a condition", {}};
  }
  if (auto refusal = refuse_incomplete(view, part)) return *std::move(refusal);
  for (const Loop* loop : part.statement->loops) {
    if (std::find(out.shapes[0].loops.begin(), out.shapes[0].loops.end(), loop) != out.shapes[0].loops.end()) {
      out.loops.push_back(loop);
    }
  }
  if (elements_of(out.loops, kMaxTensorElements) > kMaxTensorElements) {
    return Refusal{&kMemory, part.site, "the tensor would have more than 2^31 elements", {}};
  }
  return out;
}

/// The new tensor where an occurrence stood: the loops of the first, in the names of that occurrence.
ExprPtr use(const Common& common, std::size_t number, const std::string& tensor) {
  std::vector<Index> subscripts;
  for (const Loop* loop : common.loops) {
    const auto at = std::find(common.shapes[0].loops.begin(), common.shapes[0].loops.end(), loop);
    const auto place = static_cast<std::size_t>(at - common.shapes[0].loops.begin());
    subscripts.push_back(Index::variable(common.shapes[number].loops[place]->index));
  }
  return read_expr(make_ref(tensor, common.dtype, Scope::global, std::move(subscripts)));
}

/// Occurrences in one equation are replaced from the last to the first: an address does not change by what happens
/// behind it. None contains another, because they are equal.
Program build(View& view, const Common& common, const std::string& tensor) {
  std::map<std::size_t, EquationPtr> changed;
  for (std::size_t i = common.places.size(); i-- > 0;) {
    const PlacedExpr& place = common.places[i];
    const auto [at, fresh] = changed.try_emplace(place.number, nullptr);
    const ExprPtr right = fresh ? place.statement->equation->right : at->second->right;
    const Equation& old = *place.statement->equation;
    at->second = stands_for(make_equation(old.left, with_part(right, place.site.path, use(common, i, tensor))), old);
  }
  Program program = view.program();
  for (const auto& [number, equation] : changed) {
    program = with_items(program, view.table().statements[number].items, {equation});
  }
  std::vector<Loop> loops;
  for (const Loop* loop : common.loops) loops.push_back(*loop);
  if (loops.empty()) loops.push_back({LoopKind::bound, 1, "tx"});
  const ExprPtr first = use(common, 0, tensor);
  const RefPtr left = std::get<Read>(first->node).ref;
  const std::vector<std::uint32_t> expression = {common.places[0].statement->items[0]};
  std::vector<ExprPtr> all;
  for (const PlacedExpr& place : common.places) all.push_back(place.expr);
  const Item nest = make_nest(std::move(loops), nullptr, {make_equation(left, reads_stand_for(all[0], all))});
  return with_items(program, expression, {nest, item_at(program, expression)});
}

void choices(View& view, Listing& listing) {
  const Catalogue catalogue(view);
  for (const Catalogue::Entry& entry : catalogue.entries()) {
    if (listing.allows(plan(view, catalogue, entry))) listing.offer({entry.part.site, {}, false});
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto part = find_expression(view, choice.at);
  if (!part) return part.error();
  const Catalogue catalogue(view);
  const Catalogue::Entry* entry = catalogue.find(*part);
  if (!entry) return refuse_plain(choice.at);
  const auto common = plan(view, catalogue, *entry);
  if (!common) return common.error();
  const std::string tensor = view.fresh_tensors().next();
  Applied out;
  out.program = build(view, *common, tensor);
  for (const PlacedExpr& place : common->places) out.facts.matched.push_back({"part", place.site});
  out.facts.removed = out.facts.matched;
  const std::uint32_t expression = part->statement->items[0];
  out.facts.added = {{"definition", item_site({expression, 0})}, {"nest", item_site({expression})}};
  out.facts.holds = {{&kIdentical, {{"occurrences", static_cast<std::int64_t>(common->places.size())}}},
                     {&kSameLoops, {{"loops", static_cast<std::int64_t>(common->loops.size())}}},
                     {&kComplete, {}}};
  out.facts.values = {{"tensor", tensor}, {"dtype", code(common->dtype)}};
  out.facts.because = concat("all ", common->places.size(),
                             " occurrences compute the same from tensors that are complete "
                             "before the first and not written after it");
  return out;
}

}  // namespace

const Strategy& common_subexpression_elimination_strategy() {
  static constexpr Strategy kStrategy = {
      "common_subexpression_elimination",
      Level::graph,
      "a sub-expression that stands in several places is computed once",
      "D_{a}=exp(A_{a})-1; E_{c}=exp(A_{c})+1;   -->   F_{a}=exp(A_{a}); D_{a}=F_{a}-1; E_{c}=F_{c}+1;",
      "all occurrences are the same up to the names of loops with equal extents, and everything that they read is "
      "complete "
      "before the first of them and never written again",
      "compute_inline",
      {"@input A f32[8]\n@output D f32[8]\n@output E f32[8]\n"
       "B^{8}_{tx=0}[D^{f32,g}_{tx}=exp(A^{f32,g}_{tx})-1;];B^{8}_{tx=0}[E^{f32,g}_{tx}=exp(A^{f32,g}_{tx})+1;];\n",
       R"({"at":"0/0:right.0"})"},
      {},
      kPublished,
      kSafety,
      kModifies,
      kIntroduces,
      choices,
      apply,
  };
  return kStrategy;
}

}  // namespace steptp
