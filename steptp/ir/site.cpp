#include "steptp/ir/site.h"

#include <charconv>

#include "steptp/base/text.h"

namespace steptp {

namespace {

bool take_number(std::string_view& text, std::uint32_t& number) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return true;
}

bool take(std::string_view& text, std::string_view token) {
  if (!text.starts_with(token)) return false;
  text.remove_prefix(token.size());
  return true;
}

const Expr* descend(const ExprPtr& root, const std::vector<std::uint32_t>& path) {
  const Expr* at = root.get();
  for (const std::uint32_t step : path) {
    if (!at || step >= child_count(*at)) return nullptr;
    at = child(*at, step).get();
  }
  return at;
}

SitePart subscript_of(const Ref& ref, std::uint32_t number) {
  if (number < ref.subscripts.size()) return &ref.subscripts[number];
  return std::monostate();
}

SitePart value_or_subscript(const Expr& expr, const Site& site) {
  if (!site.number) return &expr;
  const auto* read = std::get_if<Read>(&expr.node);
  return read ? subscript_of(*read->ref, *site.number) : SitePart();
}

SitePart resolve_in(const Nest& nest, const Site& site) {
  if (site.part == Site::Part::item) return &nest;
  if (site.part == Site::Part::loop && site.number && *site.number < nest.loops.size())
    return &nest.loops[*site.number];
  if (site.part == Site::Part::guard && nest.guard) {
    if (const Expr* expr = descend(nest.guard, site.path)) return value_or_subscript(*expr, site);
  }
  return std::monostate();
}

SitePart resolve_in(const Equation& equation, const Site& site) {
  if (site.part == Site::Part::item) return &equation;
  if (site.part == Site::Part::left) {
    return site.number ? subscript_of(*equation.left, *site.number) : SitePart(equation.left.get());
  }
  if (site.part != Site::Part::right) return std::monostate();
  const Expr* expr = descend(equation.right, site.path);
  if (!expr) return std::monostate();
  return value_or_subscript(*expr, site);
}

}  // namespace

std::string to_text(const Site& site) {
  std::string out = join(site.items, "/", [](std::uint32_t n) { return std::to_string(n); });
  switch (site.part) {
    case Site::Part::item: break;
    case Site::Part::loop: out += ":loop"; break;
    case Site::Part::guard: out += ":guard"; break;
    case Site::Part::left: out += ":left"; break;
    case Site::Part::right: out += ":right"; break;
  }
  for (const std::uint32_t step : site.path) append(out, '.', step);
  if (site.number) append(out, '[', *site.number, ']');
  return out;
}

std::optional<Site> parse_site(std::string_view text) {
  Site site;
  do {
    if (!take_number(text, site.items.emplace_back())) return std::nullopt;
  } while (take(text, "/"));
  if (text.empty()) return site;
  if (take(text, ":loop")) {
    site.part = Site::Part::loop;
  } else if (take(text, ":guard")) {
    site.part = Site::Part::guard;
  } else if (take(text, ":left")) {
    site.part = Site::Part::left;
  } else if (take(text, ":right")) {
    site.part = Site::Part::right;
  } else {
    return std::nullopt;
  }
  while (take(text, ".")) {
    if (!take_number(text, site.path.emplace_back())) return std::nullopt;
  }
  if (take(text, "[")) {
    if (!take_number(text, site.number.emplace()) || !take(text, "]")) return std::nullopt;
  }
  const bool path_fits = site.path.empty() || site.part == Site::Part::guard || site.part == Site::Part::right;
  if (!text.empty() || !path_fits) return std::nullopt;
  return site;
}

SitePart resolve(const std::vector<NestPtr>& nests, const Site& site) {
  if (site.items.empty() || site.items[0] >= nests.size()) return std::monostate();
  const Nest* nest = nests[site.items[0]].get();
  for (std::size_t i = 1; i < site.items.size(); ++i) {
    if (site.items[i] >= nest->items.size()) return std::monostate();
    const Item& item = nest->items[site.items[i]];
    if (const auto* equation = std::get_if<EquationPtr>(&item)) {
      return i + 1 == site.items.size() ? resolve_in(**equation, site) : SitePart();
    }
    nest = std::get<NestPtr>(item).get();
  }
  return resolve_in(*nest, site);
}

}  // namespace steptp
