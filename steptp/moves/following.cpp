#include "steptp/moves/following.h"

#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/moves/parts.h"

namespace steptp {

namespace {

/// For each subscript of a tensor what its index is for the kernel.
using Roles = std::vector<std::string>;

/// Whether only these expressions touch an intermediate.
bool is_used_elsewhere(View& view, const std::string& tensor, std::uint32_t first, std::uint32_t last) {
  if (!is_intermediate(view, tensor)) return true;
  for (const Access& access : view.table().accesses) {
    const std::uint32_t expression = view.table().statements[access.statement].items[0];
    if (access.ref->tensor == tensor && (expression < first || expression > last)) return true;
  }
  return false;
}

/// What the loops of an expression are for the kernel, by the subscripts of what it reads of the kernel.
class Follower {
 public:
  Follower(View& view, std::map<std::string, Roles>& made) : view_(view), made_(made) {}

  /// The text says why it is none.
  Result<FollowingExpression, std::string> match(std::uint32_t expression,
                                                 const std::map<std::string, std::int64_t>& extents) {
    if (expression >= view_.program().nests.size()) return std::string("there is no expression behind it any more");
    const Statement* statement = only_statement(view_, expression);
    if (!statement || statement->items.size() != 2 || !statement->guards.empty()) {
      return concat("expression ", expression, " is not one equation in one header, without a guard");
    }
    if (!name_indices(*statement, extents)) {
      return concat("expression ", expression, " reads other elements than it has loops");
    }
    name_single_iterations(*statement, extents);
    FollowingExpression out;
    for (const Loop* loop : statement->loops) {
      const auto role = role_of_.find(loop->index);
      if (role == role_of_.end() || extents.at(role->second) != loop->extent) {
        return concat("expression ", expression, " has the loop ", loop->index, ", which the result has not");
      }
      out.roles.push_back(role->second);
    }
    if (out.roles.size() != extents.size()) return concat("expression ", expression, " lacks loops of the result");
    const Ref& left = *statement->equation->left;
    out.result = left.tensor;
    const auto indices = plain_indices(left);
    if (!indices || indices->size() != statement->loops.size()) {
      return concat("expression ", expression, " has no element of its own for each iteration");
    }
    Roles roles;
    for (const std::string& index : *indices) roles.push_back(role_of_.at(index));
    const auto known = made_.find(left.tensor);
    if (known != made_.end() && known->second != roles) {
      return concat("expression ", expression, " writes ", left.tensor, " again, elsewhere");
    }
    made_[left.tensor] = std::move(roles);
    return out;
  }

 private:
  bool name_indices(const Statement& statement, const std::map<std::string, std::int64_t>& extents) {
    bool fits = true;
    bool reads = false;
    for_each_ref(*statement.equation->right, [&](const RefPtr& ref) {
      const auto made = made_.find(ref->tensor);
      if (made == made_.end()) return;
      reads = true;
      fits = fits && ref->subscripts.size() == made->second.size();
      for (std::size_t i = 0; fits && i < ref->subscripts.size(); ++i) {
        const Index& subscript = ref->subscripts[i];
        const std::string& role = made->second[i];
        if (subscript == Index() && extents.at(role) == 1) continue;
        const std::string* variable = subscript.as_variable();
        fits = variable && role_of_.try_emplace(*variable, role).first->second == role;
      }
    });
    return fits && reads;
  }

  /// Where the result's only element along a loop is read as element 0, any loop of one iteration stands for it.
  void name_single_iterations(const Statement& statement, const std::map<std::string, std::int64_t>& extents) {
    for (const auto& [role, extent] : extents) {
      const bool is_named = std::any_of(role_of_.begin(), role_of_.end(),
                                        [&, wanted = role](const auto& entry) { return entry.second == wanted; });
      if (is_named || extent != 1) continue;
      for (const Loop* loop : statement.loops) {
        if (loop->extent == 1 && role_of_.try_emplace(loop->index, role).second) break;
      }
    }
  }

  View& view_;
  std::map<std::string, Roles>& made_;
  std::map<std::string, std::string> role_of_;
};

}  // namespace

/// The indices of a reference, where each subscript is one.
std::optional<std::vector<std::string>> plain_indices(const Ref& ref) {
  std::vector<std::string> out;
  for (const Index& subscript : ref.subscripts) {
    const std::string* variable = subscript.as_variable();
    if (!variable || std::find(out.begin(), out.end(), *variable) != out.end()) return std::nullopt;
    out.push_back(*variable);
  }
  return out;
}

Result<Following, std::string> find_following(View& view, const FollowedResult& result, std::int64_t count) {
  std::map<std::string, Roles> made = {{result.result, result.subscript_roles}};
  Following out;
  for (std::int64_t i = 0; i < count; ++i) {
    auto next = Follower(view, made).match(result.expression + 1 + static_cast<std::uint32_t>(i), result.extents);
    if (!next) return next.error();
    out.expressions.push_back(*std::move(next));
  }
  const std::uint32_t last = result.expression + static_cast<std::uint32_t>(count);
  out.is_result_used_elsewhere = is_used_elsewhere(view, result.result, result.expression, last);
  for (FollowingExpression& next : out.expressions) {
    next.is_used_elsewhere = is_used_elsewhere(view, next.result, result.expression, last);
  }
  return out;
}

}  // namespace steptp
