#include "steptp/import/pt2_rewrite.h"

#include <algorithm>
#include <array>

#include "steptp/base/text.h"
#include "steptp/import/pt2_composite.h"
#include "steptp/import/pt2_step.h"

namespace steptp::graph::pt2 {

namespace {

bool another_name(Progress& progress, Step& step) {
  progress.aliases.same(output(step), step.first);
  return true;
}

bool fresh(Progress& progress, Step& step, Value value) {
  progress.aliases.define(output(step), value);
  return true;
}

bool lift(Progress& progress, Step& step) { return fresh(progress, step, tensor(step, "self")); }

/// Conversions to another dtype; to another device or layout they are nothing here.
bool convert(Progress& progress, Step& step) {
  const TensorMeta* meta = progress.meta(output(step));
  const Value self = tensor(step, "self");
  if (!meta) malformed(concat("nothing is said of the tensor ", quote_json(output(step))));
  const bool copies = stem(step.op) == "_to_copy" || get<bool>(step, "copy", false);
  if (meta->type.dtype == progress.builder.type(self).dtype)
    return copies ? lift(progress, step) : another_name(progress, step);
  return fresh(progress, step, progress.fitted(step, self, meta->type));
}

bool broadcast_all(Progress& progress, Step& step) {
  const Argument* list = find(step, "tensors");
  const auto* values = list ? std::get_if<std::vector<Value>>(list) : nullptr;
  if (!values || values->size() != step.outputs.size()) malformed(concat(step.op, " has not one output per tensor"));
  for (std::size_t at = 0; at < values->size(); ++at) {
    const TensorMeta* meta = progress.meta(step.outputs[at]);
    if (!meta) malformed(concat("nothing is said of the tensor ", quote_json(step.outputs[at])));
    progress.aliases.define(step.outputs[at], progress.fitted(step, (*values)[at], meta->type));
    progress.aliases.freeze((*values)[at]);
  }
  return true;
}

bool put_slice(Progress& progress, Step& step) {
  const Value self = tensor(step, "self");
  Value source = tensor(step, "src");
  const Shape& shape = progress.builder.shape(self);
  std::int64_t dim = get<std::int64_t>(step, "dim", 0);
  if (dim < 0) dim += static_cast<std::int64_t>(shape.size());
  if (dim < 0 || dim >= static_cast<std::int64_t>(shape.size())) throw Misuse{concat(step.op, ": no dimension ", dim)};
  const std::int64_t extent = shape[static_cast<std::size_t>(dim)];
  const bool one = stem(step.op) == "select_scatter";
  if (get<std::int64_t>(step, "step", 1) != 1) return false;
  std::int64_t start = get<std::int64_t>(step, one ? "index" : "start", 0);
  if (start < 0) start = std::max<std::int64_t>(0, start + extent);
  if (one) source = progress.call(step, "aten.unsqueeze.default", {{"self", source}, {"dim", dim}});
  const Shape& part = progress.builder.shape(source);
  if (part.size() != shape.size() || start > extent || part[static_cast<std::size_t>(dim)] > extent - start) {
    throw Misuse{concat(step.op, ": the part does not lie in the whole")};
  }
  return fresh(progress, step, replace_slice(progress.builder, self, source, static_cast<std::size_t>(dim), start));
}

/// x[mask] = value: a choice between the two, where the value does not depend on how many elements the mask chooses.
/// The mask covers the first dimensions of x.
Value put_masked(Progress& progress, const Step& step, const Value& self, Value mask, const Value& values) {
  const Builder& builder = progress.builder;
  const Shape& shape = builder.shape(self);
  Shape wide = builder.shape(mask);
  const std::size_t covered = wide.size();
  const bool fits = covered <= shape.size() && std::equal(wide.begin(), wide.end(), shape.begin()) &&
                    builder.shape(values).size() <= shape.size() - covered && !get<bool>(step, "accumulate", false);
  if (!fits) {
    refuse("graph-operator",
           concat("the operator ", step.op,
                  " with a mask is supported only where the value does not depend on how many "
                  "elements the mask chooses",
                  near(step)),
           "write x[mask] = value with one value, or use torch.where");
  }
  wide.resize(shape.size(), 1);
  if (wide.size() != covered) mask = progress.call(step, "aten.view.default", {{"self", mask}, {"size", wide}});
  return progress.call(step, "aten.where.self", {{"condition", mask}, {"self", values}, {"other", self}});
}

/// x[i] = values, with a mask or with integers.
bool put_indexed(Progress& progress, Step& step) {
  const Argument* list = find(step, "indices");
  const auto* indices = list ? std::get_if<std::vector<Value>>(list) : nullptr;
  if (!indices) malformed(concat(step.op, " has no indices"));
  const Value self = tensor(step, "self");
  const TensorType type = progress.builder.type(self);
  const auto is_mask = [&](const Value& index) {
    return index.node >= 0 && progress.builder.type(index).dtype == DType::boolean;
  };
  Value value;
  if (indices->size() == 1 && is_mask(indices->front())) {
    value = put_masked(progress, step, self, indices->front(), tensor(step, "values"));
  } else {
    if (std::any_of(indices->begin(), indices->end(), is_mask)) {
      refuse("graph-operator",
             concat("the operator ", step.op, " with a mask and other indices is not supported", near(step)),
             "use torch.where");
    }
    TensorType written = progress.builder.type(tensor(step, "values"));
    written.dtype = type.dtype;
    value = progress.call(step, "aten.index_put.default",
                          {{"self", self},
                           {"indices", *indices},
                           {"values", progress.fitted(step, tensor(step, "values"), written)},
                           {"accumulate", get<bool>(step, "accumulate", false)}});
  }
  value = progress.fitted(step, value, type);
  if (!is_in_place(step.op)) return fresh(progress, step, value);
  progress.aliases.write(step.first, value, step.op);
  return another_name(progress, step);
}

/// Writes that do not look at what was there before.
bool overwrite(Progress& progress, Step& step) {
  const bool in_place = is_in_place(step.op);
  const TensorType type = progress.builder.type(tensor(step, "self"));
  const std::string_view name = stem(step.op);
  Value value;
  if (name.starts_with("copy")) {
    value = progress.fitted(step, tensor(step, "src"), type);
  } else {
    const Argument* given = find(step, "value");
    const Argument fill = name.starts_with("zero") || !given ? Argument(std::int64_t{0}) : *given;
    if (const Value* filled = std::get_if<Value>(&fill)) {
      value = progress.fitted(step, *filled, type);
    } else {
      value =
          progress.call(step, "aten.full.default", {{"size", type.shape}, {"fill_value", fill}, {"dtype", type.dtype}});
    }
  }
  if (!in_place) return fresh(progress, step, value);
  progress.aliases.write(step.first, value, step.op);
  return another_name(progress, step);
}

bool drop_out(Progress& progress, Step& step) {
  const bool random = get<bool>(step, "train", true) && number(step, "p", 0.5) != 0;
  if (random) progress.note("dropout is the identity in the program");
  if (is_in_place(step.op)) return another_name(progress, step);
  const std::string input = "input";
  const Value value = progress.call(step, "aten.dropout.default",
                                    {{input, tensor(step, input)}, {"p", number(step, "p", 0.5)}, {"train", false}});
  return fresh(progress, step, value);
}

bool quiet_attention(Progress& progress, Step& step) {
  if (number(step, "dropout_p", 0) == 0) return false;
  progress.note("dropout is the identity in the program");
  set(step, "dropout_p", 0.0);
  return false;
}

bool quiet_recurrence(Progress& progress, Step& step) {
  if (number(step, "dropout", 0) == 0) return false;
  if (get<bool>(step, "train", false)) progress.note("dropout is the identity in the program");
  set(step, "dropout", 0.0);
  return false;
}

bool choose_statistics(Progress& progress, Step& step) {
  if (progress.training && step.op == "aten.batch_norm.default") set(step, "training", *progress.training);
  const Argument* running = find(step, "running_mean");
  if (get<bool>(step, "training", false) && running && !is_none(*running)) {
    progress.note(
        "batch norm uses the statistics of the batch; its update of the running statistics is not part of the program");
  }
  return false;
}

/// Outside training the slope of a randomised leaky ReLU is the middle of its range.
bool fix_slope(Progress&, Step& step) {
  if (get<bool>(step, "training", false)) {
    refuse("pt2-random", concat("the operator ", step.op, " is random while it trains", near(step)),
           "import it with --mode eval");
  }
  const double slope = (number(step, "lower", 0.125) + number(step, "upper", 1.0 / 3)) / 2;
  step.op = is_in_place(step.op) ? "aten.leaky_relu_.default" : "aten.leaky_relu.default";
  step.arguments = {{"self", tensor(step, "self")}, {"negative_slope", slope}};
  return false;
}

/// Without the statistics of the input, instance norm is batch norm with its running ones.
bool choose_instance_statistics(Progress&, Step& step) {
  const Argument* running = find(step, "running_mean");
  if (get<bool>(step, "use_input_stats", true) || !running || is_none(*running)) return false;
  step.op = "aten.batch_norm.default";
  std::erase_if(step.arguments, [](const auto& argument) { return argument.first == "use_input_stats"; });
  set(step, "training", false);
  return false;
}

/// A tensor without elements, such as the state of a generator: nobody reads it.
bool leave_out_empty(Progress& progress, Step& step) {
  const TensorMeta* meta = progress.meta(output(step));
  return meta && count(meta->type.shape) == 0;
}

bool bitwise(Progress&, Step& step) {
  const bool both = stem(step.op) == "__and__";
  step.op = concat(both ? "aten.bitwise_and" : "aten.bitwise_or", ".Tensor");
  return false;
}

struct Rule {
  std::string_view stem;
  bool (*apply)(Progress&, Step&);
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

Value Progress::call(const Step& step, std::string_view op, const NamedArguments& arguments) {
  Result<std::vector<Value>, std::string> made = builder.add(op, arguments, {}, step.origin.place);
  if (!made) throw Misuse{made.error()};
  return made->front();
}

const TensorMeta* Progress::meta(const std::string& name) const {
  const auto found = metas.find(name);
  return found == metas.end() ? nullptr : &found->second;
}

Value Progress::fitted(const Step& step, Value value, const TensorType& type) {
  if (builder.type(value).dtype != type.dtype) {
    value = call(step, "aten.to.dtype", {{"self", value}, {"dtype", type.dtype}});
  }
  if (builder.shape(value) != type.shape) {
    value = call(step, "aten.expand.default", {{"self", value}, {"size", type.shape}});
  }
  return value;
}

bool is_rewritten(std::string_view op) { return find_rule(op) || find_composite(op); }

std::vector<std::string_view> rewritten_stems() {
  std::vector<std::string_view> out;
  for (const Rule& rule : kRules) out.push_back(rule.stem);
  return out;
}

bool rewrite(Progress& progress, Step& step) {
  const Rule* rule = find_rule(step.op);
  return rule && rule->apply(progress, step);
}

}  // namespace steptp::graph::pt2
