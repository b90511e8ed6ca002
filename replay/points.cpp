#include "replay/points.h"

#include <algorithm>
#include <optional>
#include <set>

#include "replay/boxes.h"
#include "replay/check.h"
#include "replay/form_value.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"

namespace steptp::replayer {

namespace {

using Element = std::vector<std::int64_t>;

constexpr std::int64_t kFewElements = 64;
constexpr std::size_t kMostElements = 1024;
constexpr std::size_t kMostEdges = 48;
constexpr int kRandomElements = 4;

class Chooser {
 public:
  Chooser(const Claim& claim, const Certificate& certificate, std::uint64_t seed, std::uint64_t& budget)
      : claim_(claim), certificate_(certificate), random_(seed), numbers_(kPrime), budget_(budget) {
    // Conditions on indices read nothing.
    leaves_.input = [](const std::string&, const Element&) -> FormValue { throw Undecided{"data"}; };
    leaves_.value = [](std::int64_t, const Element&) -> Real { throw Undecided{"data"}; };
  }

  PointSet run() {
    const std::int64_t count = *element_count(claim_.shape);
    add(Element(claim_.shape.size(), 0));
    Element last;
    for (const std::int64_t size : claim_.shape) last.push_back(size - 1);
    add(last);
    cover();
    if (count <= kFewElements) {
      for (std::int64_t i = 0; i < count; ++i) add(element_at(i));
      out_.is_every_element = true;
      return std::move(out_);
    }
    add_edges();
    for (int i = 0; i < kRandomElements; ++i) {
      Element element;
      for (const std::int64_t size : claim_.shape) element.push_back(random_.between(0, size - 1));
      add(element);
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] Element element_at(std::int64_t position) const {
    Element element(claim_.shape.size());
    for (std::size_t d = element.size(); d-- > 0; position /= claim_.shape[d]) element[d] = position % claim_.shape[d];
    return element;
  }

  void add(const Element& element) {
    if (out_.elements.size() < kMostElements && known_.insert(element).second) out_.elements.push_back(element);
  }

  [[nodiscard]] bool holds(const Form& condition, const Element& element) {
    FormEvaluator evaluator(numbers_, leaves_, certificate_.names.size(), budget_);
    for (std::size_t d = 0; d < element.size(); ++d) evaluator.set(static_cast<std::uint32_t>(d), element[d]);
    return evaluator.holds(condition);
  }

  /// Every element in exactly one region: as leaves of a tree of conditions, which needs no elements, and with the
  /// first and last elements of every region.
  void cover() {
    std::vector<FormPtr> conditions;
    for (const Region& region : claim_.regions) conditions.push_back(region.where);
    if (!are_leaves_of_a_tree(conditions)) {
      throw Refused{concat("the regions of ", claim_.name(), " are not the leaves of a tree of conditions")};
    }
    for (const Region& region : claim_.regions) {
      RegionSearch search(*region.where, claim_.shape);
      const bool is_found = add_extreme(search, region, 0, true);
      (is_found || search.is_certain() ? out_.regions : out_.regions_not_found) += 1;
    }
    out_.needed = out_.elements.size();
    for (const Region& region : claim_.regions) {
      RegionSearch search(*region.where, claim_.shape);
      for (std::size_t d = 0; d < claim_.shape.size(); ++d) {
        for (const bool least : {true, false}) static_cast<void>(add_extreme(search, region, d, least));
      }
    }
  }

  bool add_extreme(RegionSearch& search, const Region& region, std::size_t dimension, bool least) {
    const auto element = search.extreme(dimension, least);
    if (!element) return false;
    if (!holds(*region.where, *element)) throw Undecided{"a search of regions that went wrong"};
    add(*element);
    return true;
  }

  /// Points on both sides of conditions on the element, along single dimensions.
  void add_edges() {
    std::vector<const Form*> conditions;
    for (const Region& region : claim_.regions) {
      for (const FormPtr& form : {region.form, region.form_after()})
        for_each_node(form, [&](const Form& node) {
          const bool on_indices = node.kind == Form::Kind::nonnegative || node.kind == Form::Kind::zero;
          const bool known = std::all_of(node.free.begin(), node.free.end(),
                                         [&](std::uint32_t id) { return id < claim_.shape.size(); });
          if (on_indices && known && !node.free.empty() && conditions.size() < kMostEdges) conditions.push_back(&node);
        });
    }
    for (const Form* condition : conditions) {
      for (std::size_t d = 0; d < claim_.shape.size(); ++d) {
        if (std::find(condition->free.begin(), condition->free.end(), d) != condition->free.end()) scan(*condition, d);
      }
    }
  }

  void scan(const Form& condition, std::size_t dimension) {
    constexpr std::int64_t kScanned = 512;
    Element element;
    for (const std::int64_t size : claim_.shape) element.push_back(random_.between(0, size - 1));
    const std::int64_t size = claim_.shape[dimension];
    try {
      std::optional<bool> before;
      int changes = 0;
      for (std::int64_t at = 0; at < std::min(size, kScanned) && changes < 3; ++at) {
        element[dimension] = at;
        const bool now = holds(condition, element);
        if (before && *before != now) {
          add(element);
          element[dimension] = at - 1;
          add(element);
          ++changes;
        }
        before = now;
      }
      if (size <= kScanned) return;
      std::int64_t low = 0;
      std::int64_t high = size - 1;
      element[dimension] = low;
      const bool start = holds(condition, element);
      element[dimension] = high;
      if (holds(condition, element) == start) return;
      while (high - low > 1) {
        element[dimension] = low + (high - low) / 2;
        (holds(condition, element) == start ? low : high) = element[dimension];
      }
      for (const std::int64_t at : {low, high}) {
        element[dimension] = at;
        add(element);
      }
    } catch (const Undecided&) {
      return;  // it depends on data after all
    }
  }

  const Claim& claim_;
  const Certificate& certificate_;
  Random random_;
  Numbers numbers_;
  std::uint64_t& budget_;
  Leaves leaves_;
  PointSet out_;
  std::set<Element> known_;
};

}  // namespace

PointSet choose_points(const Claim& claim, const Certificate& certificate, std::uint64_t seed, std::uint64_t& budget) {
  return Chooser(claim, certificate, seed, budget).run();
}

}  // namespace steptp::replayer
