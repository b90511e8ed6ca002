// A step is tracked on a copy of the program in which no two parts are one object, so that an object says which part
// it is. What a strategy takes over it takes over as an object, or as a new one that it notes as standing for the old
// (origins.h). Loops are told by the nests: a loop of a nest is now a loop of what stands for that nest, or of a nest
// around it, under its own name or the names that the facts of the step give it.
#include "steptp/strategies/handles.h"

#include <algorithm>
#include <tuple>

#include "steptp/strategies/origins.h"
#include "steptp/strategies/rewrite.h"
#include "steptp/strategies/view.h"

namespace steptp {

namespace {

/// Parts of one item in the order in which they are written: left and right stand for the equation's own address too.
std::tuple<int, std::uint32_t> rank_of(const Site& site) {
  switch (site.part) {
    case Site::Part::item: return {0, 0};
    case Site::Part::loop: return {1, site.number.value_or(0)};
    case Site::Part::guard: return {2, 0};
    case Site::Part::left: return {3, 0};
    case Site::Part::right: return {4, 0};
  }
  return {0, 0};
}

using Visit = std::function<void(Site, const void*)>;

/// Whether it is the address of a subscript: what is followed there are the reads in it.
bool is_subscript(const Site& site) { return site.part != Site::Part::loop && site.number.has_value(); }

/// The reads in a subscript, those in their own subscripts too; all have the address of the subscript.
void visit_subscript(const Index& index, const Site& site, const Visit& visit) {
  for_each_read(index, [&](const RefPtr& ref) {
    visit(site, ref.get());
    for (const Index& inner : ref->subscripts) visit_subscript(inner, site, visit);
  });
}

void visit_ref(const Ref& ref, Site site, const Visit& visit) {
  visit(site, &ref);
  for (std::uint32_t i = 0; i < ref.subscripts.size(); ++i) {
    site.number = i;
    visit_subscript(ref.subscripts[i], site, visit);
  }
}

void visit_values(const Expr& expr, Site& site, const Visit& visit) {
  if (const auto* read = std::get_if<Read>(&expr.node)) visit_ref(*read->ref, site, visit);
  for (std::uint32_t i = 0; i < child_count(expr); ++i) {
    site.path.push_back(i);
    visit_values(*child(expr, i), site, visit);
    site.path.pop_back();
  }
}

/// Every followed part but loops, with its object; loops with null.
void visit_item(const Item& item, const std::vector<std::uint32_t>& address, const Visit& visit) {
  if (const auto* equation = std::get_if<EquationPtr>(&item)) {
    visit(item_site(address), equation->get());
    visit_ref(*(*equation)->left, {address, Site::Part::left, {}, {}}, visit);
    Site right{address, Site::Part::right, {}, {}};
    visit_values(*(*equation)->right, right, visit);
    return;
  }
  const Nest& nest = *std::get<NestPtr>(item);
  visit(item_site(address), &nest);
  for (std::size_t i = 0; i < nest.loops.size(); ++i) visit(loop_site(address, i), nullptr);
  Site guard = guard_site(address);
  if (nest.guard) visit_values(*nest.guard, guard, visit);
  std::vector<std::uint32_t> inner = address;
  inner.push_back(0);
  for (const Item& part : nest.items) {
    visit_item(part, inner, visit);
    ++inner.back();
  }
}

void visit_parts(const Program& program, const Visit& visit) {
  for (std::uint32_t i = 0; i < program.nests.size(); ++i) visit_item(program.nests[i], {i}, visit);
}

RefPtr copied(const RefPtr& ref) {
  IndexRewriter inner;
  inner.read = [](const RefPtr& other) { return copied(other); };
  std::vector<Index> subscripts = ref->subscripts;
  for (Index& subscript : subscripts) {
    if (auto own = rewrite(subscript, inner)) subscript = *std::move(own);
  }
  return make_ref(ref->tensor, ref->dtype, ref->scope, std::move(subscripts));
}

ExprPtr copied(const ExprPtr& expr) {
  if (const auto* read = std::get_if<Read>(&expr->node)) return read_expr(copied(read->ref));
  std::vector<ExprPtr> parts;
  for (std::size_t i = 0; i < child_count(*expr); ++i) parts.push_back(copied(child(*expr, i)));
  return parts.empty() ? expr : with_children(expr, parts);
}

Item copied(const Item& item) {
  if (const auto* equation = std::get_if<EquationPtr>(&item)) {
    return make_equation(copied((*equation)->left), copied((*equation)->right));
  }
  const Nest& nest = *std::get<NestPtr>(item);
  std::vector<Item> items;
  items.reserve(nest.items.size());
  for (const Item& part : nest.items) items.push_back(copied(part));
  return make_nest(nest.loops, nest.guard ? copied(nest.guard) : nullptr, std::move(items));
}

bool is_at_or_below(const std::vector<std::uint32_t>& items, const std::vector<std::uint32_t>& around) {
  return items.size() >= around.size() && std::equal(around.begin(), around.end(), items.begin());
}

/// What a loop is called after the step, below its nest.
std::vector<std::string> names_after(const Facts& facts, const std::vector<std::uint32_t>& nest,
                                     const std::string& name) {
  std::vector<std::string> out;
  const auto applies = [&](const Site& below) {
    return below.part == Site::Part::item && is_at_or_below(nest, below.items);
  };
  for (const Substitution& item : facts.substitutions) {
    if (item.index != name || !applies(item.below)) continue;
    for_each_variable(item.value, [&out](const std::string& other) { out.push_back(other); });
  }
  for (const Renaming& item : facts.renamings) {
    if (item.what == "index" && item.from == name && applies(item.below)) out.push_back(item.to);
  }
  if (out.empty()) out.push_back(name);
  return out;
}

}  // namespace

bool SiteOrder::operator()(const Site& left, const Site& right) const {
  // A nest's own loops and guard stand before its items, and an equation before its sides.
  if (left.items != right.items) return left.items < right.items;
  const auto rank = std::make_pair(rank_of(left), rank_of(right));
  if (rank.first != rank.second) return rank.first < rank.second;
  if (left.path != right.path) return left.path < right.path;
  return left.number < right.number;
}

std::vector<Site> followed_parts(const Program& program) {
  std::vector<Site> out;
  visit_parts(program, [&out](Site site, const void*) {
    if (out.empty() || !(out.back() == site)) out.push_back(std::move(site));
  });
  return out;
}

/// Reads a map off a log.
class HandleReader {
 public:
  HandleReader(const Program& before, const OriginLog& log, const std::vector<Site>& sites)
      : before_(before), log_(log), sites_(sites) {}

  HandleMap read(const Applied& applied) {
    for (const Site& site : sites_) map_.images_.emplace(site, std::vector<Site>());
    std::vector<std::pair<Site, const Nest*>> nests;  // after
    std::set<Site, SiteOrder> images;
    visit_parts(applied.program, [&](const Site& site, const void* part) {
      if (!part) return;
      if (site.part == Site::Part::item) {
        const Item item = item_at(applied.program, site.items);
        if (const auto* nest = std::get_if<NestPtr>(&item)) nests.emplace_back(site, nest->get());
      }
      for (const std::uint32_t number : log_.numbers(part)) {
        const Site& old = sites_[number];
        // A left side that is read elsewhere now is a new read, and the other way round; so is a value that has become
        // a subscript.
        if (is_subscript(old) != is_subscript(site)) continue;
        if (!is_subscript(old) && (old.part == Site::Part::left) != (site.part == Site::Part::left)) continue;
        add(old, site, images);
      }
    });
    for (const auto& [site, nest] : nests) {
      for (const std::uint32_t number : log_.numbers(nest)) {
        add_loops(applied, sites_[number], number, site, *nest, images);
      }
    }
    for (const Site& site : followed_parts(applied.program)) {
      if (!images.contains(site)) map_.added_.push_back(site);
    }
    return std::move(map_);
  }

 private:
  void add(const Site& old, const Site& now, std::set<Site, SiteOrder>& images) {
    std::vector<Site>& of = map_.images_.at(old);
    const auto at = std::lower_bound(of.begin(), of.end(), now, SiteOrder());
    if (at == of.end() || !(*at == now)) of.insert(at, now);
    images.insert(now);
  }

  /// The loops of one nest before, in a nest that stands for it and those around that.
  void add_loops(const Applied& applied, const Site& old, std::uint32_t number, const Site& now, const Nest& made,
                 std::set<Site, SiteOrder>& images) {
    const Item item = item_at(before_, old.items);
    const Nest& nest = *std::get<NestPtr>(item);
    for (std::size_t i = 0; i < nest.loops.size(); ++i) {
      const std::string& name = nest.loops[i].index;
      const std::string* said = log_.name_in(&made, number, name);
      const std::vector<std::string> names =
          said ? std::vector<std::string>{*said} : names_after(applied.facts, old.items, name);
      for (std::size_t depth = 1; depth <= now.items.size(); ++depth) {
        const std::vector<std::uint32_t> around(now.items.begin(),
                                                now.items.begin() + static_cast<std::ptrdiff_t>(depth));
        const Item outer = item_at(applied.program, around);
        const std::vector<Loop>& loops = std::get<NestPtr>(outer)->loops;
        for (std::size_t k = 0; k < loops.size(); ++k) {
          const bool is_image = std::find(names.begin(), names.end(), loops[k].index) != names.end();
          if (is_image) add(loop_site(old.items, i), loop_site(around, k), images);
        }
      }
    }
  }

  const Program& before_;
  const OriginLog& log_;
  const std::vector<Site>& sites_;
  HandleMap map_;
};

HandleMap HandleMap::identity(const Program& program) {
  HandleMap out;
  for (const Site& site : followed_parts(program)) out.images_.emplace(site, std::vector<Site>{site});
  return out;
}

const std::vector<Site>& HandleMap::of(const Site& before) const {
  static const std::vector<Site> kGone;
  const auto found = images_.find(before);
  return found == images_.end() ? kGone : found->second;
}

std::vector<Site> HandleMap::of(const std::vector<Site>& before) const {
  std::set<Site, SiteOrder> out;
  for (const Site& site : before) {
    const std::vector<Site>& images = of(site);
    out.insert(images.begin(), images.end());
  }
  return {out.begin(), out.end()};
}

HandleMap HandleMap::then(const HandleMap& next) const {
  HandleMap out;
  std::set<Site, SiteOrder> added(next.added_.begin(), next.added_.end());
  std::set<Site, SiteOrder> kept;
  for (const auto& [site, images] : images_) {
    std::vector<Site> now = next.of(images);
    kept.insert(now.begin(), now.end());
    out.images_.emplace(site, std::move(now));
  }
  for (const Site& site : next.of(added_)) {
    if (!kept.contains(site)) added.insert(site);
  }
  out.added_.assign(added.begin(), added.end());
  return out;
}

Json HandleMap::to_json() const {
  Json::Object out;
  for (const auto& [site, images] : images_) {
    Json::Array list;
    for (const Site& image : images) list.push_back(to_text(image));
    out.emplace_back(to_text(site), std::move(list));
  }
  return out;
}

Result<Tracked, Refusal> apply_tracked(const Strategy& strategy, const Program& program, const Choice& choice) {
  Program before = program;
  for (NestPtr& nest : before.nests) nest = std::get<NestPtr>(copied(Item(nest)));
  View view(before);
  OriginLog log;
  std::vector<Site> sites;
  visit_parts(before, [&](Site site, const void* part) {
    if (sites.empty() || !(sites.back() == site)) sites.push_back(std::move(site));
    if (part) log.know(part, static_cast<std::uint32_t>(sites.size() - 1));
  });
  auto applied = apply(strategy, view, choice);
  if (!applied) return applied.error();
  HandleMap map = HandleReader(before, log, sites).read(*applied);
  return Tracked{std::move(applied).value(), std::move(map)};
}

}  // namespace steptp
