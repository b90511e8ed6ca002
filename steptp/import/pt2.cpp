// From an archive to a graph. First a survey lists everything that is not supported, so that a user sees all of it
// at once; then nodes are read in order, in-place operators become functional ones (pt2_alias.h), composites are put
// together (pt2_composite.h), and each inferred type is compared with the one in the archive. Decision 0015.
// More than 400 lines, because a graph is read by one class; what stands by itself has files of its own (pt2_*.h).
#include "steptp/import/pt2.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/graph/index_domains.h"
#include "steptp/graph/operator.h"
#include "steptp/graph/prune.h"
#include "steptp/import/pt2_composite.h"
#include "steptp/import/pt2_rewrite.h"
#include "steptp/import/pt2_values.h"

namespace steptp::graph {

namespace pt2 {
namespace {

constexpr std::int64_t kSchemaMajor = 8;
constexpr std::int64_t kSchemaMinor = 20;
constexpr std::size_t kMostNesting = 8;

class Reader {
 public:
  Reader(Archive& archive, const Pt2Options& options)
      : archive_(archive), progress_(options.name.empty() ? archive.name() : options.name) {
    progress_.training = options.training;
  }

  /// Diagnostics where something is not supported; otherwise `out` is filled.
  Diagnostics read(Imported& out);

 private:
  void check_version();
  void leaves(const Json& graph, const Json& signature);
  void leaf(const std::string& name, const std::string& path, bool is_parameter);
  void metas(const Json& graph, const std::string& scope);
  void nodes(const Json& graph, const std::string& scope);
  void node(const Json& graph, const Json& node, const std::string& scope);
  void inline_graph(const Json& node, const std::string& scope);
  void call(const ImportedNode& imported);
  void call_in_place(const ImportedNode& imported);
  void draw(const Json& graph, const Json& node, const ImportedNode& imported);
  [[nodiscard]] bool is_initial_state(const Json& graph, const std::string& name, std::size_t depth) const;
  [[nodiscard]] std::vector<Value> add(const ImportedNode& imported, const std::string& op);
  [[nodiscard]] std::vector<Value> outputs(const Json& signature);
  void note_updates();
  void state_domains(Graph& graph);

  Archive& archive_;
  Progress progress_;
  std::map<std::string, StoredTensor> values_;
  std::vector<std::pair<std::string, std::string>> leaves_;
  std::vector<std::string>
      changes_;  ///< what the module writes to beside its outputs  ///< name and description, for what is written into
  std::size_t nesting_ = 0;
  std::size_t inlined_ = 0;
};

Diagnostics Reader::read(Imported& out) {
  check_version();
  const Json& module = field(archive_.model(), "graph_module", "the model");
  const Json& graph = field(module, "graph", "the model");
  const Json& signature = field(module, "signature", "the model");
  Diagnostics unsupported = survey(graph);
  if (!unsupported.empty()) return unsupported;
  metas(graph, "");
  leaves(graph, signature);
  nodes(graph, "");
  std::vector<Value> results = outputs(signature);
  note_updates();
  if (!archive_.note().empty()) progress_.note(archive_.note());
  if (const Json* notes = archive_.is_capture() ? archive_.model().find("notes") : nullptr;
      notes && notes->as_array()) {
    for (const Json& note : *notes->as_array()) progress_.note(note.as_string() ? *note.as_string() : note.dump());
  }
  // Updates of buffers, and parts that were taken out only to be written to, are computed for nobody.
  out.graph = prune(std::move(progress_.builder).finish(std::move(results)));
  state_domains(out.graph);
  state_index_domains(out.graph);
  out.values = std::move(values_);
  out.notes = std::move(progress_.notes);
  return {};
}

void Reader::check_version() {
  const Json& version = field(archive_.model(), "schema_version", "the model");
  const std::int64_t* major = field(version, "major", "the version").as_integer();
  const std::int64_t* minor = field(version, "minor", "the version").as_integer();
  if (!major || !minor) malformed("the version of the schema is not two integers");
  if (*major != kSchemaMajor) {
    refuse("pt2",
           concat("the archive has version ", *major, ".", *minor, " of the schema; ", kSchemaMajor, ".x is read"),
           "PyTorch 2.6 to 2.15 write archives that can be read");
  }
  if (*minor > kSchemaMinor) {
    progress_.note(concat("the archive has version ", *major, ".", *minor, " of the schema, newer than ", kSchemaMajor,
                          ".", kSchemaMinor, ", the newest that was tested"));
  }
}

void Reader::metas(const Json& graph, const std::string& scope) {
  const Json& tensors = field(graph, "tensor_values", "the graph");
  if (!tensors.as_object()) malformed("\"tensor_values\" is not an object");
  for (const auto& [name, meta] : *tensors.as_object()) {
    progress_.metas[scope + name] = tensor_meta(meta, concat("the tensor ", quote_json(name)));
  }
}

void Reader::leaf(const std::string& name, const std::string& path, bool is_parameter) {
  const TensorMeta* meta = progress_.meta(name);
  if (!meta) malformed(concat("nothing is said of the tensor ", quote_json(name)));
  const TensorType& type = meta->type;
  std::optional<StoredTensor> stored = archive_.tensor(path, type);
  const bool constant = stored && !is_parameter;
  if (!stored && !is_parameter) {
    progress_.note(concat("the values of ", path, " are not in the archive: it is a parameter of the program"));
  }
  const Value value = constant ? progress_.builder.constant(path, type.dtype, type.shape, to_value(*stored))
                               : progress_.builder.parameter(path, type.dtype, type.shape);
  if (stored) values_[path] = *std::move(stored);
  progress_.aliases.define(name, value);
  leaves_.emplace_back(name, concat("the ", is_parameter ? "parameter " : "buffer ", path));
}

void Reader::leaves(const Json& graph, const Json& signature) {
  const Json::Array& inputs = array_field(graph, "inputs", "the graph");
  const Json::Array& specs = array_field(signature, "input_specs", "the signature");
  if (inputs.size() != specs.size()) malformed("the graph has not the inputs of its signature");
  for (const Json& spec : specs) {
    const TaggedValue given = choice(spec, "an input");
    const auto name = [&] { return text_field(field(*given.value, "arg", "an input"), "name", "an input"); };
    if (given.tag == "parameter") {
      leaf(name(), text_field(*given.value, "parameter_name", "an input"), true);
    } else if (given.tag == "buffer") {
      leaf(name(), text_field(*given.value, "buffer_name", "an input"), false);
    } else if (given.tag == "tensor_constant") {
      leaf(name(), text_field(*given.value, "tensor_constant_name", "an input"), false);
    } else if (given.tag == "constant_input") {
      progress_.note(concat("the input ", text_field(*given.value, "name", "an input"), " is a plain value, ",
                            choice(field(*given.value, "value", "an input"), "an input").value->dump(),
                            ", and part of the program"));
    } else if (given.tag == "user_input") {
      const TaggedValue argument = choice(field(*given.value, "arg", "an input"), "an input");
      if (argument.tag != "as_tensor") {
        progress_.note(concat("an input is a plain value, ", argument.value->dump(), ", and part of the program"));
        continue;
      }
      const std::string& tensor = text_field(*argument.value, "name", "an input");
      const TensorMeta* meta = progress_.meta(tensor);
      if (!meta) malformed(concat("nothing is said of the input ", quote_json(tensor)));
      progress_.aliases.define(tensor, progress_.builder.input(tensor, meta->type.dtype, meta->type.shape));
      leaves_.emplace_back(tensor, concat("the input ", tensor));
    } else {
      refuse("graph-operator",
             concat("an input of the kind ", quote_json(std::string(given.tag)), " is not supported"));
    }
  }
}

void Reader::nodes(const Json& graph, const std::string& scope) {
  for (const Json& next : array_field(graph, "nodes", "the graph")) node(graph, next, scope);
}

void Reader::node(const Json& graph, const Json& json, const std::string& scope) {
  ImportedNode imported;
  imported.op = operator_name(json);
  if (is_assertion(imported.op)) return;
  if (is_inlined(json)) return inline_graph(json, scope);
  imported.origin = origin_of(json);
  for (const std::string& name : output_names(json)) imported.outputs.push_back(scope + name);
  imported.first = first_tensor(json);
  if (!imported.first.empty()) imported.first = scope + imported.first;
  try {
    if (is_random(imported.op)) return draw(graph, json, imported);
    for (const Json& input : array_field(json, "inputs", imported.op)) {
      const std::string& name = text_field(input, "name", imported.op);
      const std::string where = concat("'", name, "' of ", imported.op);
      imported.arguments.emplace_back(
          name, to_argument(field(input, "arg", where), where,
                            [&](const std::string& tensor) { return progress_.aliases.read(scope + tensor); }));
    }
    // What an in-place operator gave back is often written to the same place once more.
    const Json* source = stem(imported.op) == "copy_" ? find_argument(json, "src") : nullptr;
    const Json* tensor = source ? source->find("as_tensor") : nullptr;
    if (tensor && !tensor->is_null() &&
        progress_.aliases.are_same(imported.first, scope + text_field(*tensor, "name", "'src'"))) {
      return progress_.aliases.same(imported.outputs.empty() ? std::string() : imported.outputs.front(),
                                    imported.first);
    }
    if (rewrite(progress_, imported)) return;
    if (const CompositeRow* row = find_composite(imported.op)) return compose(progress_, imported, *row);
    is_in_place(imported.op) ? call_in_place(imported) : call(imported);
  } catch (const Misuse& misuse) {
    refuse("graph-operator", concat(misuse.message, imported.origin.text.empty() ? "" : " (", imported.origin.text,
                                    imported.origin.text.empty() ? "" : ")"));
  } catch (const std::out_of_range&) {
    malformed(concat("the arguments of ", imported.op, " name a dimension or an element that there is not"));
  }
}

std::vector<Value> Reader::add(const ImportedNode& imported, const std::string& op) {
  Result<std::vector<Value>, std::string> made =
      progress_.builder.add(op, imported.arguments, {}, imported.origin.place);
  if (!made) throw Misuse{made.error()};
  return *std::move(made);
}

void Reader::call(const ImportedNode& imported) {
  const std::vector<Value> values = add(imported, imported.op);
  if (values.size() != imported.outputs.size()) {
    malformed(concat(imported.op, " has ", values.size(), " outputs, and the archive names ", imported.outputs.size()));
  }
  const TensorMeta* operand = progress_.meta(imported.first);
  for (std::size_t at = 0; at < values.size(); ++at) {
    const std::string& name = imported.outputs[at];
    const TensorMeta* result = progress_.meta(name);
    const TensorType& type = progress_.builder.type(values[at]);
    // PyTorch's own shapes of the last states are wrong for some dtypes while it traces (a dimension too many).
    const bool last_state = at > 0 && stem(imported.op) == "lstm";
    if (result && result->type != type && !last_state) {
      throw Misuse{concat(imported.op, " gives ", to_text(type), " here, and ", to_text(result->type), " in PyTorch")};
    }
    if (imported.first.empty() || !is_view(imported.op, operand, result)) {
      progress_.aliases.define(name, values[at]);
      continue;
    }
    ViewStep view{imported.op, imported.arguments.front().first, imported.arguments, static_cast<std::int32_t>(at)};
    view.rest.erase(view.rest.begin());
    progress_.aliases.view(name, imported.first, std::move(view), values[at]);
  }
}

void Reader::call_in_place(const ImportedNode& imported) {
  constexpr std::array<std::string_view, 8> kShapes = {"squeeze_",  "unsqueeze_", "t_",      "transpose_",
                                                       "swapaxes_", "swapdims_",  "resize_", "as_strided_"};
  const std::string op = functional_name(imported.op);
  if (std::find(kShapes.begin(), kShapes.end(), stem(imported.op)) != kShapes.end() || !find_operator(op) ||
      imported.first.empty()) {
    refuse("pt2-in-place",
           concat("the operator ", imported.op, " is not supported", imported.origin.text.empty() ? "" : " (",
                  imported.origin.text, imported.origin.text.empty() ? "" : ")"),
           "use the operator that gives a new tensor");
  }
  const TensorType type = progress_.builder.type(progress_.aliases.read(imported.first));
  const Value value = progress_.fitted(imported, add(imported, op).front(), type);
  progress_.aliases.write(imported.first, value, imported.op);
  for (const std::string& name : imported.outputs) progress_.aliases.same(name, imported.first);
}

void Reader::inline_graph(const Json& json, const std::string& scope) {
  if (++nesting_ > kMostNesting) malformed("graphs are nested too deeply");
  const Json::Array& given = array_field(json, "inputs", "a node");
  std::size_t at = 0;
  const Json* inner = nullptr;
  for (; at < given.size() && !inner; ++at) {
    const Json* found = field(given[at], "arg", "an argument").find("as_graph");
    if (found && !found->is_null()) inner = &field(*found, "graph", "a graph");
  }
  if (!inner) malformed("a node that is a graph has none");
  const std::string inside = concat(scope, inlined_++, "/");
  metas(*inner, inside);
  const Json::Array& wanted = array_field(*inner, "inputs", "a graph");
  if (wanted.size() != given.size() - at) malformed("a graph has not the inputs that it is given");
  for (std::size_t number = 0; number < wanted.size(); ++number) {
    const TaggedValue name = choice(wanted[number], "an input");
    if (name.tag != "as_tensor") continue;
    const TaggedValue outer = choice(field(given[at + number], "arg", "an argument"), "an argument");
    if (outer.tag != "as_tensor") malformed("a graph wants a tensor and is given none");
    progress_.aliases.same(inside + text_field(*name.value, "name", "an input"),
                           scope + text_field(*outer.value, "name", "an argument"));
  }
  nodes(*inner, inside);
  const std::vector<std::string> names = output_names(json);
  const Json::Array& results = array_field(*inner, "outputs", "a graph");
  if (names.size() != results.size()) malformed("a graph has not the outputs that its node names");
  for (std::size_t number = 0; number < names.size(); ++number) {
    const TaggedValue result = choice(results[number], "an output");
    if (result.tag != "as_tensor") malformed("a graph within the graph gives back what is not a tensor");
    progress_.aliases.same(scope + names[number], inside + text_field(*result.value, "name", "an output"));
  }
  --nesting_;
}

bool Reader::is_initial_state(const Json& graph, const std::string& name, std::size_t depth) const {
  constexpr std::array<std::string_view, 4> kRecurrent = {"lstm", "gru", "rnn_tanh", "rnn_relu"};
  constexpr std::array<std::string_view, 6> kSame = {"to", "_to_copy", "detach", "clone", "contiguous", "alias"};
  const std::string quoted = Json(name).dump();
  bool used = false;
  for (const Json& user : array_field(graph, "nodes", "the graph")) {
    if (is_assertion(operator_name(user))) continue;
    for (const Json& input : array_field(user, "inputs", "a node")) {
      const Json& argument = field(input, "arg", "an argument");
      // Names are unique and arguments small: the text of the argument says whether the tensor occurs in it.
      if (argument.dump().find(concat("{\"name\":", quoted, "}")) == std::string::npos) continue;
      used = true;
      const std::string_view op = stem(operator_name(user));
      const bool recurrent = std::find(kRecurrent.begin(), kRecurrent.end(), op) != kRecurrent.end();
      if (recurrent && text_field(input, "name", "an argument") == "hx") continue;
      const bool same = std::find(kSame.begin(), kSame.end(), op) != kSame.end();
      const std::vector<std::string> next = output_names(user);
      if (!same || next.size() != 1 || depth > 8 || !is_initial_state(graph, next.front(), depth + 1)) return false;
    }
  }
  return used;
}

void Reader::draw(const Json& graph, const Json& json, const ImportedNode& imported) {
  const std::vector<std::string> names = output_names(json);
  const TensorMeta* meta = imported.outputs.size() == 1 ? progress_.meta(imported.outputs.front()) : nullptr;
  if (is_in_place(imported.op) || !meta || !is_float(meta->type.dtype) || !is_initial_state(graph, names.front(), 0)) {
    refuse("pt2-random",
           concat("the operator ", imported.op, " is random", imported.origin.text.empty() ? "" : " (",
                  imported.origin.text, imported.origin.text.empty() ? "" : ")"),
           "give the numbers as an input, or keep them in a buffer");
  }
  const std::string path = concat("initial_state_", names.front());
  StoredTensor drawn = draw_values(meta->type, stem(imported.op).starts_with("randn"), Random(values_.size()));
  progress_.note(concat("the random initial state ", names.front(), " is a constant of the program, ", path));
  progress_.aliases.define(imported.outputs.front(),
                           progress_.builder.constant(path, meta->type.dtype, meta->type.shape, to_value(drawn)));
  values_[path] = std::move(drawn);
}

std::vector<Value> Reader::outputs(const Json& signature) {
  std::vector<Value> out;
  for (const Json& spec : array_field(signature, "output_specs", "the signature")) {
    const TaggedValue given = choice(spec, "an output");
    if (given.tag == "user_output" || given.tag == "loss_output") {
      const Json& argument = field(*given.value, "arg", "an output");
      const Json* bare = argument.find("name");
      if (bare && bare->as_string()) {
        out.push_back(progress_.aliases.read(*bare->as_string()));
        continue;
      }
      const TaggedValue result = choice(argument, "an output");
      if (result.tag == "as_tensor") {
        out.push_back(progress_.aliases.read(text_field(*result.value, "name", "an output")));
      } else {
        progress_.note(concat("an output is a plain value, ", result.value->dump(), ", and left out of the program"));
      }
      continue;
    }
    const Json* buffer = given.value->find("buffer_name");
    const Json* input = given.value->find("user_input_name");
    const Json* target = buffer ? buffer : input;
    changes_.push_back(concat(buffer  ? "the buffer "
                              : input ? "the input "
                                      : "",
                              target && target->as_string() ? *target->as_string() : given.tag));
  }
  if (out.empty()) refuse("graph-operator", "the model gives back no tensor");
  return out;
}

/// A capture may say which values its inputs have, in their order.
void Reader::state_domains(Graph& graph) {
  const Json* domains = archive_.is_capture() ? archive_.model().find("domains") : nullptr;
  if (!domains || !domains->as_array()) return;
  auto next = domains->as_array()->begin();
  for (Node& node : graph.nodes) {
    if (node.kind != NodeKind::input || next == domains->as_array()->end()) continue;
    node.domain = domain_of(*next++, concat("the domain of ", node.name));
  }
}

void Reader::note_updates() {
  for (const auto& [name, description] : leaves_) {
    const bool known = std::find(changes_.begin(), changes_.end(), description) != changes_.end();
    if (progress_.aliases.is_written(name) && !known) changes_.push_back(description);
  }
  if (changes_.empty()) return;
  constexpr std::size_t kNamed = 3;
  const std::size_t named = std::min(changes_.size(), kNamed);
  std::string text = changes_.front();
  for (std::size_t at = 1; at < named; ++at) append(text, ", ", changes_[at]);
  if (changes_.size() > named) append(text, " and ", changes_.size() - named, " more");
  progress_.note(concat("the module changes ", text, changes_.size() == 1 ? "; the change is" : "; the changes are",
                        " not part of the program"));
}

}  // namespace
}  // namespace pt2

Result<Imported, Diagnostics> read_pt2(std::string_view content, const Pt2Options& options) {
  try {
    pt2::Archive archive(content);
    Imported out;
    Diagnostics unsupported = pt2::Reader(archive, options).read(out);
    if (!unsupported.empty()) return unsupported;
    return out;
  } catch (pt2::Refused& refused) {
    return Diagnostics{std::move(refused.diagnostic)};
  } catch (const Misuse& misuse) {
    return Diagnostics{make_error("graph-operator", misuse.message)};
  }
}

}  // namespace steptp::graph
