/// set_storage_layout: the elements of an intermediate tensor lie elsewhere, or in fewer or more places.
///   D_{tx,a}=f(tx,a); E_{tx,a}=D_{tx,a};   -->   D_{a*8+tx}=f(tx,a); E_{tx,a}=D_{a*8+tx};
///   L_{a}[D_{a}=f(a); E_{a}=D_{a};]        -->   L_{a}[D=f(a); E_{a}=D;]
/// Safe because one map that is one to one is applied to every access; or elements that come to share a place are not
/// needed at the same time; or every value is read in the iteration that made it.
#include <algorithm>

#include "steptp/analysis/index_map.h"
#include "steptp/analysis/regions.h"
#include "steptp/base/text.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/layouts.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/lifetimes.h"
#include "steptp/strategies/rolling.h"
#include "steptp/strategies/storage.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"form", Parameter::Kind::word,
     "transpose, flatten, merge, split, rotate: another place for each element; drop: a dimension goes; expand: an "
     "enclosing loop becomes the last dimension; rolling: a recurrence keeps its latest value"},
    {"dimensions", Parameter::Kind::word,
     "as in layout_transformation; the one that goes, for drop and rolling; the loop's index, for expand"},
    kNumberParameter,
};
constexpr Precondition kPublished[] = {
    {Check::intermediate_variable, "intermediate", "the tensor is not a known variable, and this is its first write"},
};
constexpr Precondition kSafety[] = {
    {Check::size, "fits",
     "the shape is known, has the dimensions that the form wants, and takes at most 2^31 places, in s and l no more "
     "than the device has room for, or than it took before"},
    {Check::order, "lifetimes",
     "drop: no element along the dimension is written between the first write and the last read of another"},
    {Check::order, "own-iteration", "expand: every value is read in the iteration of the loop that wrote it"},
    {Check::order, "recurrence",
     "rolling: one equation writes each element once, and it is read at k and k-1 in the loop over k, at the last "
     "value "
     "behind it"},
    {Check::scope, "scopes", "block loops enclose all items of their kernels"},
    {Check::order, "races", "what comes to share a place is not touched at the same time"},
};
constexpr const Precondition& kIntermediate = kPublished[0];
constexpr const Precondition& kFits = kSafety[0];
constexpr const Precondition& kLifetimes = kSafety[1];
constexpr const Precondition& kOwnIteration = kSafety[2];
constexpr const Precondition& kRecurrence = kSafety[3];
constexpr const Precondition& kScopes = kSafety[4];
constexpr const Precondition& kRaces = kSafety[5];
constexpr Component kModifies[] = {Component::expressions, Component::equations, Component::variables,
                                   Component::index_segments};
constexpr NewElement kIntroduces[] = {NewElement::index_calculations};

struct Tensor {
  std::string name;
  std::vector<std::int64_t> shape;
  Site at;
};

Result<Tensor, Refusal> find_tensor(View& view, const Site& site) {
  const Statement* statement =
      site.part == Site::Part::left && !site.number ? view.find_statement(site.items) : nullptr;
  if (!statement) return Refusal{&kPlace, site, "there is no left side of an equation at this address", {}};
  const std::string& name = statement->equation->left->tensor;
  const TensorFacts& facts = view.table().tensors.at(name);
  const auto refuse_because = [&](std::string_view why) {
    return Refusal{&kIntermediate, site, concat(name, why), {{"tensor", name}}};
  };
  if (facts.known) return refuse_because(" is a known variable");
  const Site& first = view.table().accesses[facts.writes[0]].site;
  if (!(first == site)) return refuse_because(concat(" is written first at ", to_text(first)));
  const InferredShape& shape = view.shape_of(name);
  if (!shape.exact) return Refusal{&kFits, site, concat("the shape of ", name, " is not known"), {{"tensor", name}}};
  return Tensor{name, shape.dimensions, site};
}

struct Planned {
  Program program;
  std::string because;
  std::vector<std::string> tensors;  ///< whose accesses are new
  Values values;
  bool same_places = false;  ///< the accesses have the same addresses
  std::vector<Holds> holds = {};
};

Result<Planned, Refusal> plan_map(View& view, const Tensor& tensor, const Layout& layout) {
  auto program = with_subscripts(view, tensor.name, [&](const Statement&, const std::vector<Index>& subscripts) {
    return mapped(layout, tensor.shape, subscripts);
  });
  if (!program) return Refusal{&kFits, tensor.at, "a subscript would not fit in 64 bits", {}};
  if (equal_nests(*program, view.program())) return Refusal{&kFits, tensor.at, "no access would change", {}};
  return Planned{*std::move(program),
                 concat("different elements of ", tensor.name, " have different places, in every access"),
                 {tensor.name},
                 {},
                 true};
}

/// Whether some access would look different: most maps change the first one.
bool changes_access(View& view, const Tensor& tensor, const Layout& layout) {
  const AccessTable& table = view.table();
  const std::vector<std::size_t> all = accesses_of(view, tensor.name);
  return std::any_of(all.begin(), all.end(), [&](std::size_t number) {
    const Access& access = table.accesses[number];
    auto subscripts = mapped(layout, tensor.shape, access.ref->subscripts);
    if (!subscripts || *subscripts == access.ref->subscripts) return false;
    if (layout.form == Layout::Form::transpose) return true;
    std::vector<BoxVariable> box;
    for (const Loop* loop : table.statements[access.statement].loops) box.push_back({loop->index, loop->extent});
    for (Index& subscript : *subscripts) subscript = simplified(subscript, box);
    return *subscripts != access.ref->subscripts;
  });
}

/// What stands differently after a step that shares places: loops, and who touches a place.
std::optional<Refusal> refuse_result(View& view, const Planned& planned, const Site& site) {
  View after(planned.program);
  if (const auto conflict = placement_conflict(after)) return refuse(kScopes, site, *conflict);
  std::set<std::uint32_t> expressions;
  for (const std::string& name : planned.tensors) {
    for (const std::size_t number : accesses_of(after, name)) {
      expressions.insert(after.table().statements[after.table().accesses[number].statement].items[0]);
    }
  }
  for (const std::uint32_t expression : expressions) {
    if (const auto conflict = race_conflict(view, after, expression)) return refuse(kRaces, site, *conflict);
  }
  return std::nullopt;
}

/// The program in which no accumulation of the tensor relies on undefined elements.
Result<Program, Refusal> made_explicit(View& view, const Tensor& tensor) {
  Program program = view.program();
  for (std::size_t i = 0; i <= view.table().statements.size(); ++i) {
    View now(program);
    const std::vector<Statement>& statements = now.table().statements;
    std::size_t number = 0;
    while (number < statements.size() && (statements[number].equation->left->tensor != tensor.name ||
                                          !relies_on_identity(now, tensor.name, number))) {
      ++number;
    }
    if (number == statements.size()) return program;
    auto next = with_identity(now, number);
    if (!next) return Refusal{&kLifetimes, tensor.at, "the identity cannot be written as a number", {}};
    View with(next->program);
    if (const auto conflict = first_write_conflict(with, next->definition)) {
      return refuse(kLifetimes, tensor.at, *conflict);
    }
    program = std::move(next->program);
  }
  return Refusal{&kLifetimes, tensor.at, concat(tensor.name, " is not set before it accumulates"), {}};
}

/// Not only the last element is needed when all have been written: the common case, and no question to a solver.
std::optional<Conflict> obvious_overlap(View& view, const Tensor& tensor, std::size_t dimension) {
  const AccessTable& table = view.table();
  const TensorFacts& facts = table.tensors.at(tensor.name);
  const Access& write = table.accesses[facts.writes[0]];
  for (const std::size_t number : facts.reads) {
    const Access& read = table.accesses[number];
    const Relation relation = relate(table.statements[write.statement], table.statements[read.statement]);
    if (relation.shared_loops > 0 || read.ref->subscripts[dimension].is_constant()) continue;
    return Conflict{write.site, read.site, concat(tensor.name, " is complete before it is read")};
  }
  return std::nullopt;
}

Result<Planned, Refusal> plan_drop(View& view, const Tensor& tensor, std::size_t dimension) {
  Planned out{{},
              concat("an element of ", tensor.name, " is not needed any more when another along dimension ", dimension,
                     " is written"),
              {tensor.name},
              {},
              false,
              {{&kLifetimes, {{"dimension", static_cast<std::int64_t>(dimension)}}}}};
  if (tensor.shape[dimension] > 1) {
    if (const auto conflict = obvious_overlap(view, tensor, dimension)) return refuse(kLifetimes, tensor.at, *conflict);
  }
  const auto program = made_explicit(view, tensor);
  if (!program) return program.error();
  View ready(*program);
  if (tensor.shape[dimension] > 1) {
    if (const auto conflict = overlap_conflict(ready, tensor.name, dimension)) {
      return refuse(kLifetimes, tensor.at, *conflict);
    }
  }
  auto dropped = with_subscripts(ready, tensor.name, [&](const Statement&, std::vector<Index> subscripts) {
    subscripts.erase(subscripts.begin() + static_cast<std::ptrdiff_t>(dimension));
    return std::optional(std::move(subscripts));
  });
  if (!dropped) return Refusal{&kFits, tensor.at, "a subscript would not fit in 64 bits", {}};
  out.program = *std::move(dropped);
  if (auto refusal = refuse_result(view, out, tensor.at)) return *std::move(refusal);
  return out;
}

/// The loops around all accesses of a tensor.
std::vector<const Loop*> common_loops(View& view, const std::string& tensor) {
  std::vector<const Loop*> common;
  bool first = true;
  for (const std::size_t number : accesses_of(view, tensor)) {
    const std::vector<const Loop*>& loops = view.table().statements[view.table().accesses[number].statement].loops;
    const auto end =
        first ? loops.begin() : std::mismatch(common.begin(), common.end(), loops.begin(), loops.end()).second;
    if (first)
      common = loops;
    else
      common.resize(static_cast<std::size_t>(end - loops.begin()));
    first = false;
  }
  return common;
}

Result<Planned, Refusal> plan_expand(View& view, const Tensor& tensor, const std::string& index) {
  const std::vector<const Loop*> loops = common_loops(view, tensor.name);
  const auto at = std::find_if(loops.begin(), loops.end(), [&](const Loop* loop) { return loop->index == index; });
  if (at == loops.end()) {
    return Refusal{&kOwnIteration, tensor.at, concat("no loop over ", index, " is around all accesses"), {}};
  }
  std::vector<std::int64_t> shape = tensor.shape;
  shape.push_back((*at)->extent);
  if (elements_of(shape, kMaxTensorElements) > kMaxTensorElements) {
    return Refusal{&kFits, tensor.at, "more than 2^31 places", {}};
  }
  if (const auto conflict = flow_conflict(view, tensor.name, static_cast<std::size_t>(at - loops.begin()) + 1)) {
    return refuse(kOwnIteration, tensor.at, *conflict);
  }
  auto program = with_subscripts(view, tensor.name, [&](const Statement&, std::vector<Index> subscripts) {
    subscripts.push_back(Index::variable(index));
    return std::optional(std::move(subscripts));
  });
  if (!program) return Refusal{&kFits, tensor.at, "a subscript would not fit in 64 bits", {}};
  return Planned{*std::move(program),
                 concat("each iteration of ", index, " reads of ", tensor.name, " only what it has written"),
                 {tensor.name},
                 {{"loop", index}},
                 false,
                 {{&kOwnIteration, {{"loop", index}}}}};
}

Result<Planned, Refusal> plan_rolling(View& view, const Tensor& tensor, std::size_t dimension) {
  auto result = rolled(view, tensor.name, dimension);
  if (!result) return Refusal{&kRecurrence, tensor.at, result.error(), {}};
  Planned out{std::move(result->program),
              concat(result->previous, " holds the value of the iteration before, and behind the loop ", tensor.name,
                     " holds the last"),
              {tensor.name, result->previous},
              {{"loop", result->loop}, {"previous", result->previous}},
              false,
              {{&kRecurrence, {{"loop", result->loop}}}}};
  if (auto refusal = refuse_result(view, out, tensor.at)) return *std::move(refusal);
  return out;
}

/// More places than the device has in that scope, and more than before: an expanded tensor, or one with padding.
std::optional<Refusal> refuse_size(View& view, const Tensor& tensor, const Planned& planned) {
  if (view.table().tensors.at(tensor.name).scope == Scope::global) return std::nullopt;
  View after(planned.program);
  const auto oversize = oversize_of(after, tensor.name);
  if (!oversize) return std::nullopt;
  const auto before = oversize_of(view, tensor.name);
  if (before && before->bytes >= oversize->bytes) return std::nullopt;
  return Refusal{&kFits,
                 tensor.at,
                 concat(oversize->bytes, " bytes in one kernel, and the device has ", oversize->limit),
                 {{"bytes", oversize->bytes}, {"limit", oversize->limit}}};
}

Result<Planned, Refusal> plan_form(View& view, const Tensor& tensor, const Choice& choice) {
  const std::string& form = choice.word("form");
  if (form != "drop" && form != "rolling" && form != "expand") {
    const auto layout = layout_of(choice, tensor.shape, kFits);
    if (!layout) return layout.error();
    return plan_map(view, tensor, *layout);
  }
  if (choice.integer("number") != 0) {
    return Refusal{&kChoice, choice.at, concat("\"number\" is ", choice.integer("number"), ", not 0"), {}};
  }
  if (form == "expand") return plan_expand(view, tensor, choice.word("dimensions"));
  const auto dimensions = parse_dimensions(choice.word("dimensions"), tensor.shape.size());
  if (!dimensions || dimensions->size() != 1) {
    return Refusal{&kFits, choice.at, concat(tensor.shape.size(), " dimensions, and one of them has to go"), {}};
  }
  return form == "drop" ? plan_drop(view, tensor, (*dimensions)[0]) : plan_rolling(view, tensor, (*dimensions)[0]);
}

Result<Planned, Refusal> plan(View& view, const Tensor& tensor, const Choice& choice) {
  auto planned = plan_form(view, tensor, choice);
  if (!planned) return planned;
  if (auto refusal = refuse_size(view, tensor, *planned)) return *std::move(refusal);
  return planned;
}

void offer_extended(View& view, const Tensor& tensor, Listing& listing) {
  const auto offer = [&](std::string_view form, const std::vector<std::string>& candidates) {
    std::vector<std::string> words;
    for (const std::string& word : candidates) {
      const Choice choice{tensor.at, {{"form", std::string(form)}, {"dimensions", word}, {"number", 0}}};
      if (listing.allows(plan(view, tensor, choice))) words.push_back(word);
    }
    listing.offer({tensor.at,
                   {{"form", std::vector<std::string>{std::string(form)}},
                    {"dimensions", std::move(words)},
                    {"number", std::vector<std::int64_t>{0}}},
                   true});
  };
  std::vector<std::string> dimensions;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) dimensions.push_back(concat(i));
  offer("drop", dimensions);
  std::vector<std::string> indices;
  for (const Loop* loop : common_loops(view, tensor.name)) {
    if (loop->extent > 1) indices.push_back(loop->index);
  }
  offer("expand", indices);
  offer("rolling", dimensions);
}

/// For the layouts with the most places, in `s` and `l`.
bool has_room(View& view, const Tensor& tensor) {
  if (view.table().tensors.at(tensor.name).scope == Scope::global) return true;
  const std::vector<Layout> layouts = most_padded(tensor.shape);
  return std::all_of(layouts.begin(), layouts.end(), [&](const Layout& layout) {
    const auto planned = plan_map(view, tensor, layout);
    return planned.ok() && !refuse_size(view, tensor, *planned);
  });
}

void choices(View& view, Listing& listing) {
  for (const Statement& statement : view.table().statements) {
    const Site site{statement.items, Site::Part::left, {}, {}};
    const auto tensor = find_tensor(view, site);
    if (!listing.allows(tensor)) continue;
    const auto changes = [&](const Layout& layout) { return changes_access(view, *tensor, layout); };
    offer_layouts(site, {}, tensor->shape, changes, listing, has_room(view, *tensor));
    if (listing.extended) offer_extended(view, *tensor, listing);
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto tensor = find_tensor(view, choice.at);
  if (!tensor) return tensor.error();
  auto planned = plan(view, *tensor, choice);
  if (!planned) return planned.error();
  Applied out;
  for (const std::size_t number : accesses_of(view, tensor->name)) {
    out.facts.matched.push_back({"access", view.table().accesses[number].site});
  }
  out.facts.removed = out.facts.matched;
  View after(planned->program);
  if (planned->same_places) out.facts.added = out.facts.matched;
  for (const std::string& name : planned->same_places ? std::vector<std::string>() : planned->tensors) {
    for (const std::size_t number : accesses_of(after, name)) {
      out.facts.added.push_back({"access", after.table().accesses[number].site});
    }
  }
  out.facts.holds = {{&kIntermediate, {{"tensor", tensor->name}}},
                     {&kFits, {{"elements", elements_of(tensor->shape, kMaxTensorElements)}}}};
  out.facts.holds.insert(out.facts.holds.end(), planned->holds.begin(), planned->holds.end());
  out.facts.values = {{"tensor", tensor->name},
                      {"form", choice.word("form")},
                      {"dimensions", choice.word("dimensions")},
                      {"number", choice.integer("number")},
                      {"same_order", keeps_order(choice, tensor->shape)}};
  for (auto& value : planned->values) out.facts.values.push_back(std::move(value));
  out.facts.because = std::move(planned->because);
  out.program = std::move(planned->program);
  return out;
}

}  // namespace

const Strategy& set_storage_layout_strategy() {
  static constexpr Strategy kStrategy = {
      "set_storage_layout",
      Level::memory,
      "the elements of an intermediate tensor lie elsewhere, or in fewer or more places",
      "D_{tx,a}=f(tx,a); E_{tx,a}=D_{tx,a};   -->   D_{a*8+tx}=f(tx,a); E_{tx,a}=D_{a*8+tx};",
      "one map that is one to one is applied to every access; or elements that come to share a place are not needed at "
      "the same time; or every value is read in the iteration that made it",
      "set_storage_layout",
      {"@input A f32[8,6]\n@output E f32[8,6]\n"
       "B^{8}_{tx=0}L^{6}_{a=0}[D^{f32,g}_{tx,a}=A^{f32,g}_{tx,a}*2;];"
       "B^{8}_{tx=0}L^{6}_{a=0}[E^{f32,g}_{tx,a}=exp(D^{f32,g}_{tx,a});];\n",
       R"({"at":"0/0:left","form":"flatten","dimensions":"1,0","number":0})"},
      kParameters,
      kPublished,
      kSafety,
      kModifies,
      kIntroduces,
      choices,
      apply,
  };
  return kStrategy;
}

}  // namespace steptp
