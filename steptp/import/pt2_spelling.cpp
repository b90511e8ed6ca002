#include "steptp/import/pt2_spelling.h"

#include <algorithm>
#include <array>

namespace steptp::graph::pt2 {

namespace {

constexpr std::array kSpellings = {
    Spelling{"aten.absolute.default", "aten.abs.default"},
    Spelling{"aten.concatenate.default", "aten.cat.default"},
    Spelling{"aten.div.Scalar_mode", "aten.div.Tensor_mode"},
    Spelling{"aten.div_.Scalar_mode", "aten.div_.Tensor_mode"},
    Spelling{"aten.divide.Scalar", "aten.div.Scalar"},
    Spelling{"aten.divide_.Tensor", "aten.div_.Tensor"},
    Spelling{"aten.floor_divide.Scalar", "aten.floor_divide.default"},
    Spelling{"aten.floor_divide_.Scalar", "aten.floor_divide_.default"},
    Spelling{"aten.floor_divide_.Tensor", "aten.floor_divide_.default"},
    Spelling{"aten.greater.Scalar", "aten.gt.Scalar"},
    Spelling{"aten.greater.Tensor", "aten.gt.Tensor"},
    Spelling{"aten.greater_equal.Scalar", "aten.ge.Scalar"},
    Spelling{"aten.greater_equal.Tensor", "aten.ge.Tensor"},
    Spelling{"aten.less.Scalar", "aten.lt.Scalar"},
    Spelling{"aten.less.Tensor", "aten.lt.Tensor"},
    Spelling{"aten.less_equal.Scalar", "aten.le.Scalar"},
    Spelling{"aten.less_equal.Tensor", "aten.le.Tensor"},
    Spelling{"aten.multiply.Scalar", "aten.mul.Scalar"},
    Spelling{"aten.multiply_.Tensor", "aten.mul_.Tensor"},
    Spelling{"aten.negative.default", "aten.neg.default"},
    Spelling{"aten.not_equal.Scalar", "aten.ne.Scalar"},
    Spelling{"aten.not_equal.Tensor", "aten.ne.Tensor"},
    Spelling{"aten.pow_.Scalar", "aten.pow_.Tensor_Scalar"},
    Spelling{"aten.pow_.Tensor", "aten.pow_.Tensor_Tensor"},
    Spelling{"aten.special_erf.default", "aten.erf.default"},
    Spelling{"aten.special_exp2.default", "aten.exp2.default"},
    Spelling{"aten.special_expm1.default", "aten.expm1.default"},
    Spelling{"aten.special_log1p.default", "aten.log1p.default"},
    Spelling{"aten.special_log_softmax.default", "aten.log_softmax.int"},
    Spelling{"aten.special_logsumexp.default", "aten.logsumexp.default"},
    Spelling{"aten.special_round.default", "aten.round.default"},
    Spelling{"aten.special_softmax.default", "aten.softmax.int"},
    Spelling{"aten.special_xlogy.default", "aten.xlogy.Tensor"},
    Spelling{"aten.subtract.Scalar", "aten.sub.Scalar"},
    Spelling{"aten.subtract.Tensor", "aten.sub.Tensor"},
    Spelling{"aten.true_divide.Scalar", "aten.div.Scalar"},
};
static_assert(std::is_sorted(kSpellings.begin(), kSpellings.end(),
                             [](const Spelling& left, const Spelling& right) { return left.other < right.other; }));

}  // namespace

std::string_view usual_name(std::string_view op) {
  const auto* found = std::lower_bound(kSpellings.begin(), kSpellings.end(), op,
                                       [](const Spelling& row, std::string_view name) { return row.other < name; });
  return found != kSpellings.end() && found->other == op ? found->usual : op;
}

std::span<const Spelling> other_spellings() { return kSpellings; }

}  // namespace steptp::graph::pt2
