#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "steptp/analysis/accesses.h"
#include "steptp/analysis/shapes.h"

namespace steptp::forms {

/// Stands for a reader after the last statement.
inline constexpr std::size_t kEnd = static_cast<std::size_t>(-1);

/// What a tensor holds at some time, as far as top-level nests can tell: all writers before that nest have run.
struct Version {
  std::string tensor;
  std::size_t writers = 0;                           ///< how many of the tensor's writers, in textual order
  auto operator<=>(const Version&) const = default;  // NOLINT(modernize-use-nullptr): what the compiler generates
};

/// Where one statement stands, seen from another.
struct Place {
  std::size_t shared_loops = 0;
  bool before = true;
};

/// The statements of a program as they are written: who writes which tensor, in which order, under which shared loops.
/// It holds no form, and does not change.
class Writers {
 public:
  explicit Writers(const Program& program);

  [[nodiscard]] const AccessTable& table() const { return table_; }
  /// The statements that write a tensor, in textual order.
  [[nodiscard]] const std::vector<std::size_t>& of(const std::string& tensor) const;
  [[nodiscard]] const std::vector<std::int64_t>& shape(const std::string& tensor) const {
    return shapes_.at(tensor).dimensions;
  }
  [[nodiscard]] Place place(std::size_t first, std::size_t second) const;
  /// How many of a tensor's writers stand in top-level nests up to this one.
  [[nodiscard]] std::size_t up_to(const std::vector<std::size_t>& writers, std::uint32_t nest) const;
  /// Versions in the order in which they can be numbered.
  [[nodiscard]] std::vector<Version> versions() const;
  /// All of a tensor's writers have run.
  [[nodiscard]] bool is_last(const Version& version) const { return of(version.tensor).size() == version.writers; }
  /// True if some statement reads the tensor in the nest that writes it, accumulators aside.
  [[nodiscard]] bool is_read_where_written(const std::string& tensor) const;
  /// Some sum into a tensor is done once for an element: it is no accumulation over rounds.
  [[nodiscard]] bool has_sums_done_once() const;
  /// Every round of the one comes before the only round of the other, whatever the element.
  [[nodiscard]] bool comes_before(std::size_t other, std::size_t statement) const;

 private:
  /// The versions that some read can see, and the last ones of the outputs: numbers of others are of no use.
  [[nodiscard]] std::set<Version> versions_read() const;

  const Program& program_;
  AccessTable table_;
  std::map<std::string, InferredShape> shapes_;
  std::map<std::string, std::vector<std::size_t>> writers_;
};

}  // namespace steptp::forms
