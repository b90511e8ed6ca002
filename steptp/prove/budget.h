#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace steptp::forms {

/// How much work an arena may still do. Work counts nodes, so that answers do not depend on the machine; beyond the
/// limit GiveUp is thrown.
class Budget {
 public:
  explicit Budget(std::uint64_t work_limit) : work_limit_(work_limit) {}

  void spend(std::uint64_t work);
  /// Counts looks at nodes that cost no work of their own.
  void look(std::uint64_t nodes) const;
  /// From now on at most so much more.
  void limit_work(std::uint64_t more) { work_limit_ = std::min(work_limit_, work_ + more); }
  [[nodiscard]] std::uint64_t work() const { return work_; }

  const std::atomic<bool>* stop = nullptr;  ///< gives up once it is raised

 private:
  friend class Deeper;
  void go_deeper() const;

  std::uint64_t work_ = 0;
  std::uint64_t work_limit_;
  mutable std::uint64_t looks_ = 0;  ///< at nodes, by recursions; see Deeper
  mutable std::uint32_t depth_ = 0;
};

/// One level deeper in a recursion over nodes or from law to law, while the object lives. Gives up where it is too
/// deep, and where so many nodes were looked at that walks over shared parts have become a matter of powers of two.
class Deeper {
 public:
  explicit Deeper(const Budget& budget) : budget_(budget) { budget.go_deeper(); }
  ~Deeper() { --budget_.depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  const Budget& budget_;
};

}  // namespace steptp::forms
