#include "steptp/ir/canonical.h"

#include <map>
#include <utility>

#include "steptp/ir/names.h"

namespace steptp {

namespace {

class Canonicaliser {
 public:
  explicit Canonicaliser(const Program& program) : program_(program), tensors_(tensor_name) {
    for (const Variable& variable : program.signature.variables) {
      tensors_.reserve(variable.name);
      tensor_names_.emplace(variable.name, variable.name);
    }
  }

  Program run() {
    Program result;
    result.name = program_.name;
    result.signature = program_.signature;
    for (const NestPtr& nest : program_.nests) {
      loops_in_nest_ = 0;
      index_names_.clear();
      result.nests.push_back(rename(*nest));
    }
    return result;
  }

 private:
  NestPtr rename(const Nest& nest) {
    const std::map<std::string, std::string> outer = index_names_;
    std::vector<Loop> loops;
    for (const Loop& loop : nest.loops) {
      const std::optional<Axis> axis = axis_of(loop.index);
      std::string name = axis ? std::string(name_of(*axis)) : index_name(loops_in_nest_++);
      index_names_[loop.index] = name;
      loops.push_back({loop.kind, loop.extent, std::move(name)});
    }
    ExprPtr guard = nest.guard ? rename(nest.guard) : nullptr;
    std::vector<Item> items;
    for (const Item& item : nest.items) {
      if (const auto* equation = std::get_if<EquationPtr>(&item)) {
        RefPtr left = rename((*equation)->left);
        items.emplace_back(make_equation(std::move(left), rename((*equation)->right)));
      } else {
        items.emplace_back(rename(*std::get<NestPtr>(item)));
      }
    }
    index_names_ = outer;
    return make_nest(std::move(loops), std::move(guard), std::move(items));
  }

  std::string index_for(const std::string& name) const {
    const auto known = index_names_.find(name);
    return known == index_names_.end() ? name : known->second;
  }

  RefPtr rename(const RefPtr& ref) {
    auto known = tensor_names_.find(ref->tensor);
    if (known == tensor_names_.end()) known = tensor_names_.emplace(ref->tensor, tensors_.next()).first;
    const std::string tensor = known->second;
    const IndexRewriter rewriter{
        [this](const std::string& name) { return std::optional(Index::variable(index_for(name))); },
        [this](const RefPtr& inner) { return rename(inner); }};
    std::vector<Index> subscripts;
    for (const Index& subscript : ref->subscripts) {
      // Renaming cannot overflow: coefficients stay as they are.
      subscripts.push_back(steptp::rewrite(subscript, rewriter).value_or(subscript).sorted());
    }
    return make_ref(tensor, ref->dtype, ref->scope, std::move(subscripts));
  }

  ExprPtr rename(const ExprPtr& expr) {
    if (const auto* value = std::get_if<IndexValue>(&expr->node)) return make_expr(IndexValue{index_for(value->index)});
    if (const auto* read = std::get_if<Read>(&expr->node)) return read_expr(rename(read->ref));
    std::vector<ExprPtr> renamed;
    for (const ExprPtr* place : children(*expr)) renamed.push_back(rename(*place));
    return with_children(expr, renamed);
  }

  const Program& program_;
  NameSource tensors_;
  std::map<std::string, std::string> tensor_names_;
  std::map<std::string, std::string> index_names_;
  std::uint64_t loops_in_nest_ = 0;
};

}  // namespace

Program canonical(const Program& program) { return Canonicaliser(program).run(); }

Hash canonical_hash(const Program& program) { return hash_of(canonical(program)); }

bool same_up_to_renaming(const Program& left, const Program& right) { return equal(canonical(left), canonical(right)); }

}  // namespace steptp
