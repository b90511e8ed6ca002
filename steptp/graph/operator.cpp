#include "steptp/graph/operator.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "steptp/base/text.h"

namespace steptp::graph {

namespace {

struct Family {
  std::string_view name;
  std::span<const OperatorRow> (*rows)();
};
constexpr std::array kFamilies = {Family{"pointwise", pointwise_operators},
                                  Family{"activations", activation_operators},
                                  Family{"reductions", reduction_operators},
                                  Family{"views", view_operators},
                                  Family{"creation", creation_operators},
                                  Family{"indexing", index_operators},
                                  Family{"scattering", scatter_operators},
                                  Family{"order", order_operators},
                                  Family{"upsampling", upsample_operators},
                                  Family{"matrices", matrix_operators},
                                  Family{"convolutions", convolution_operators},
                                  Family{"pooling", pooling_operators},
                                  Family{"norms", norm_operators},
                                  Family{"losses", loss_operators},
                                  Family{"sequences", sequence_operators}};

bool by_name(const Operator& left, const Operator& right) { return left.schema.name < right.schema.name; }

std::vector<Operator> make_table() {
  std::vector<Operator> out;
  for (const Family& family : kFamilies) {
    for (const OperatorRow& row : family.rows()) {
      out.push_back({parse_schema(row.schema), row.infer, row.torch, family.name});
    }
  }
  std::sort(out.begin(), out.end(), by_name);
  for (std::size_t at = 1; at < out.size(); ++at) {
    if (!by_name(out[at - 1], out[at])) throw std::logic_error(concat("operator listed twice: ", out[at].schema.name));
  }
  return out;
}

}  // namespace

const std::vector<Operator>& all_operators() {
  static const std::vector<Operator> kTable = make_table();
  return kTable;
}

const Operator* find_operator(std::string_view name) {
  const std::vector<Operator>& table = all_operators();
  const auto found =
      std::lower_bound(table.begin(), table.end(), name,
                       [](const Operator& op, std::string_view wanted) { return op.schema.name < wanted; });
  return found != table.end() && found->schema.name == name ? &*found : nullptr;
}

}  // namespace steptp::graph
