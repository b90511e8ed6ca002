// Which subscripts of fragments are rows: contractions and reductions say so of what they touch, and elementwise nests
// pass it on.
#include <algorithm>
#include <utility>

#include "steptp/analysis/matrix_nests.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

bool occurs(const Ref& ref, const std::string& name) {
  bool found = false;
  for (const Index& subscript : ref.subscripts) {
    for_each_variable(subscript, [&](const std::string& other) { found = found || other == name; });
  }
  return found;
}

/// Finds how many subscripts of each fragment are rows, by going over the nests until nothing new is known.
class RowFinder {
 public:
  RowFinder(const AccessTable& table, const std::vector<std::size_t>& statements) : table_(table) {
    for (const std::size_t number : statements) {
      const Statement& statement = table.statements[number];
      if (!has_matrix_loops(statement)) continue;
      if (auto nest = matrix_nest(statement)) nests_.emplace_back(&statement, std::move(nest).value());
    }
  }

  Result<std::map<std::string, std::size_t>, MatrixProblem> run() {
    for (bool changed = true; changed && !problem_;) {
      changed = false;
      for (const auto& [statement, nest] : nests_) changed = take(*statement, nest) || changed;
    }
    if (problem_) return std::move(*problem_);
    for (const auto& [name, tensor] : table_.tensors) {
      if (tensor.scope == Scope::fragment) rows_.try_emplace(name, std::min<std::size_t>(1, tensor.rank));
    }
    return std::move(rows_);
  }

 private:
  static std::vector<RefPtr> fragments_of(const Statement& statement) {
    std::vector<RefPtr> out;
    const auto add = [&](const RefPtr& ref) {
      if (ref->scope == Scope::fragment) out.push_back(ref);
    };
    add(statement.equation->left);
    for_each_ref(*statement.equation->right, add);
    return out;
  }

  /// How many of the first `loops` T loops the subscripts of a reference have.
  static std::size_t among(const Ref& ref, const Statement& statement, const MatrixNest& nest, std::size_t loops) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < loops; ++i) count += occurs(ref, statement.loops[nest.first_loop + i]->index) ? 1 : 0;
    return count;
  }

  bool take(const Statement& statement, const MatrixNest& nest) {
    bool changed = false;
    if (nest.form == MatrixForm::contraction) {
      for (const RefPtr& ref : {statement.equation->left, nest.first}) {
        if (ref->scope != Scope::fragment) continue;
        std::size_t rows = 0;
        for (std::size_t i = 0; i < nest.roles.size(); ++i) {
          const bool is_row = nest.roles[i] == MatrixRole::row;
          rows += is_row && occurs(*ref, statement.loops[nest.first_loop + i]->index) ? 1 : 0;
        }
        changed = note(statement, *ref, rows) || changed;
      }
      return changed;
    }
    std::optional<std::size_t> rows;
    const std::size_t loops = nest.roles.size();
    if (nest.form == MatrixForm::reduction) {
      rows = static_cast<std::size_t>(std::count(nest.roles.begin(), nest.roles.end(), MatrixRole::row));
    }
    for (const RefPtr& ref : fragments_of(statement)) {
      const auto known = rows_.find(ref->tensor);
      if (!rows && known != rows_.end() && ref->subscripts.size() == loops) rows = known->second;
    }
    if (!rows) return false;
    for (const RefPtr& ref : fragments_of(statement)) {
      changed = note(statement, *ref, among(*ref, statement, nest, *rows)) || changed;
    }
    return changed;
  }

  bool note(const Statement& statement, const Ref& ref, std::size_t rows) {
    const auto [known, is_new] = rows_.try_emplace(ref.tensor, rows);
    if (is_new || known->second == rows || problem_) return is_new;
    problem_ = MatrixProblem{"fragment", Site{statement.items, Site::Part::left, {}, {}},
                             concat("of the subscripts of ", ref.tensor, ", which is in f, ", rows,
                                    " are rows here, but elsewhere ", known->second),
                             "a fragment keeps its rows and columns: go through a tensor in s"};
    return false;
  }

  const AccessTable& table_;
  std::vector<std::pair<const Statement*, MatrixNest>> nests_;
  std::map<std::string, std::size_t> rows_;
  std::optional<MatrixProblem> problem_;
};

}  // namespace

Result<std::map<std::string, std::size_t>, MatrixProblem> fragment_rows(const AccessTable& table,
                                                                        const std::vector<std::size_t>& statements) {
  return RowFinder(table, statements).run();
}

}  // namespace steptp
