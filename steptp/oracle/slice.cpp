#include "steptp/oracle/slice.h"

#include <algorithm>
#include <optional>
#include <set>

#include "steptp/oracle/machine.h"
#include "steptp/oracle/reach.h"

namespace steptp::oracle {

namespace {

constexpr std::int64_t kFar = std::int64_t{1} << 62;
constexpr std::size_t kManyIntervals = 1024;

using Ranges = std::map<std::string, Reach>;

MaybeReach reach_of(const Index& index, const Ranges& ranges);

MaybeReach reach_of(const IndexAtom& atom, const Ranges& ranges) {
  struct Visitor {
    const Ranges& ranges;
    MaybeReach operator()(const LoopVariable& variable) const { return ranges.at(variable.name); }
    MaybeReach operator()(const FloorQuotient& node) const {
      return quotient(reach_of(*node.dividend, ranges), reach_of(*node.divisor, ranges));
    }
    MaybeReach operator()(const FloorRemainder& node) const {
      return remainder(reach_of(*node.dividend, ranges), reach_of(*node.divisor, ranges));
    }
    MaybeReach operator()(const IndirectRead& read) const { return steptp::reach_of(read.ref->dtype); }
  };
  return std::visit(Visitor{ranges}, atom);
}

MaybeReach reach_of(const Index& index, const Ranges& ranges) {
  MaybeReach sum = Reach{index.constant_term(), index.constant_term()};
  for (const IndexTerm& term : index.terms()) {
    MaybeReach product = Reach{term.coefficient, term.coefficient};
    for (const IndexAtom& factor : term.factors) product = multiply(product, reach_of(factor, ranges));
    sum = add(sum, product);
  }
  return sum;
}

/// One occurrence of a tensor in a nest, with the ranges of the loops around it.
struct Occurrence {
  const Ref* ref = nullptr;
  bool is_write = false;
  std::vector<const Loop*> loops;
};

void collect(const Nest& nest, std::vector<const Loop*>& loops, std::vector<Occurrence>& out) {
  for (const Loop& loop : nest.loops) loops.push_back(&loop);
  for (const Item& item : nest.items) {
    if (const auto* inner = std::get_if<NestPtr>(&item)) {
      collect(**inner, loops, out);
      continue;
    }
    const Equation& equation = *std::get<EquationPtr>(item);
    for_each_ref(*equation.right, [&](const RefPtr& ref) { out.push_back({ref.get(), false, loops}); });
    for_each_ref(equation.left, [&](const RefPtr& ref) { out.push_back({ref.get(), ref == equation.left, loops}); });
  }
  loops.resize(loops.size() - nest.loops.size());
}

bool is_bound(const Loop& loop) { return loop.kind == LoopKind::bound; }

class Slicer {
 public:
  Slicer(const Program& program, const std::vector<Element>& elements) : program_(program) {
    for (std::size_t i = 0; i < program.nests.size(); ++i) {
      std::vector<const Loop*> loops;
      collect(*program.nests[i], loops, occurrences_.emplace_back());
      for (const Occurrence& occurrence : occurrences_.back()) touched_[occurrence.ref->tensor].insert(i);
    }
    for (const Element& element : elements) {
      std::vector<Selection>& dimensions = wanted_of(element.tensor, element.subscripts.size());
      for (std::size_t i = 0; i < element.subscripts.size(); ++i) {
        insert(dimensions[i], element.subscripts[i], element.subscripts[i]);
      }
    }
  }

  Slice run() {
    Slice slice;
    slice.nests.resize(program_.nests.size());
    for (std::size_t i = program_.nests.size(); i-- > 0;) visit(i, slice.nests[i]);
    return slice;
  }

 private:
  std::vector<Selection>& wanted_of(const std::string& tensor, std::size_t rank) {
    return wanted_.try_emplace(tensor, rank).first->second;
  }

  /// Lives and dies within launches of this nest: an `s` or `l` tensor that one kernel alone touches. Where the header
  /// has no B the nest may be several kernels; taking the tensor for a global one is then on the safe side.
  bool stays_inside(const Ref& ref, std::size_t number) const {
    if (ref.scope == Scope::global || touched_.at(ref.tensor).size() > 1) return false;
    const auto& loops = program_.nests[number]->loops;
    return std::any_of(loops.begin(), loops.end(), is_bound);
  }

  /// Whether the storage of such a tensor is another one in each iteration of a loop of the header.
  static bool is_fresh_in(const Ref& ref, const Nest& nest, std::size_t loop) {
    const auto first = std::find_if(nest.loops.begin(), nest.loops.end(), is_bound);
    if (loop < static_cast<std::size_t>(first - nest.loops.begin())) return true;
    if (!is_bound(nest.loops[loop])) return false;
    const auto axis = axis_of(nest.loops[loop].index);
    return axis && (is_private(ref.scope) || !is_thread_axis(*axis));
  }

  /// The dimension that is exactly this index in every access of the nest to the tensor.
  std::optional<std::size_t> own_dimension(const Ref& target, std::size_t number, const std::string& index) const {
    for (std::size_t dimension = 0; dimension < target.subscripts.size(); ++dimension) {
      const auto agrees = [&](const Occurrence& other) {
        if (other.ref->tensor != target.tensor) return true;
        const std::string* variable = other.ref->subscripts[dimension].as_variable();
        return variable && *variable == index;
      };
      if (std::all_of(occurrences_[number].begin(), occurrences_[number].end(), agrees)) return dimension;
    }
    return std::nullopt;
  }

  /// The iterations of a loop of the header that matter; nothing where iterations depend on each other.
  std::optional<Selection> needed(std::size_t number, std::size_t loop) const {
    const Nest& nest = *program_.nests[number];
    Selection selection;
    for (const Occurrence& occurrence : occurrences_[number]) {
      if (!occurrence.is_write) continue;
      const Ref& target = *occurrence.ref;
      const bool inside = stays_inside(target, number);
      if (inside && is_fresh_in(target, nest, loop)) continue;
      const auto dimension = own_dimension(target, number, nest.loops[loop].index);
      if (!dimension) return std::nullopt;
      const auto at = wanted_.find(target.tensor);
      if (!inside && at != wanted_.end()) insert(selection, at->second[*dimension]);
    }
    std::erase_if(selection, [&](const auto& part) { return part.first >= nest.loops[loop].extent; });
    if (!selection.empty()) selection.back().second = std::min(selection.back().second, nest.loops[loop].extent - 1);
    return selection;
  }

  void visit(std::size_t number, Slice::NestSlice& out) {
    const Nest& nest = *program_.nests[number];
    const auto is_wanted = [&](const Occurrence& occurrence) {
      return occurrence.is_write && !stays_inside(*occurrence.ref, number) && wanted_.contains(occurrence.ref->tensor);
    };
    out.left_out = std::none_of(occurrences_[number].begin(), occurrences_[number].end(), is_wanted);
    std::map<std::string, Selection> chosen;
    for (std::size_t i = 0; !out.left_out && i < nest.loops.size(); ++i) {
      const auto selection = needed(number, i);
      if (!selection) continue;
      out.left_out = selection->empty();
      chosen.emplace(nest.loops[i].index, *selection);
      out.loops.emplace(i, *selection);
    }
    if (out.left_out) return;
    for (const Occurrence& occurrence : occurrences_[number]) {
      if (!occurrence.is_write && !stays_inside(*occurrence.ref, number)) want(occurrence, chosen);
    }
  }

  void want(const Occurrence& read, const std::map<std::string, Selection>& chosen) {
    Ranges ranges;
    for (const Loop* loop : read.loops) {
      const auto at = chosen.find(loop->index);
      ranges[loop->index] =
          at == chosen.end() ? Reach{0, loop->extent - 1} : Reach{at->second.front().first, at->second.back().second};
    }
    std::vector<Selection>& dimensions = wanted_of(read.ref->tensor, read.ref->subscripts.size());
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      const Index& subscript = read.ref->subscripts[i];
      const std::string* variable = subscript.as_variable();
      const auto at = variable ? chosen.find(*variable) : chosen.end();
      if (at != chosen.end()) {
        insert(dimensions[i], at->second);
        continue;
      }
      const Reach reach = reach_of(subscript, ranges).value_or(Reach{0, kFar});
      // Negative subscripts name no element, so there is nothing to want.
      if (reach.high < 0) continue;
      insert(dimensions[i], static_cast<std::int64_t>(std::clamp<Wide>(reach.low, 0, INT64_MAX)),
             static_cast<std::int64_t>(std::min<Wide>(reach.high, INT64_MAX)));
    }
  }

  const Program& program_;
  std::vector<std::vector<Occurrence>> occurrences_;
  std::map<std::string, std::set<std::size_t>> touched_;
  std::map<std::string, std::vector<Selection>> wanted_;
};

}  // namespace

void insert(Selection& into, std::int64_t low, std::int64_t high) {
  // The first interval that is not wholly before [low, high], with touching ones counted as overlapping.
  auto at = std::find_if(into.begin(), into.end(), [&](const auto& part) { return part.second >= low - 1; });
  auto end = at;
  while (end != into.end() && (high == INT64_MAX || end->first <= high + 1)) {
    low = std::min(low, end->first);
    high = std::max(high, end->second);
    ++end;
  }
  at = into.erase(at, end);
  into.insert(at, {low, high});
  if (into.size() > kManyIntervals) into = {{into.front().first, into.back().second}};
}

void insert(Selection& into, const Selection& more) {
  for (const auto& [low, high] : more) insert(into, low, high);
}

double size_of(const Selection& selection) {
  double size = 0;
  for (const auto& [low, high] : selection) size += static_cast<double>(high) - static_cast<double>(low) + 1;
  return size;
}

Slice slice_for(const Program& program, const std::vector<Element>& elements) {
  return Slicer(program, elements).run();
}

}  // namespace steptp::oracle
