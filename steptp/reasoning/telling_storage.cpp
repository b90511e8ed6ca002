// layout_transformation, set_storage_layout, set_storage_scope
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/reasoning/adjacency.h"
#include "steptp/reasoning/tellings.h"

namespace steptp {

namespace {

constexpr std::array<std::string_view, 8> kOrdinals = {"first", "second", "third",   "fourth",
                                                       "fifth", "sixth",  "seventh", "eighth"};

std::vector<std::string> ordinals_of(const std::string& dimensions) {
  std::vector<std::string> out(1);
  std::size_t number = 0;
  const auto name = [&] { return std::string(number < kOrdinals.size() ? kOrdinals[number] : "last"); };
  for (const char c : dimensions) {
    if (c == ',') {
      out.back() = name();
      out.emplace_back();
      number = 0;
    } else {
      number = number * 10 + static_cast<std::size_t>(c - '0');
    }
  }
  out.back() = name();
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    append(out, i == 0 ? "" : i + 1 == words.size() ? " and " : ", ", words[i]);
  }
  return out;
}

/// What happens to the dimensions, as the end of a sentence: "the dimensions ...".
std::string layout_words(const std::string& form, const std::string& dimensions, std::int64_t number) {
  if (form == "expand") return "one more dimension is added at the end";
  const std::vector<std::string> which = ordinals_of(dimensions);
  const auto in_order = join(which, ", ", [](const std::string& word) { return word; });
  if (form == "transpose" && which.size() == 2) return "the two dimensions are exchanged";
  if (form == "transpose") return concat("the dimensions are permuted into the order ", in_order);
  if (form == "flatten") {
    const std::string padding = number > 0 ? concat(", with ", number, " unused after each run") : std::string();
    return concat("all dimensions are laid out as one (from slowest to fastest: ", in_order, ")", padding);
  }
  if (form == "merge") return concat("the ", joined(which), " dimensions are merged into one");
  if (form == "split") return concat("the ", which[0], " dimension is split into quotient and remainder by ", number);
  if (form == "rotate") return concat("the ", which[0], " dimension is rotated by the ", which.back(), " subscript");
  return concat("the ", which[0], " dimension is given up");
}

std::vector<Site> sites_of(const std::vector<Part>& parts) {
  std::vector<Site> out;
  for (const Part& part : parts) out.push_back(part.site);
  return out;
}

/// Whether something besides the nest that makes the copy reads the tensor.
bool has_other_readers(const Program& program, std::uint32_t copy_nest, std::string_view tensor) {
  for (std::uint32_t i = 0; i < program.nests.size(); ++i) {
    if (i == copy_nest) continue;
    for (const Site& site : accesses_below(program, {i}, tensor)) {
      if (site.part == Site::Part::right) return true;
    }
  }
  return false;
}

/// Whether the reads of the copy run through neighbours more often than those of the tensor did, or less often.
std::string_view purpose_of_copy(Teller& teller, const std::vector<std::uint32_t>& reader) {
  const std::vector<std::uint32_t>& old = teller.choice.at.items;
  const Nest* nest = nest_at(*teller.before.program, old);
  if (!nest || !nest_at(*teller.after.program, reader) || !has_fastest_loop(*nest)) return "purpose";
  const std::string tensor = teller.word("tensor");
  const std::string copy = teller.word("copy");
  const Adjacency was = adjacency_of(*teller.before.program, old, [&](const auto& name) { return name == tensor; });
  const Adjacency is = adjacency_of(*teller.after.program, reader, [&](const auto& name) { return name == copy; });
  teller.bind_name("fastest", nest->loops.back().index);
  teller.bind("was_share", share_words(was.adjacent, was.all, "read", "reads"));
  teller.bind("is_share", share_words(is.adjacent, is.all, "read", "reads"));
  if (is.adjacent == was.adjacent) return "purpose";
  return is.adjacent > was.adjacent ? "purpose-adjacent" : "purpose-apart";
}

void tell_transformation(Teller& teller) {
  const Facts& facts = teller.facts;
  const std::uint32_t expression = facts.added[0].site.items[0];
  bind_where(teller);
  teller.bind("uses", places_of(teller.before, sites_of(facts.removed), teller.choice.at.items[0]));
  teller.bind("change", layout_words(teller.word("form"), teller.word("dimensions"), teller.integer("number")));
  teller.bind("copy_nest", nest_of(teller.after, facts.added[0].site));
  std::vector<std::uint32_t> reader = facts.added[0].site.items;
  ++reader.back();
  const std::vector<Site> results = accesses_below(*teller.after.program, reader, teller.word("copy"));
  teller.bind("results", results.empty() ? nest_of(teller.after, {reader, Site::Part::item, {}, {}})
                                         : places_of(teller.after, results, expression + 1));
  const bool is_same = teller.flag("same_order");
  teller.say("take");
  teller.say_preconditions();
  teller.say("become");
  teller.say("reads");
  teller.say("why");
  const bool is_read = has_other_readers(*teller.after.program, expression, teller.word("tensor"));
  teller.say(is_read ? "back" : "back-alone");
  teller.set_purpose(is_same ? "purpose-same" : purpose_of_copy(teller, reader));
}

void tell_layout(Teller& teller) {
  const Facts& facts = teller.facts;
  const std::string form = teller.word("form");
  teller.bind("accesses", places_of(teller.before, sites_of(facts.removed)));
  const bool same_numbers = teller.before.program->nests.size() == teller.after.program->nests.size();
  teller.bind("results", places_of(teller.after, sites_of(facts.added), std::nullopt, same_numbers));
  teller.bind("change", layout_words(form, teller.word("dimensions"), teller.integer("number")));
  if (form == "rolling") teller.bind_name("previous", teller.word("previous"));
  teller.say("take");
  teller.say_preconditions();
  teller.say(form == "rolling" ? "rolling" : "become");
  teller.say(form == "expand" ? "why-own" : form == "drop" || form == "rolling" ? "why-shared" : "why");
  if (form != "rolling" && form != "drop") teller.say("back");
  if (teller.flag("same_order")) teller.set_purpose("purpose-same");
}

void tell_scope(Teller& teller) {
  const Facts& facts = teller.facts;
  const std::string to = teller.word("to");
  teller.bind("accesses", places_of(teller.before, sites_of(facts.removed)));
  teller.bind("results", places_of(teller.after, sites_of(facts.added)));
  teller.bind("owner", (to == "g" ? teller.word("from") : to) == "s" ? "block" : "thread");
  const std::vector<Part>& accesses = facts.removed;
  const bool is_read = std::any_of(accesses.begin(), accesses.end(),
                                   [](const Part& part) { return part.site.part != Site::Part::left; });
  teller.say("take");
  for (const Holds& one : facts.holds) {
    teller.bind_values(one.values);
    const std::string_view id = one.precondition->id;
    const bool is_unread = id == "ownership" && !is_read;
    teller.say(id == "placement" && to == "g" ? "placement-global" : is_unread ? "ownership-unread" : id);
  }
  teller.say("become");
  teller.say(is_read ? "why" : "why-unread");
  teller.say("back");
}

constexpr Telling kTellings[] = {
    {"layout_transformation", tell_transformation},
    {"set_storage_layout", tell_layout},
    {"set_storage_scope", tell_scope},
};

}  // namespace

std::span<const Telling> storage_tellings() { return kTellings; }

}  // namespace steptp
