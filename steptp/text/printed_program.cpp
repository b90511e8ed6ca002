#include "steptp/text/printed_program.h"

#include <utility>
#include <variant>

#include "steptp/text/printer_impl.h"

namespace steptp {

namespace {

/// What the printer tells, as a list.
struct AllPlaces {
  using Place = std::size_t;
  std::vector<TextPlace> list;

  Place open(std::size_t begin) {
    list.push_back({static_cast<std::uint32_t>(begin), 0, 0, false, true});
    return list.size() - 1;
  }
  void close(Place place, std::size_t end, bool in_brackets = false) {
    list[place].end = static_cast<std::uint32_t>(end);
    list[place].next = static_cast<std::uint32_t>(list.size());
    list[place].in_brackets = in_brackets;
  }
  /// A right side of which only what stands behind the accumulator is written, and the accumulator in it.
  Place open_unwritten() {
    list.push_back({0, 0, 0, false, false});
    const auto place = list.size() - 1;
    list.push_back({0, 0, static_cast<std::uint32_t>(list.size() + 1), false, false});
    return place;
  }
  void close_unwritten(Place place) { list[place].next = static_cast<std::uint32_t>(list.size()); }
};

using PlacePrinter = printing::Printer<AllPlaces>;

}  // namespace

PrintedProgram::PrintedProgram(const Program& program, Profile profile) : nests_(program.nests) {
  PlacePrinter printer(profile);
  printer.program(program);
  const DType most = printer.most_common_dtype();
  if (most != DType::f32) {
    printer = PlacePrinter(profile, most);
    printer.program(program);
  }
  places_ = printer.take_places().list;
  text_ = printer.take();
}

std::size_t PrintedProgram::child_of(std::size_t place, std::size_t number) const {
  std::size_t at = place + 1;
  for (std::size_t i = 0; i < number; ++i) at = places_[at].next;
  return at;
}

std::optional<PrintedProgram::Found> PrintedProgram::descend(const Expr& root, std::size_t place, std::size_t around,
                                                             const Site& site) const {
  const Expr* at = &root;
  if (places_[place].is_written) around = place;
  for (const std::uint32_t step : site.path) {
    if (step >= child_count(*at)) return std::nullopt;
    at = child(*at, step).get();
    place = child_of(place, step);
    if (places_[place].is_written) around = place;
  }
  if (!site.number) return Found{place, around};
  const auto* read = std::get_if<Read>(&at->node);
  if (!read || *site.number >= read->ref->subscripts.size()) return std::nullopt;
  if (!places_[place].is_written) return Found{place, around};
  place = child_of(child_of(place, 0), *site.number);
  return Found{place, place};
}

std::optional<PrintedProgram::Found> PrintedProgram::find_in(const Nest& nest, std::size_t place,
                                                             const Site& site) const {
  if (site.part == Site::Part::item) return Found{place, place};
  if (site.part == Site::Part::loop && site.number && *site.number < nest.loops.size()) {
    place = child_of(place, *site.number);
    return Found{place, place};
  }
  if (site.part != Site::Part::guard || !nest.guard) return std::nullopt;
  return descend(*nest.guard, child_of(place, nest.loops.size()), place, site);
}

std::optional<PrintedProgram::Found> PrintedProgram::find_in(const Equation& equation, std::size_t place,
                                                             const Site& site) const {
  if (site.part == Site::Part::item) return Found{place, place};
  if (site.part == Site::Part::left) {
    const std::size_t left = child_of(place, 0);
    if (!site.number) return Found{left, left};
    if (*site.number >= equation.left->subscripts.size()) return std::nullopt;
    const std::size_t subscript = child_of(left, *site.number);
    return Found{subscript, subscript};
  }
  if (site.part != Site::Part::right) return std::nullopt;
  return descend(*equation.right, child_of(place, 1), place, site);
}

std::optional<PrintedProgram::Found> PrintedProgram::find(const Site& site) const {
  if (site.items.empty() || site.items[0] >= nests_.size()) return std::nullopt;
  const Nest* nest = nests_[site.items[0]].get();
  std::size_t place = 0;
  for (std::uint32_t i = 0; i < site.items[0]; ++i) place = places_[place].next;
  for (std::size_t i = 1; i < site.items.size(); ++i) {
    if (site.items[i] >= nest->items.size()) return std::nullopt;
    place = child_of(place, nest->loops.size() + (nest->guard ? 1 : 0) + site.items[i]);
    const Item& item = nest->items[site.items[i]];
    if (const auto* equation = std::get_if<EquationPtr>(&item)) {
      return i + 1 == site.items.size() ? find_in(**equation, place, site) : std::nullopt;
    }
    nest = std::get<NestPtr>(item).get();
  }
  return find_in(*nest, place, site);
}

std::optional<std::string_view> PrintedProgram::quote(const TextRange& range) const {
  const auto piece = [this](std::size_t begin, std::size_t end) {
    return std::string_view(text_).substr(begin, end - begin);
  };
  const auto first = find(range.from);
  if (!first) return std::nullopt;
  const TextPlace& begin = places_[first->around];
  if (!range.to) return piece(begin.begin, begin.end);
  Site last = range.from;
  if (last.number) {
    last.number = range.to;
  } else if (!last.path.empty()) {
    last.path.back() = *range.to;
  } else {
    last.items.back() = *range.to;
  }
  const auto second = find(last);
  if (!second) return std::nullopt;
  // An accumulator that is not written out: the part around it holds both ends.
  if (first->around != first->place) return piece(begin.begin, begin.end);
  const TextPlace& end = places_[second->around];
  if (end.end < begin.begin) return std::nullopt;
  return piece(begin.begin - (begin.in_brackets ? 1 : 0), end.end + (end.in_brackets ? 1 : 0));
}

}  // namespace steptp
