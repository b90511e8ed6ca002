/// memory: where what is staged lies: padded, rotated or transposed against conflicts of banks, or fetched some rounds
/// ahead into several buffers.
///   D^{f32,s}_{c,tx}   -->   D^{f32,s}_{c*33+tx}
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/moves/builder.h"
#include "steptp/recipe/registry.h"

namespace steptp {

namespace {

constexpr std::string_view kForms[] = {"pad", "rotate", "transpose", "ahead", "buffers", "deep"};
constexpr Parameter kParameters[] = {
    {"form", Parameter::Kind::word,
     "pad, rotate, transpose: at the left side of the first equation that writes a tensor in s or l; ahead: at the "
     "loop over the rounds, with \"of\" and \"scope\" of cache_read_write; buffers: there too, with \"of\" and "
     "\"buffers\" of pipelining, for what is staged already; deep: at the loop over the rounds, with \"of\" and "
     "\"depth\" "
     "of cache_read_write: staged in s with a depth"},
};
constexpr Precondition kNeeds[] = {
    kStep,
    {Check::scope, "staged", "pad, rotate and transpose are for tensors in s and l"},
};
constexpr const Precondition& kStaged = kNeeds[1];

/// The strategy that makes a form.
std::string_view strategy_of(std::string_view form) {
  if (form == "ahead" || form == "deep") return "cache_read_write";
  return form == "buffers" ? "pipelining" : "set_storage_layout";
}

/// The word of set_storage_layout for a form.
std::string_view layout_of(std::string_view form) { return form == "pad" ? "flatten" : form; }

std::string_view form_of(std::string_view layout) {
  if (layout == "flatten") return "pad";
  return layout == "rotate" || layout == "transpose" ? layout : std::string_view();
}

/// The equation here writes a tensor in s or l.
bool is_staged(View& view, const Site& site) {
  const Statement* statement = view.find_statement(site.items);
  return statement && site.part == Site::Part::left && statement->equation->left->scope != Scope::global;
}

ParameterDomain* domain_named(ChoiceSite& site, std::string_view name) {
  const auto found = std::find_if(site.parameters.begin(), site.parameters.end(),
                                  [&](const ParameterDomain& domain) { return domain.name == name; });
  return found == site.parameters.end() ? nullptr : &*found;
}

bool is_one_of(const ParameterDomain* domain, std::string_view word) {
  const auto* words = domain ? std::get_if<std::vector<std::string>>(&domain->values) : nullptr;
  return words && std::find(words->begin(), words->end(), word) != words->end();
}

void offer_layouts(View& view, Listing& listing) {
  for (ChoiceSite& site : list_choices(*find_strategy("set_storage_layout"), view, true).sites) {
    if (!is_staged(view, site.at)) {
      listing.refuse({&kStaged, site.at, "the tensor is in g", {}});
      continue;
    }
    ParameterDomain* form = domain_named(site, "form");
    const auto* words = form ? std::get_if<std::vector<std::string>>(&form->values) : nullptr;
    const std::string_view ours = words && words->size() == 1 ? form_of((*words)[0]) : std::string_view();
    if (ours.empty()) continue;
    form->values = std::vector<std::string>{std::string(ours)};
    site.extended = false;  // a move has no published form
    listing.offer(std::move(site));
  }
}

void offer_ahead(View& view, Listing& listing) {
  Listing found = list_choices(*find_strategy("cache_read_write"), view, true, listing.with_refusals);
  for (ChoiceSite& site : found.sites) {
    ParameterDomain* form = domain_named(site, "form");
    if (!is_one_of(form, "ahead") || !is_one_of(domain_named(site, "direction"), "read")) continue;
    form->values = std::vector<std::string>{"ahead"};
    std::erase_if(site.parameters, [](const ParameterDomain& domain) { return domain.name == "direction"; });
    site.extended = false;
    listing.offer(std::move(site));
  }
}

/// The plain copies with a depth.
void offer_deep(View& view, Listing& listing) {
  for (ChoiceSite& site : list_choices(*find_strategy("cache_read_write"), view, true).sites) {
    ParameterDomain* form = domain_named(site, "form");
    if (!domain_named(site, "depth") || !is_one_of(form, "plain")) continue;
    form->values = std::vector<std::string>{"deep"};
    std::erase_if(site.parameters,
                  [](const ParameterDomain& domain) { return domain.name == "direction" || domain.name == "scope"; });
    site.extended = false;
    listing.offer(std::move(site));
  }
}

void offer_buffers(View& view, Listing& listing) {
  Listing found = list_choices(*find_strategy("pipelining"), view, true, listing.with_refusals);
  for (ChoiceSite& site : found.sites) {
    site.parameters.insert(site.parameters.begin(), {"form", std::vector<std::string>{"buffers"}});
    site.extended = false;
    listing.offer(std::move(site));
  }
}

void choices(View& view, Listing& listing) {
  offer_layouts(view, listing);
  offer_ahead(view, listing);
  offer_deep(view, listing);
  offer_buffers(view, listing);
}

std::optional<Refusal> make(MoveBuilder& builder, const Choice& choice) {
  const auto form = one_of(choice, "form", kForms);
  if (!form) return form.error();
  const std::string_view strategy = strategy_of(kForms[*form]);
  const bool is_layout = strategy == "set_storage_layout";
  if (is_layout && !is_staged(builder.view(), choice.at)) {
    return Refusal{&kStaged, choice.at, "there is no left side of a tensor in s or l here", {}};
  }
  Values values = choice.values;
  if (strategy == "pipelining") std::erase_if(values, [](const auto& value) { return value.first == "form"; });
  for (auto& [name, value] : values) {
    if (name == "form" && is_layout) value = Json(layout_of(kForms[*form]));
  }
  if (strategy == "cache_read_write") values.insert(values.begin(), {"direction", Json("read")});
  if (kForms[*form] == "deep") {
    values.emplace_back("scope", Json("s"));
    for (auto& [name, value] : values) {
      if (name == "form") value = Json("plain");
    }
  }
  (void)builder.step(strategy, choice.at, std::move(values));
  return builder.refusal();
}

}  // namespace

const Move& memory_move() {
  static constexpr Move kMove = {
      "memory",
      "what is staged lies padded, rotated or transposed, or is fetched some rounds ahead into several buffers",
      "D^{f32,s}_{c,tx}   -->   D^{f32,s}_{c*33+tx}",
      {"@input A f32[8,32]\n@output E f32[32,8]\n"
       "B^{8}_{ty=0}B^{32}_{tx=0}[D^{f32,s}_{ty,tx}=A^{f32,g}_{ty,tx};E^{f32,g}_{tx,ty}=D^{f32,s}_{ty,tx};];\n",
       R"({"at":"0/0:left","form":"pad","dimensions":"0,1","number":1})"},
      kParameters,
      kNeeds,
      choices,
      make,
      true,
      200,
  };
  return kMove;
}

}  // namespace steptp
