#include "steptp/costs/cost_model.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "steptp/base/text.h"

namespace steptp::costs {

namespace {

constexpr std::int64_t kVersion = 1;
/// A kernel is not believed to take more, or less, than so many times what the analytic model says.
constexpr double kMostFactor = 64;

/// The shortest number that is read back as the same float.
Json number_of(float value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  double out = 0;
  std::from_chars(text, end, out);
  return out;
}

Json to_json(const Tree& tree) {
  Json::Array out;
  for (const TreeNode& node : tree) {
    if (node.feature < 0) {
      out.push_back(number_of(node.value));
      continue;
    }
    Json::Array question;
    question.emplace_back(static_cast<std::int64_t>(node.feature));
    question.push_back(number_of(node.threshold));
    question.emplace_back(static_cast<std::int64_t>(node.other));
    out.emplace_back(std::move(question));
  }
  return out;
}

/// Nothing where it is no tree.
std::optional<Tree> tree_from_json(const Json& json) {
  const Json::Array* entries = json.as_array();
  if (!entries || entries->empty()) return std::nullopt;
  Tree out;
  for (const Json& entry : *entries) {
    TreeNode node;
    if (const Json::Array* question = entry.as_array()) {
      if (question->size() != 3) return std::nullopt;
      const std::int64_t* feature = (*question)[0].as_integer();
      const std::int64_t* other = (*question)[2].as_integer();
      const bool is_good = feature && *feature >= 0 && *feature < static_cast<std::int64_t>(kFeatures) && other &&
                           *other > static_cast<std::int64_t>(out.size()) + 1 &&
                           *other < static_cast<std::int64_t>(entries->size()) && (*question)[1].is_number();
      if (!is_good) return std::nullopt;
      node.feature = static_cast<std::int32_t>(*feature);
      node.threshold = static_cast<float>((*question)[1].number());
      node.other = static_cast<std::uint32_t>(*other);
    } else if (entry.is_number()) {
      node.value = static_cast<float>(entry.number());
    } else {
      return std::nullopt;
    }
    out.push_back(node);
  }
  // The last node is an answer, so every way through the tree ends at one.
  if (out.back().feature >= 0) return std::nullopt;
  return out;
}

Json names_json() {
  Json::Array out;
  for (const std::string_view name : feature_names()) out.emplace_back(std::string(name));
  return out;
}

}  // namespace

float value_of(const Tree& tree, const Features& features) {
  std::size_t at = 0;
  while (tree[at].feature >= 0) {
    const bool is_small = features[static_cast<std::size_t>(tree[at].feature)] <= tree[at].threshold;
    at = is_small ? at + 1 : tree[at].other;
  }
  return tree[at].value;
}

double CostModel::correction(const Features& features) const {
  double out = 0;
  for (const Tree& tree : trees) out += static_cast<double>(value_of(tree, features));
  return std::clamp(out, -std::log(kMostFactor), std::log(kMostFactor));
}

double CostModel::seconds(const ProgramCase& program) const {
  double out = program.besides;
  for (const KernelCase& kernel : program.kernels) out += kernel.expected * std::exp(correction(kernel.features));
  return out;
}

Result<double, std::string> expected_seconds(const Program& program, const DeviceRates& device,
                                             const CostModel* model) {
  if (!model) {
    const auto analytic = estimate(program, device);
    return analytic ? Result<double, std::string>(analytic->seconds) : analytic.error();
  }
  const auto summary = estimation::summary_of(program);
  if (!summary) return summary.error();
  return model->seconds(case_of(*summary, device));
}

Json to_json(const CostModel& model) {
  Json::Array trees;
  for (const Tree& tree : model.trees) trees.push_back(to_json(tree));
  Json out;
  out.set("version", kVersion).set("device", model.device).set("card", model.card).set("features", names_json());
  return out.set("trees", std::move(trees));
}

Result<CostModel, std::string> cost_model_from_json(const Json& json) {
  const Json* version = json.find("version");
  if (!version || !version->as_integer() || *version->as_integer() != kVersion)
    return concat("this is no cost model of version ", kVersion);
  const Json* device = json.find("device");
  const Json* names = json.find("features");
  const Json* trees = json.find("trees");
  if (!device || !device->as_string() || !names || !trees || !trees->as_array())
    return std::string("\"device\", \"features\" or \"trees\" is missing");
  if (names->dump() != names_json().dump())
    return std::string("it was trained with other features than this program has");
  CostModel out;
  out.device = *device->as_string();
  if (const Json* card = json.find("card")) out.card = *card;
  for (const Json& entry : *trees->as_array()) {
    auto tree = tree_from_json(entry);
    if (!tree) return concat("tree ", out.trees.size(), " is damaged");
    out.trees.push_back(*std::move(tree));
  }
  return out;
}

}  // namespace steptp::costs
