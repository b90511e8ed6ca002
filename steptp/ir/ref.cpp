#include "steptp/ir/ref.h"

#include <utility>

#include "steptp/base/recycled.h"

namespace steptp {

RefPtr make_ref(std::string tensor, DType dtype, Placement scope, std::vector<Index> subscripts) {
  return make_recycled<const Ref>(Ref{std::move(tensor), dtype, scope, std::move(subscripts)});
}

bool equal(const Ref& left, const Ref& right) {
  return &left == &right || (left.tensor == right.tensor && left.dtype == right.dtype && left.scope == right.scope &&
                             left.subscripts == right.subscripts);
}

int compare(const Ref& left, const Ref& right) {
  if (const int names = left.tensor.compare(right.tensor)) return names;
  if (left.dtype != right.dtype) return left.dtype < right.dtype ? -1 : 1;
  if (left.scope.scope != right.scope.scope) return left.scope.scope < right.scope.scope ? -1 : 1;
  if (left.scope.depth != right.scope.depth) return left.scope.depth < right.scope.depth ? -1 : 1;
  if (left.subscripts.size() != right.subscripts.size()) {
    return left.subscripts.size() < right.subscripts.size() ? -1 : 1;
  }
  for (std::size_t i = 0; i < left.subscripts.size(); ++i) {
    if (const int order = compare(left.subscripts[i], right.subscripts[i])) return order;
  }
  return 0;
}

Hash hash_of(const Ref& ref) {
  // Depths count from 64, so that hashes of programs without them, which datasets keep, stay as they are.
  const Hash depth = ref.scope.depth > 1 ? Hash{64} * ref.scope.depth : 0;
  Hash hash =
      combine(hash_text(ref.tensor), static_cast<Hash>(ref.dtype) * 4 + static_cast<Hash>(ref.scope.scope) + depth);
  for (const Index& subscript : ref.subscripts) hash = combine(hash, subscript.hash());
  return hash;
}

}  // namespace steptp
