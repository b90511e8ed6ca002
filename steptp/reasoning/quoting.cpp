// Quotations are ranges of the printed program, never text of our own, so that a trace quotes letter by letter.
// Nests that are too long are quoted by their loops and what they compute.
#include "steptp/reasoning/quoting.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <variant>

#include "steptp/base/text.h"
#include "steptp/text/printer.h"

namespace steptp {

namespace {

constexpr std::size_t kLongNest = 170;      ///< letters in the paper profile; longer nests are not quoted whole
constexpr std::size_t kLongEquation = 480;  ///< likewise of an equation in a list: a recurrence has 400
constexpr std::size_t kManyEquations = 4;
constexpr std::size_t kManyPlaces = 8;  ///< quotations in one list

constexpr std::array<std::string_view, 12> kOrdinals = {"first",   "second", "third", "fourth", "fifth",    "sixth",
                                                        "seventh", "eighth", "ninth", "tenth",  "eleventh", "twelfth"};

std::string text_at(const Program& program, const Site& site) {
  struct Visitor {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(const Nest*) const { return {}; }
    std::string operator()(const Equation* part) const { return print(*part); }
    std::string operator()(const Loop* part) const { return print(*part); }
    std::string operator()(const Ref* part) const { return print(*part); }
    std::string operator()(const Expr* part) const { return print(*part); }
    std::string operator()(const Index* part) const { return print(*part); }
  };
  return std::visit(Visitor{}, resolve(program.nests, site));
}

Site equation_of(const Site& site) { return {site.items, Site::Part::item, {}, {}}; }

/// The accumulator on the right is shown by the left side, which every profile writes out.
Site shown_at(const Program& program, const Site& site) {
  if (site.part != Site::Part::right || site.number) return site;
  const SitePart whole = resolve(program.nests, equation_of(site));
  const auto* equation = std::get_if<const Equation*>(&whole);
  const SitePart part = resolve(program.nests, site);
  const auto* expr = std::get_if<const Expr*>(&part);
  if (!equation || !expr) return site;
  const auto* read = std::get_if<Read>(&(*expr)->node);
  if (!read || !equal(*read->ref, *(*equation)->left)) return site;
  return {site.items, Site::Part::left, {}, {}};
}

TracePieces term_words(const IndexTerm& term) {
  TracePieces out;
  const auto division = [&](std::string_view what, const Index& dividend, const Index& divisor) {
    add(out, what);
    add(out, index_words(dividend));
    add(out, " by ");
    add(out, index_words(divisor));
  };
  for (const IndexAtom& factor : term.factors) {
    if (!out.empty()) add(out, " times ");
    struct Visitor {
      TracePieces& out;
      const decltype(division)& divide;
      void operator()(const LoopVariable& variable) const { add(out, name_piece(variable.name)); }
      void operator()(const FloorQuotient& node) const { divide("the quotient of ", *node.dividend, *node.divisor); }
      void operator()(const FloorRemainder& node) const { divide("the remainder of ", *node.dividend, *node.divisor); }
      void operator()(const IndirectRead& read) const {
        add(out, "an element of ");
        add(out, name_piece(read.ref->tensor));
      }
    };
    std::visit(Visitor{out, division}, factor);
  }
  const std::int64_t size = std::abs(term.coefficient);
  if (size != 1) add(out, concat(" times ", size));
  return out;
}

}  // namespace

TracePieces plain(std::string words) { return {{TracePiece::Kind::words, std::move(words), {}}}; }

TracePieces name_piece(std::string_view name) { return {{TracePiece::Kind::name, std::string(name), {}}}; }

TracePieces quote_piece(const Quotable& from, TextRange range) { return {{from.kind, {}, std::move(range)}}; }

void add(TracePieces& to, TracePieces more) {
  for (TracePiece& piece : more) {
    if (piece.kind == TracePiece::Kind::words)
      add(to, piece.words);
    else
      to.push_back(std::move(piece));
  }
}

void add(TracePieces& to, std::string_view words) {
  if (words.empty()) return;
  if (!to.empty() && to.back().kind == TracePiece::Kind::words)
    to.back().words += words;
  else
    to.push_back({TracePiece::Kind::words, std::string(words), {}});
}

TracePieces list_of(std::vector<TracePieces> items, std::string_view last) {
  TracePieces out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) add(out, i + 1 == items.size() ? last : ", ");
    add(out, std::move(items[i]));
  }
  return out;
}

TracePieces names_of(std::span<const std::string> names) {
  std::vector<TracePieces> out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) ==
        names.begin() + static_cast<std::ptrdiff_t>(i)) {
      out.push_back(name_piece(names[i]));
    }
  }
  return list_of(std::move(out));
}

std::string counted(std::int64_t number, std::string_view one, std::string_view several) {
  return number == 1 ? concat("one ", one) : concat(number, " ", several);
}

std::string expression_words(const Program& program, std::size_t number) {
  if (program.nests.size() == 1) return "the program's only expression";
  return number < kOrdinals.size() ? concat("the ", kOrdinals[number], " expression")
                                   : concat("expression number ", number + 1);
}

TracePieces index_words(const Index& index) {
  const std::int64_t constant = index.constant_term();
  if (index.terms().empty()) return plain(std::to_string(constant));
  TracePieces out;
  // 7-a: the constant stands first, as in the text.
  const bool leads = index.terms().front().coefficient < 0 && constant >= 0;
  if (leads) add(out, std::to_string(constant));
  for (const IndexTerm& term : index.terms()) {
    const bool first = out.empty();
    const std::string_view sign = term.coefficient < 0 ? "minus " : "plus ";
    if (!first) add(out, " ");
    if (!first || term.coefficient < 0) add(out, sign);
    add(out, term_words(term));
  }
  if (!leads && constant != 0) add(out, concat(constant < 0 ? " minus " : " plus ", std::abs(constant)));
  return out;
}

const Nest* nest_at(const Program& program, const std::vector<std::uint32_t>& items) {
  const SitePart part = resolve(program.nests, {items, Site::Part::item, {}, {}});
  const auto* nest = std::get_if<const Nest*>(&part);
  return nest ? *nest : nullptr;
}

const Loop* loop_at(const Program& program, const Site& site) {
  const SitePart part = resolve(program.nests, site);
  const auto* loop = std::get_if<const Loop*>(&part);
  return loop ? *loop : nullptr;
}

const Equation* equation_at(const Program& program, const std::vector<std::uint32_t>& items) {
  const SitePart part = resolve(program.nests, {items, Site::Part::item, {}, {}});
  const auto* equation = std::get_if<const Equation*>(&part);
  return equation ? *equation : nullptr;
}

TracePieces header_of(const Quotable& from, const std::vector<std::uint32_t>& items) {
  const Nest* nest = nest_at(*from.program, items);
  if (!nest) return {};
  const auto last = static_cast<std::uint32_t>(nest->loops.size() - 1);
  return quote_piece(from, {{items, Site::Part::loop, {}, 0}, last == 0 ? std::nullopt : std::optional(last)});
}

std::vector<Site> equations_below(const Program& program, const std::vector<std::uint32_t>& items) {
  std::vector<Site> out;
  const std::function<void(std::vector<std::uint32_t>&)> visit = [&](std::vector<std::uint32_t>& at) {
    const Nest* nest = nest_at(program, at);
    if (!nest) {
      out.push_back({at, Site::Part::item, {}, {}});
      return;
    }
    for (std::uint32_t i = 0; i < nest->items.size(); ++i) {
      at.push_back(i);
      visit(at);
      at.pop_back();
    }
  };
  std::vector<std::uint32_t> at = items;
  visit(at);
  return out;
}

TracePieces body_of(const Quotable& from, const std::vector<std::uint32_t>& items) {
  const std::vector<Site> all = equations_below(*from.program, items);
  std::vector<TracePieces> out;
  for (Site site : all) {
    const bool is_long = text_at(*from.program, site).size() > kLongEquation;
    if (all.size() > kManyEquations || is_long) site.part = Site::Part::left;
    out.push_back(quote_piece(from, {site, {}}));
  }
  return list_of(std::move(out));
}

TracePieces nest_of(const Quotable& from, const Site& site) {
  const Nest* nest = nest_at(*from.program, site.items);
  if (!nest) return quote_piece(from, {site, {}});
  const std::vector<Site> all = equations_below(*from.program, site.items);
  std::size_t size = 0;
  for (const Site& equation : all) size += text_at(*from.program, equation).size();
  for (const Loop& loop : nest->loops) size += print(loop).size();
  if (size <= kLongNest) return quote_piece(from, {site, {}});
  TracePieces out = plain("the nest ");
  add(out, header_of(from, site.items));
  add(out, size <= kLongNest * 2 ? " around " : " that computes ");
  if (size <= kLongNest * 2) {
    add(out, body_of(from, site.items));
    return out;
  }
  std::vector<TracePieces> targets;
  std::vector<std::string> known;
  for (Site equation : all) {
    equation.part = Site::Part::left;
    const std::string text = text_at(*from.program, equation);
    if (std::find(known.begin(), known.end(), text) != known.end()) continue;
    known.push_back(text);
    targets.push_back(quote_piece(from, {equation, {}}));
  }
  add(out, list_of(std::move(targets)));
  return out;
}

TracePieces items_of(const Quotable& from, const std::vector<std::uint32_t>& items) {
  const Nest* nest = nest_at(*from.program, items);
  if (!nest || nest->items.size() > kManyEquations) return body_of(from, items);
  std::vector<TracePieces> out;
  for (std::uint32_t i = 0; i < nest->items.size(); ++i) {
    Site site{items, Site::Part::item, {}, {}};
    site.items.push_back(i);
    out.push_back(nest_of(from, site));
  }
  return list_of(std::move(out));
}

namespace {

/// Parts of one expression, or of several that have the same.
struct Group {
  struct Shown {
    Site site;
    std::string text;
    int times = 1;
  };
  std::vector<std::uint32_t> expressions;
  std::vector<Shown> parts;
};

std::vector<Group> group_by_expression(const Program& program, std::vector<Site> sites) {
  std::vector<Group> out;
  std::stable_sort(sites.begin(), sites.end(), [](const Site& a, const Site& b) { return a.items[0] < b.items[0]; });
  for (const Site& site : sites) {
    if (out.empty() || out.back().expressions[0] != site.items[0]) out.push_back({{site.items[0]}, {}});
    std::vector<Group::Shown>& parts = out.back().parts;
    std::string text = text_at(program, site);
    const auto same = std::find_if(parts.begin(), parts.end(), [&](const auto& one) { return one.text == text; });
    if (same != parts.end())
      ++same->times;
    else
      parts.push_back({shown_at(program, site), std::move(text), 1});
  }
  return out;
}

bool is_alike(const Group& a, const Group& b) {
  return std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(),
                    [](const auto& x, const auto& y) { return x.text == y.text && x.times == y.times; });
}

/// " in the first expression", " in the first, second and fourth expressions", " in expressions number 3, 26 and 27".
std::string where_words(const Program& program, const std::vector<std::uint32_t>& expressions) {
  if (expressions.size() == 1) return concat(" in ", expression_words(program, expressions[0]));
  const bool have_ordinals =
      std::all_of(expressions.begin(), expressions.end(), [](std::uint32_t one) { return one < kOrdinals.size(); });
  std::string out = have_ordinals ? " in the " : " in expressions number ";
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    append(out, i == 0 ? "" : i + 1 == expressions.size() ? " and " : ", ");
    append(out, have_ordinals ? std::string(kOrdinals[expressions[i]]) : std::to_string(expressions[i] + 1));
  }
  return have_ordinals ? out + " expressions" : out;
}

}  // namespace

TracePieces places_of(const Quotable& from, std::vector<Site> sites, std::optional<std::uint32_t> here,
                      bool with_expressions) {
  std::vector<Group> groups;
  for (Group& group : group_by_expression(*from.program, std::move(sites))) {
    const auto same =
        std::find_if(groups.begin(), groups.end(), [&](const Group& one) { return is_alike(one, group); });
    if (same != groups.end() && with_expressions)
      same->expressions.push_back(group.expressions[0]);
    else
      groups.push_back(std::move(group));
  }
  std::vector<TracePieces> out;
  std::vector<std::uint32_t> rest;
  std::size_t quoted = 0;
  for (const Group& group : groups) {
    if (quoted >= kManyPlaces) {
      rest.insert(rest.end(), group.expressions.begin(), group.expressions.end());
      continue;
    }
    std::vector<TracePieces> items;
    for (const Group::Shown& one : group.parts) {
      items.push_back(quote_piece(from, {one.site, {}}));
      if (one.times > 1) add(items.back(), one.times == 2 ? " (twice)" : concat(" (", one.times, " times)"));
      ++quoted;
    }
    TracePieces entry = list_of(std::move(items));
    const bool is_here = group.expressions.size() == 1 && here == group.expressions[0];
    if (with_expressions && !is_here) add(entry, where_words(*from.program, group.expressions));
    out.push_back(std::move(entry));
  }
  TracePieces all = list_of(std::move(out), rest.empty() ? " and " : ", ");
  if (!rest.empty()) add(all, concat(", and likewise", where_words(*from.program, rest)));
  return all;
}

std::vector<Site> accesses_below(const Program& program, const std::vector<std::uint32_t>& items,
                                 std::string_view tensor) {
  std::vector<Site> out;
  const auto visit = [&](const auto& self, const Expr& expr, Site& at) -> void {
    const auto* read = std::get_if<Read>(&expr.node);
    if (read && read->ref->tensor == tensor) out.push_back(at);
    for (std::uint32_t i = 0; i < child_count(expr); ++i) {
      at.path.push_back(i);
      self(self, *child(expr, i), at);
      at.path.pop_back();
    }
  };
  for (Site site : equations_below(program, items)) {
    const Equation* equation = equation_at(program, site.items);
    site.part = Site::Part::left;
    if (equation->left->tensor == tensor) out.push_back(site);
    site.part = Site::Part::right;
    visit(visit, *equation->right, site);
  }
  return out;
}

std::optional<Site> subscript_with(const Program& program, const std::vector<std::uint32_t>& items,
                                   std::string_view index) {
  std::optional<Site> some;
  std::optional<Site> alone;
  const auto look = [&](const Ref& ref, const Site& at) {
    for (std::uint32_t i = 0; i < ref.subscripts.size() && !alone; ++i) {
      Site site = at;
      site.number = i;
      bool inside = false;
      for_each_variable(ref.subscripts[i], [&](const std::string& variable) { inside = inside || variable == index; });
      const std::string* variable = ref.subscripts[i].as_variable();
      if (variable && *variable == index)
        alone = std::move(site);
      else if (inside && !some)
        some = std::move(site);
    }
  };
  const std::function<void(const Expr&, Site&)> visit = [&](const Expr& expr, Site& at) {
    if (const auto* read = std::get_if<Read>(&expr.node)) return look(*read->ref, at);
    for (std::uint32_t i = 0; i < child_count(expr) && !alone; ++i) {
      at.path.push_back(i);
      visit(*child(expr, i), at);
      at.path.pop_back();
    }
  };
  for (Site site : equations_below(program, items)) {
    const SitePart part = resolve(program.nests, site);
    const auto* equation = std::get_if<const Equation*>(&part);
    if (!equation || alone) continue;
    site.part = Site::Part::left;
    look(*(*equation)->left, site);
    site.part = Site::Part::right;
    if (!alone) visit(*(*equation)->right, site);
  }
  return alone ? alone : some;
}

}  // namespace steptp
