#include "steptp/import/pt2_node.h"

#include <algorithm>
#include <array>
#include <map>

#include "steptp/base/text.h"
#include "steptp/graph/operator.h"
#include "steptp/import/pt2_rewrite.h"
#include "steptp/import/pt2_spelling.h"

namespace steptp::graph::pt2 {

namespace {

constexpr std::string_view kPrefix = "torch.ops.";
constexpr std::string_view kAutocast = "higher_order.wrap_with_autocast";

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Their functional forms draw as well, so that both spellings are found.
constexpr std::array<std::string_view, 21> kRandom = {
    "rand",       "randn",     "randint",   "randperm",         "rand_like", "randn_like",        "randint_like",
    "normal",     "uniform",   "bernoulli", "multinomial",      "poisson",   "exponential",       "cauchy",
    "log_normal", "geometric", "random",    "rrelu_with_noise", "binomial",  "normal_functional", "_fused_dropout"};
constexpr std::array<std::string_view, 7> kAssertions = {
    "_assert_tensor_metadata",        "_assert_async",       "_assert_scalar",
    "_functional_assert_async",       "sym_constrain_range", "sym_constrain_range_for_size",
    "_functional_sym_constrain_range"};

std::string_view without_underscore(std::string_view name) {
  return name.ends_with('_') && !name.ends_with("__") ? name.substr(0, name.size() - 1) : name;
}

/// A frame of PyTorch's own code, not of the user's.
bool is_library(std::string_view file) {
  return file.starts_with('<') || file.find("site-packages") != file.npos || file.find("/torch/") != file.npos ||
         file.find("dist-packages") != file.npos;
}

std::string_view line_of(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  const std::size_t first = line.find_first_not_of(' ');
  return first == line.npos ? std::string_view() : line.substr(first);
}

/// A name that goes into a message: control characters have no place there.
std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 200)) out += static_cast<unsigned char>(c) < 32 || c == 127 ? '?' : c;
  return out;
}

std::vector<Value> to_values(const Json& list, std::string_view where, const ReadTensor& read) {
  if (!list.as_array()) malformed(concat(where, " is not a list"));
  std::vector<Value> out;
  for (const Json& item : *list.as_array()) {
    if (item.find("name")) {
      out.push_back(read(text_field(item, "name", where)));
      continue;
    }
    const TaggedValue given = choice(item, where);
    out.push_back(given.tag == "as_tensor" ? read(text_field(*given.value, "name", where)) : Value());
  }
  return out;
}

std::vector<std::int64_t> to_integers(const Json& list, std::string_view where) {
  if (!list.as_array()) malformed(concat(where, " is not a list"));
  std::vector<std::int64_t> out;
  for (const Json& item : *list.as_array()) {
    if (item.as_bool()) {
      out.push_back(*item.as_bool() ? 1 : 0);
    } else {
      out.push_back(item.as_integer() ? *item.as_integer() : fixed_size(item, where));
    }
  }
  return out;
}

struct Finding {
  std::string place;
  int count = 0;
};
using Findings = std::map<std::string, Finding, std::less<>>;

void note(Findings& findings, std::string_view op, const Json& node) {
  Finding& finding = findings[std::string(op)];
  if (finding.count++ == 0) finding.place = origin_of(node).text;
}

/// Arithmetic on sizes, which only a program with sizes that are not fixed has.
bool computes_size(std::string_view op) {
  return op.starts_with("_operator.") || op.starts_with("<built-in") || op.starts_with("math.") ||
         op.starts_with("torch.sym_") || op.starts_with("aten.sym_size") || op.starts_with("aten.sym_numel") ||
         op.starts_with("aten.sym_stride");
}

struct Survey {
  Findings unsupported;
  Findings control_flow;
  Findings sizes;

  void look(const Json& graph) {
    for (const Json& node : array_field(graph, "nodes", "the graph")) {
      const std::string_view op = operator_name(node);
      if (is_inlined(node)) {
        for (const Json& input : array_field(node, "inputs", op)) {
          const Json* inner = field(input, "arg", op).find("as_graph");
          if (inner && !inner->is_null()) look(field(*inner, "graph", op));
        }
      } else if (computes_size(op)) {
        note(sizes, op, node);
      } else if ((op.starts_with("higher_order.") && op != kAutocast) || op == "aten.item.default" ||
                 op == "aten._local_scalar_dense.default") {
        note(control_flow, op, node);
      } else if (!find_operator(op) && !find_operator(functional_name(op)) && !is_rewritten(op) && !is_random(op) &&
                 !is_assertion(op)) {
        note(unsupported, op, node);
      }
    }
  }
};

std::string at(const Finding& finding) {
  std::string out = finding.place.empty() ? std::string() : concat(" (", finding.place, ")");
  if (finding.count > 1) append(out, ", ", finding.count, " times");
  return out;
}

}  // namespace

std::string_view stem(std::string_view op) {
  const std::size_t first = op.find('.');
  if (first == op.npos) return op;
  return op.substr(first + 1, op.find('.', first + 1) - first - 1);
}

std::string_view operator_name(const Json& node) {
  const std::string_view target = text_field(node, "target", "a node");
  return usual_name(target.starts_with(kPrefix) ? target.substr(kPrefix.size()) : target);
}

bool is_in_place(std::string_view op) { return op.starts_with("aten.") && without_underscore(stem(op)) != stem(op); }

std::string functional_name(std::string_view op) {
  const std::string_view name = stem(op);
  const std::size_t begin = op.find('.') + 1;
  if (!is_in_place(op)) return std::string(op);
  return concat(op.substr(0, begin), without_underscore(name), op.substr(begin + name.size()));
}

bool is_random(std::string_view op) {
  return op.starts_with("aten.") && contains(kRandom, without_underscore(stem(op)));
}
bool is_assertion(std::string_view op) { return op.starts_with("aten.") && contains(kAssertions, stem(op)); }
bool is_inlined(const Json& node) {
  const std::string_view op = operator_name(node);
  if (op == "higher_order.wrap_with_set_grad_enabled") return true;
  if (op != kAutocast) return false;
  // The device, the dtype, and whether it is switched on.
  for (const Json& input : array_field(node, "inputs", op)) {
    const Json* enabled = field(input, "arg", op).find("as_bool");
    if (enabled && enabled->as_bool()) return !*enabled->as_bool();
  }
  return false;
}

Origin origin_of(const Json& node) {
  Origin out;
  const Json* metadata = node.find("metadata");
  const Json* trace = metadata ? metadata->find("stack_trace") : nullptr;
  if (!trace || !trace->as_string()) return out;
  std::string_view rest = *trace->as_string();
  while (!rest.empty()) {
    // File "model.py", line 14, in forward
    const std::string_view line = line_of(rest);
    constexpr std::string_view kFile = "File \"";
    constexpr std::string_view kLine = "\", line ";
    const std::size_t middle = line.find(kLine);
    if (!line.starts_with(kFile) || middle == line.npos) continue;
    const std::string_view file = line.substr(kFile.size(), middle - kFile.size());
    if (is_library(file)) continue;
    std::string_view number = line.substr(middle + kLine.size());
    std::uint32_t value = 0;
    while (!number.empty() && number.front() >= '0' && number.front() <= '9' && value < 100'000'000) {
      value = value * 10 + static_cast<std::uint32_t>(number.front() - '0');
      number.remove_prefix(1);
    }
    std::string_view after = rest;
    out.place = {printable(file), value};
    out.text = concat(out.place.file, ":", value, printable(number), ": ", printable(line_of(after)));
  }
  return out;
}

std::vector<std::string> output_names(const Json& node) {
  std::vector<std::string> out;
  for (const Json& output : array_field(node, "outputs", "a node")) {
    const TaggedValue given = choice(output, "an output");
    if (given.tag == "as_tensor") {
      out.push_back(text_field(*given.value, "name", "an output"));
    } else if (given.tag == "as_tensors") {
      if (!given.value->as_array()) malformed("the outputs of a node are no list");
      for (const Json& item : *given.value->as_array()) out.push_back(text_field(item, "name", "an output"));
    } else if (given.tag == "as_sym_int" || given.tag == "as_sym_bool" || given.tag == "as_sym_float") {
      refuse("pt2-dynamic", concat(operator_name(node), " computes a size"), std::string(kFixedSizes));
    } else if (given.tag != "as_none") {
      malformed(concat("an output is ", given.tag));
    }
  }
  return out;
}

const Json* find_argument(const Json& node, std::string_view name) {
  for (const Json& input : array_field(node, "inputs", "a node")) {
    if (text_field(input, "name", "an argument") == name) return &field(input, "arg", "an argument");
  }
  return nullptr;
}

std::string first_tensor(const Json& node) {
  const Json::Array& inputs = array_field(node, "inputs", "a node");
  if (inputs.empty()) return {};
  const TaggedValue given = choice(field(inputs.front(), "arg", "an argument"), "an argument");
  return given.tag == "as_tensor" ? text_field(*given.value, "name", "an argument") : std::string();
}

Argument to_argument(const Json& argument, std::string_view where, const ReadTensor& read) {
  const TaggedValue given = choice(argument, where);
  const std::string_view tag = given.tag;
  const Json& value = *given.value;
  if (tag == "as_none" || tag == "as_device" || tag == "as_layout" || tag == "as_memory_format") return {};
  if (tag == "as_tensor") return read(text_field(value, "name", where));
  if (tag == "as_optional_tensor") return to_argument(value, where, read);
  if (tag == "as_tensors" || tag == "as_optional_tensors") return to_values(value, where, read);
  if (tag == "as_bool" && value.as_bool()) return *value.as_bool();
  if (tag == "as_int" && value.as_integer()) return *value.as_integer();
  if (tag == "as_sym_int") return fixed_size(value, where);
  if (tag == "as_ints" || tag == "as_sym_ints" || tag == "as_bools") return to_integers(value, where);
  if (tag == "as_float") return real_number(value, where);
  if (tag == "as_floats" && value.as_array()) {
    std::vector<double> out;
    for (const Json& item : *value.as_array()) out.push_back(real_number(item, where));
    return out;
  }
  if (tag == "as_string" && value.as_string()) return *value.as_string();
  if (tag == "as_scalar_type") return dtype_of_code(value, where);
  refuse("pt2", concat(where, " is ", tag, ", which is not supported"));
}

std::vector<std::string_view> known_stems() {
  std::vector<std::string_view> out = rewritten_stems();
  out.insert(out.end(), kAssertions.begin(), kAssertions.end());
  out.insert(out.end(), kRandom.begin(), kRandom.end());
  return out;
}

Diagnostics survey(const Json& graph) {
  Survey survey;
  survey.look(graph);
  Diagnostics out;
  if (!survey.sizes.empty()) {
    const Finding& first = survey.sizes.begin()->second;
    return {make_error("pt2-dynamic",
                       concat("the model computes with a size that is not fixed",
                              first.place.empty() ? "" : concat(" (", first.place, ")")),
                       std::string(kFixedSizes))};
  }
  for (const auto& [op, finding] : survey.control_flow) {
    out.push_back(make_error("pt2-control-flow",
                             concat(op, " makes the program depend on the values of its inputs", at(finding)),
                             "decide with torch.where, or with Python values that are known before forward runs"));
  }
  for (const auto& [op, finding] : survey.unsupported) {
    out.push_back(
        make_error("graph-operator", concat("the operator ", printable(op), " is not supported", at(finding)),
                   "it needs a row in the table of operators and a lowering (docs/frontend.md says how), or write "
                   "the model with operators that are listed there"));
  }
  return out;
}

}  // namespace steptp::graph::pt2
