#pragma once

// Where parts of a program are after a step: nests, loops, equations, left sides and what is read as a value.

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/strategies/strategy.h"

namespace steptp {

/// Addresses in the order of the text: a nest before its loops, these before its guard, this before its items.
struct SiteOrder {
  bool operator()(const Site& left, const Site& right) const;
};

/// The parts of a program that handles follow, in the order of the text.
[[nodiscard]] std::vector<Site> followed_parts(const Program& program);

/// From addresses before to addresses after. What is gone has no image; what was copied or split has several; parts
/// that became one have the same.
class HandleMap {
 public:
  HandleMap() = default;
  /// Every part where it is.
  [[nodiscard]] static HandleMap identity(const Program& program);

  /// Each followed part before, with its images in the order of the text.
  [[nodiscard]] const std::map<Site, std::vector<Site>, SiteOrder>& images() const { return images_; }
  /// Followed parts after that are no images.
  [[nodiscard]] const std::vector<Site>& added() const { return added_; }
  /// Empty where the part is gone, and where the map does not know the address.
  [[nodiscard]] const std::vector<Site>& of(const Site& before) const;
  /// The images of several parts, each once.
  [[nodiscard]] std::vector<Site> of(const std::vector<Site>& before) const;

  /// First this map, then another. What the first step added and the second kept is added.
  [[nodiscard]] HandleMap then(const HandleMap& next) const;

  /// {"0:loop[1]":["0:loop[1]","0:loop[2]"],...}
  [[nodiscard]] Json to_json() const;

 private:
  friend class HandleReader;
  std::map<Site, std::vector<Site>, SiteOrder> images_;
  std::vector<Site> added_;
};

/// A step with its map. The program and the facts are those that `apply` gives for the same choice.
struct Tracked {
  Applied applied;
  HandleMap map;
};
[[nodiscard]] Result<Tracked, Refusal> apply_tracked(const Strategy& strategy, const Program& program,
                                                     const Choice& choice);

/// Parts that are followed through steps: all of them, wherever they have gone.
class Handle {
 public:
  Handle() = default;
  explicit Handle(Site site) : sites_{std::move(site)} {}
  explicit Handle(std::vector<Site> sites) : sites_(std::move(sites)) {}

  void follow(const HandleMap& step) { sites_ = step.of(sites_); }
  [[nodiscard]] const std::vector<Site>& sites() const { return sites_; }
  [[nodiscard]] bool is_gone() const { return sites_.empty(); }
  /// The only one; null where it is gone or there are several.
  [[nodiscard]] const Site* only() const { return sites_.size() == 1 ? sites_.data() : nullptr; }

 private:
  std::vector<Site> sites_;
};

}  // namespace steptp
