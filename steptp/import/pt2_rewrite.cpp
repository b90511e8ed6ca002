// Operators that need more than a row in the table: other names for one tensor, writes into a tensor, dropout and
// other randomness. Each rule either deals with the node or changes its arguments and lets it go on.
#include "steptp/import/pt2_rewrite.h"

#include <algorithm>
#include <array>

#include "steptp/base/text.h"
#include "steptp/import/imported_node.h"
#include "steptp/import/pt2_composite.h"

namespace steptp::graph::pt2 {

namespace {

bool another_name(Progress& progress, ImportedNode& imported) {
  progress.aliases.same(output(imported), imported.first);
  return true;
}

bool fresh(Progress& progress, ImportedNode& imported, Value value) {
  progress.aliases.define(output(imported), value);
  return true;
}

bool lift(Progress& progress, ImportedNode& imported) { return fresh(progress, imported, tensor(imported, "self")); }

/// Conversions to another dtype; to another device or layout they are nothing here.
bool convert(Progress& progress, ImportedNode& imported) {
  const TensorMeta* meta = progress.meta(output(imported));
  const Value self = tensor(imported, "self");
  if (!meta) malformed(concat("nothing is said of the tensor ", quote_json(output(imported))));
  const bool copies = stem(imported.op) == "_to_copy" || get<bool>(imported, "copy", false);
  if (meta->type.dtype == progress.builder.type(self).dtype)
    return copies ? lift(progress, imported) : another_name(progress, imported);
  return fresh(progress, imported, progress.fitted(imported, self, meta->type));
}

bool broadcast_all(Progress& progress, ImportedNode& imported) {
  const Argument* list = find(imported, "tensors");
  const auto* values = list ? std::get_if<std::vector<Value>>(list) : nullptr;
  if (!values || values->size() != imported.outputs.size())
    malformed(concat(imported.op, " has not one output per tensor"));
  for (std::size_t at = 0; at < values->size(); ++at) {
    const TensorMeta* meta = progress.meta(imported.outputs[at]);
    if (!meta) malformed(concat("nothing is said of the tensor ", quote_json(imported.outputs[at])));
    progress.aliases.define(imported.outputs[at], progress.fitted(imported, (*values)[at], meta->type));
    progress.aliases.freeze((*values)[at]);
  }
  return true;
}

bool put_slice(Progress& progress, ImportedNode& imported) {
  const Value self = tensor(imported, "self");
  Value source = tensor(imported, "src");
  const Shape& shape = progress.builder.shape(self);
  std::int64_t dim = get<std::int64_t>(imported, "dim", 0);
  if (dim < 0) dim += static_cast<std::int64_t>(shape.size());
  if (dim < 0 || dim >= static_cast<std::int64_t>(shape.size()))
    throw Misuse{concat(imported.op, ": no dimension ", dim)};
  const std::int64_t extent = shape[static_cast<std::size_t>(dim)];
  const bool one = stem(imported.op) == "select_scatter";
  if (get<std::int64_t>(imported, "step", 1) != 1) return false;
  std::int64_t start = get<std::int64_t>(imported, one ? "index" : "start", 0);
  if (start < 0) start = std::max<std::int64_t>(0, start + extent);
  if (one) source = progress.call(imported, "aten.unsqueeze.default", {{"self", source}, {"dim", dim}});
  const Shape& part = progress.builder.shape(source);
  if (part.size() != shape.size() || start > extent || part[static_cast<std::size_t>(dim)] > extent - start) {
    throw Misuse{concat(imported.op, ": the part does not lie in the whole")};
  }
  return fresh(progress, imported, replace_slice(progress.builder, self, source, static_cast<std::size_t>(dim), start));
}

/// x[mask] = value: a choice between the two, where the value does not depend on how many elements the mask chooses.
/// The mask covers the first dimensions of x.
Value put_masked(Progress& progress, const ImportedNode& imported, const Value& self, Value mask, const Value& values) {
  const Builder& builder = progress.builder;
  const Shape& shape = builder.shape(self);
  Shape wide = builder.shape(mask);
  const std::size_t covered = wide.size();
  const bool fits = covered <= shape.size() && std::equal(wide.begin(), wide.end(), shape.begin()) &&
                    builder.shape(values).size() <= shape.size() - covered && !get<bool>(imported, "accumulate", false);
  if (!fits) {
    refuse("graph-operator",
           concat("the operator ", imported.op,
                  " with a mask is supported only where the value does not depend on how many "
                  "elements the mask chooses",
                  near(imported)),
           "write x[mask] = value with one value, or use torch.where");
  }
  wide.resize(shape.size(), 1);
  if (wide.size() != covered) mask = progress.call(imported, "aten.view.default", {{"self", mask}, {"size", wide}});
  return progress.call(imported, "aten.where.self", {{"condition", mask}, {"self", values}, {"other", self}});
}

/// x[i] = values, with a mask or with integers.
bool put_indexed(Progress& progress, ImportedNode& imported) {
  const Argument* list = find(imported, "indices");
  const auto* indices = list ? std::get_if<std::vector<Value>>(list) : nullptr;
  if (!indices) malformed(concat(imported.op, " has no indices"));
  const Value self = tensor(imported, "self");
  const TensorType type = progress.builder.type(self);
  const auto is_mask = [&](const Value& index) {
    return index.node >= 0 && progress.builder.type(index).dtype == DType::boolean;
  };
  Value value;
  if (indices->size() == 1 && is_mask(indices->front())) {
    value = put_masked(progress, imported, self, indices->front(), tensor(imported, "values"));
  } else {
    if (std::any_of(indices->begin(), indices->end(), is_mask)) {
      refuse("graph-operator",
             concat("the operator ", imported.op, " with a mask and other indices is not supported", near(imported)),
             "use torch.where");
    }
    TensorType written = progress.builder.type(tensor(imported, "values"));
    written.dtype = type.dtype;
    value = progress.call(imported, "aten.index_put.default",
                          {{"self", self},
                           {"indices", *indices},
                           {"values", progress.fitted(imported, tensor(imported, "values"), written)},
                           {"accumulate", get<bool>(imported, "accumulate", false)}});
  }
  value = progress.fitted(imported, value, type);
  if (!is_in_place(imported.op)) return fresh(progress, imported, value);
  progress.aliases.write(imported.first, value, imported.op);
  return another_name(progress, imported);
}

/// Writes that do not look at what was there before.
bool overwrite(Progress& progress, ImportedNode& imported) {
  const bool in_place = is_in_place(imported.op);
  const TensorType type = progress.builder.type(tensor(imported, "self"));
  const std::string_view name = stem(imported.op);
  Value value;
  if (name.starts_with("copy")) {
    value = progress.fitted(imported, tensor(imported, "src"), type);
  } else {
    const Argument* given = find(imported, "value");
    const Argument fill = name.starts_with("zero") || !given ? Argument(std::int64_t{0}) : *given;
    if (const Value* filled = std::get_if<Value>(&fill)) {
      value = progress.fitted(imported, *filled, type);
    } else {
      value = progress.call(imported, "aten.full.default",
                            {{"size", type.shape}, {"fill_value", fill}, {"dtype", type.dtype}});
    }
  }
  if (!in_place) return fresh(progress, imported, value);
  progress.aliases.write(imported.first, value, imported.op);
  return another_name(progress, imported);
}

bool drop_out(Progress& progress, ImportedNode& imported) {
  const bool random = get<bool>(imported, "train", true) && number(imported, "p", 0.5) != 0;
  if (random) progress.note("dropout is the identity in the program");
  if (is_in_place(imported.op)) return another_name(progress, imported);
  const std::string input = "input";
  const Value value =
      progress.call(imported, "aten.dropout.default",
                    {{input, tensor(imported, input)}, {"p", number(imported, "p", 0.5)}, {"train", false}});
  return fresh(progress, imported, value);
}

bool quiet_attention(Progress& progress, ImportedNode& imported) {
  if (number(imported, "dropout_p", 0) == 0) return false;
  progress.note("dropout is the identity in the program");
  set(imported, "dropout_p", 0.0);
  return false;
}

bool quiet_recurrence(Progress& progress, ImportedNode& imported) {
  if (number(imported, "dropout", 0) == 0) return false;
  if (get<bool>(imported, "train", false)) progress.note("dropout is the identity in the program");
  set(imported, "dropout", 0.0);
  return false;
}

bool choose_statistics(Progress& progress, ImportedNode& imported) {
  if (progress.training && imported.op == "aten.batch_norm.default") set(imported, "training", *progress.training);
  const Argument* running = find(imported, "running_mean");
  if (get<bool>(imported, "training", false) && running && !is_none(*running)) {
    progress.note(
        "batch norm uses the statistics of the batch; its update of the running statistics is not part of the program");
  }
  return false;
}

/// Outside training the slope of a randomised leaky ReLU is the middle of its range.
bool fix_slope(Progress&, ImportedNode& imported) {
  if (get<bool>(imported, "training", false)) {
    refuse("pt2-random", concat("the operator ", imported.op, " is random while it trains", near(imported)),
           "import it with --mode eval");
  }
  const double slope = (number(imported, "lower", 0.125) + number(imported, "upper", 1.0 / 3)) / 2;
  imported.op = is_in_place(imported.op) ? "aten.leaky_relu_.default" : "aten.leaky_relu.default";
  imported.arguments = {{"self", tensor(imported, "self")}, {"negative_slope", slope}};
  return false;
}

/// Without the statistics of the input, instance norm is batch norm with its running ones.
bool choose_instance_statistics(Progress&, ImportedNode& imported) {
  const Argument* running = find(imported, "running_mean");
  if (get<bool>(imported, "use_input_stats", true) || !running || is_none(*running)) return false;
  imported.op = "aten.batch_norm.default";
  std::erase_if(imported.arguments, [](const auto& argument) { return argument.first == "use_input_stats"; });
  set(imported, "training", false);
  return false;
}

/// A tensor without elements, such as the state of a generator: nobody reads it.
bool leave_out_empty(Progress& progress, ImportedNode& imported) {
  const TensorMeta* meta = progress.meta(output(imported));
  return meta && count(meta->type.shape) == 0;
}

bool bitwise(Progress&, ImportedNode& imported) {
  const bool both = stem(imported.op) == "__and__";
  imported.op = concat(both ? "aten.bitwise_and" : "aten.bitwise_or", ".Tensor");
  return false;
}

struct Rule {
  std::string_view stem;
  bool (*apply)(Progress&, ImportedNode&);
};
constexpr std::array kRules = {
    Rule{"detach", another_name},
    Rule{"detach_", another_name},
    Rule{"requires_grad_", another_name},
    Rule{"lift_fresh", another_name},
    Rule{"lift_fresh_copy", lift},
    Rule{"to", convert},
    Rule{"_to_copy", convert},
    Rule{"type_as", convert},
    Rule{"cpu", another_name},
    Rule{"cuda", another_name},
    Rule{"broadcast_tensors", broadcast_all},
    Rule{"slice_scatter", put_slice},
    Rule{"select_scatter", put_slice},
    Rule{"index_put", put_indexed},
    Rule{"index_put_", put_indexed},
    Rule{"empty", leave_out_empty},
    Rule{"copy", overwrite},
    Rule{"copy_", overwrite},
    Rule{"fill", overwrite},
    Rule{"fill_", overwrite},
    Rule{"zero", overwrite},
    Rule{"zero_", overwrite},
    Rule{"dropout", drop_out},
    Rule{"dropout_", drop_out},
    Rule{"native_dropout", drop_out},
    Rule{"feature_dropout", drop_out},
    Rule{"feature_dropout_", drop_out},
    Rule{"alpha_dropout", drop_out},
    Rule{"alpha_dropout_", drop_out},
    Rule{"feature_alpha_dropout", drop_out},
    Rule{"feature_alpha_dropout_", drop_out},
    Rule{"scaled_dot_product_attention", quiet_attention},
    Rule{"lstm", quiet_recurrence},
    Rule{"gru", quiet_recurrence},
    Rule{"rnn_tanh", quiet_recurrence},
    Rule{"rnn_relu", quiet_recurrence},
    Rule{"batch_norm", choose_statistics},
    Rule{"_native_batch_norm_legit_functional", choose_statistics},
    Rule{"instance_norm", choose_instance_statistics},
    Rule{"rrelu", fix_slope},
    Rule{"rrelu_", fix_slope},
    Rule{"mT", respell_view},
    Rule{"swapaxes", respell_view},
    Rule{"swapdims", respell_view},
    Rule{"movedim", respell_view},
    Rule{"moveaxis", respell_view},
    Rule{"atleast_1d", respell_view},
    Rule{"atleast_2d", respell_view},
    Rule{"atleast_3d", respell_view},
    Rule{"ravel", respell_view},
    Rule{"tensor_split", respell_view},
    Rule{"__and__", bitwise},
    Rule{"__or__", bitwise},
};

const Rule* find_rule(std::string_view op) {
  if (!op.starts_with("aten.")) return nullptr;
  const std::string_view name = stem(op);
  const auto* found = std::find_if(kRules.begin(), kRules.end(), [&](const Rule& rule) { return rule.stem == name; });
  return found == kRules.end() ? nullptr : found;
}

}  // namespace

void Progress::note(std::string text) {
  if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(std::move(text));
}

Value Progress::call(const ImportedNode& imported, std::string_view op, const NamedArguments& arguments) {
  Result<std::vector<Value>, std::string> made = builder.add(op, arguments, {}, imported.origin.place);
  if (!made) throw Misuse{made.error()};
  return made->front();
}

const TensorMeta* Progress::meta(const std::string& name) const {
  const auto found = metas.find(name);
  return found == metas.end() ? nullptr : &found->second;
}

Value Progress::fitted(const ImportedNode& imported, Value value, const TensorType& type) {
  if (builder.type(value).dtype != type.dtype) {
    value = call(imported, "aten.to.dtype", {{"self", value}, {"dtype", type.dtype}});
  }
  if (builder.shape(value) != type.shape) {
    value = call(imported, "aten.expand.default", {{"self", value}, {"size", type.shape}});
  }
  return value;
}

bool is_rewritten(std::string_view op) { return find_rule(op) || find_composite(op); }

std::vector<std::string_view> rewritten_stems() {
  std::vector<std::string_view> out;
  for (const Rule& rule : kRules) out.push_back(rule.stem);
  return out;
}

bool rewrite(Progress& progress, ImportedNode& imported) {
  const Rule* rule = find_rule(imported.op);
  return rule && rule->apply(progress, imported);
}

}  // namespace steptp::graph::pt2
