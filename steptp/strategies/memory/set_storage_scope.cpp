/// set_storage_scope: an intermediate tensor lives in another memory.
///   B^{8}_{tx=0}[D^{g}_{tx}=A_{tx}*2;E_{tx}=exp(D^{g}_{tx})]   -->
///   B^{8}_{tx=0}[D^{l}_{tx}=A_{tx}*2;E_{tx}=exp(D^{l}_{tx})]
/// Safe because all accesses to one element are made by one thread (l) or by one block (s), with barriers between, in
/// one launch, and accesses that share an element are the same as before.
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/rewrite.h"
#include "steptp/strategies/storage.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"scope", Parameter::Kind::word, "g, s or l"},
};
constexpr Precondition kPublished[] = {
    {Check::intermediate_variable, "intermediate", "the tensor is neither known nor an output"},
};
constexpr Precondition kSafety[] = {
    {Check::scope, "other", "the tensor is not there already"},
    {Check::scope, "placement",
     "one kernel touches it; s: inside the same block loops, l: inside the same loops over axes"},
    {Check::scope, "ownership", "accesses share an element exactly where they did: those of one block, or one thread"},
    {Check::size, "size", "data in s and l fits in the device's memory"},
    {Check::order, "races", "no two threads or blocks touch an element that one of them writes, without a barrier"},
};
constexpr const Precondition& kIntermediate = kPublished[0];
constexpr const Precondition& kOther = kSafety[0];
constexpr const Precondition& kPlacement = kSafety[1];
constexpr const Precondition& kOwnership = kSafety[2];
constexpr const Precondition& kSize = kSafety[3];
constexpr const Precondition& kRaces = kSafety[4];
/// Of the producer and of the consumer: expression, equation, variable.
constexpr Component kModifies[] = {Component::expressions, Component::equations, Component::variables,
                                   Component::expressions, Component::equations, Component::variables};
constexpr Scope kScopes[] = {Scope::global, Scope::shared, Scope::local};

/// The tensor that an equation writes, where it is the first to do so.
Result<const Statement*, Refusal> find_definition(View& view, const Site& site) {
  const Statement* statement = site.part == Site::Part::item ? view.find_statement(site.items) : nullptr;
  if (!statement) return Refusal{&kPlace, site, "there is no equation at this address", {}};
  const std::string& name = statement->equation->left->tensor;
  const TensorFacts& tensor = view.table().tensors.at(name);
  if (tensor.known) return Refusal{&kIntermediate, site, concat(name, " is an output"), {{"tensor", name}}};
  const Access& first = view.table().accesses[tensor.writes[0]];
  if (&view.table().statements[first.statement] != statement) {
    return Refusal{&kPlace, site, concat(name, " is written at ", to_text(first.site), " before"), {{"tensor", name}}};
  }
  return statement;
}

std::optional<Program> build(const Program& program, const std::string& tensor, Scope scope) {
  Rewriter rewriter;
  rewriter.ref = [&](const RefPtr& ref) {
    return ref->tensor == tensor ? make_ref(tensor, ref->dtype, scope, ref->subscripts) : ref;
  };
  Program out = program;
  for (NestPtr& nest : out.nests) {
    const auto next = rewrite(Item(nest), rewriter);
    if (!next) return std::nullopt;
    nest = std::get<NestPtr>(*next);
  }
  return out;
}

Result<Program, Refusal> plan(View& view, const Statement& statement, Scope scope) {
  const Site site = item_site(statement.items);
  const std::string& name = statement.equation->left->tensor;
  const TensorFacts& tensor = view.table().tensors.at(name);
  if (tensor.scope == scope) return Refusal{&kOther, site, concat(name, " is in ", code(scope)), {{"tensor", name}}};
  // Where accesses stand does not depend on scopes, so that most is refused before anything is built.
  if (const auto conflict = placement_conflict(view, name, scope)) return refuse(kPlacement, site, *conflict);
  auto program = build(view.program(), name, scope);
  if (!program) return Refusal{&kPlacement, site, concat(name, " cannot be rewritten"), {}};
  View after(*program);
  if (const auto conflict = ownership_conflict(view, after, name)) return refuse(kOwnership, site, *conflict);
  if (const auto oversize = oversize_of(after, name)) {
    return Refusal{&kSize,
                   site,
                   concat(oversize->bytes, " bytes in ", code(scope), ", of which there are ", oversize->limit),
                   {{"bytes", oversize->bytes}, {"limit", oversize->limit}}};
  }
  for (std::uint32_t i = 0; i < program->nests.size(); ++i) {
    const auto touches = [&](const std::vector<std::size_t>& accesses) {
      return std::any_of(accesses.begin(), accesses.end(), [&](std::size_t number) {
        return view.table().statements[view.table().accesses[number].statement].items[0] == i;
      });
    };
    if (!touches(tensor.writes) && !touches(tensor.reads)) continue;
    if (const auto conflict = race_conflict(after, after, i)) return refuse(kRaces, site, *conflict);
  }
  return *std::move(program);
}

void choices(View& view, Listing& listing) {
  for (const Statement& statement : view.table().statements) {
    const Site site = item_site(statement.items);
    const auto found = find_definition(view, site);
    if (!found) {
      if (found.error().precondition != &kPlace) listing.refuse(found.error());
      continue;
    }
    std::vector<std::string> scopes;
    std::vector<std::string> back;
    for (const Scope scope : kScopes) {
      const auto planned = plan(view, statement, scope);
      if (planned)
        (scope == Scope::global ? back : scopes).emplace_back(1, code(scope));
      else
        listing.refuse(planned.error());
    }
    listing.offer({site, {{"scope", std::move(back)}}, true});
    listing.offer({site, {{"scope", std::move(scopes)}}, false});
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto scope = parse_scope(choice.word("scope"));
  if (!scope) return Refusal{&kChoice, choice.at, concat("there is no scope \"", choice.word("scope"), "\""), {}};
  const auto found = find_definition(view, choice.at);
  if (!found) return found.error();
  auto program = plan(view, **found, *scope);
  if (!program) return program.error();
  const std::string& name = (*found)->equation->left->tensor;
  const TensorFacts& tensor = view.table().tensors.at(name);
  Applied out;
  out.program = *std::move(program);
  out.facts.matched = {{"equation", choice.at}};
  for (const std::vector<std::size_t>* list : {&tensor.writes, &tensor.reads}) {
    for (const std::size_t number : *list) {
      const Access& access = view.table().accesses[number];
      out.facts.removed.push_back({access.is_write ? "write" : "read", access.site});
      out.facts.added.push_back(out.facts.removed.back());
    }
  }
  const std::string from(code(tensor.scope));
  out.facts.holds = {{&kIntermediate, {{"tensor", name}}},
                     {&kPlacement, {{"scope", choice.word("scope")}}},
                     {&kOwnership, {}},
                     {&kSize, {}},
                     {&kRaces, {}}};
  out.facts.values = {{"tensor", name}, {"from", from}, {"to", choice.word("scope")}};
  out.facts.because = *scope == Scope::global ? concat("no two blocks or threads use one element of ", name)
                                              : concat("all accesses to an element of ", name, " are made by one ",
                                                       *scope == Scope::local ? "thread" : "block", ", in one launch");
  return out;
}

}  // namespace

const Strategy& set_storage_scope_strategy() {
  static constexpr Strategy kStrategy = {
      "set_storage_scope",
      Level::memory,
      "an intermediate tensor lives in another memory",
      "B^{8}_{tx=0}[D^{g}_{tx}=A_{tx}*2;E_{tx}=exp(D^{g}_{tx})]   -->   "
      "B^{8}_{tx=0}[D^{l}_{tx}=A_{tx}*2;E_{tx}=exp(D^{l}_{tx})]",
      "all accesses to one element are made by one thread (l) or by one block (s), with barriers between, in one "
      "launch, and accesses that share an element are the same as before",
      "set_storage_scope",
      {"@input A f32[8]\n@output E f32[8]\n"
       "B^{8}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx}*2;E^{f32,g}_{tx}=exp(D^{f32,g}_{tx});];\n",
       R"({"at":"0/0","scope":"l"})"},
      kParameters,
      kPublished,
      kSafety,
      kModifies,
      {},
      choices,
      apply,
  };
  return kStrategy;
}

}  // namespace steptp
