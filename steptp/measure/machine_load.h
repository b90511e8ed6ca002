#pragma once

#include <optional>
#include <string>

namespace steptp {

/// What else wanted to run while programs were measured.
struct MachineLoad {
  unsigned cores = 0;
  double others = 0;  ///< in the mean: tasks of others that ran or waited for a core
  int looks = 0;      ///< how often that was looked at; 0 where the system does not tell

  /// Whether programs of so many threads had to share their cores, so that their times say little.
  [[nodiscard]] bool disturbs(unsigned threads) const { return looks > 0 && others + threads > cores + kFew; }

  /// A task that wakes now and then is found everywhere.
  static constexpr double kFew = 0.5;
};

/// Looks at the tasks that can run, between the turns of programs, when this thread is the only one of ours.
class LoadWatch {
 public:
  explicit LoadWatch(std::string source = "/proc/loadavg");
  void look();
  [[nodiscard]] const MachineLoad& load() const { return load_; }

 private:
  std::string source_;
  MachineLoad load_;
};

/// How many tasks run or wait, in the form of /proc/loadavg ("0.20 0.18 0.12 3/1024 5512": three).
[[nodiscard]] std::optional<int> runnable_tasks(const std::string& text);

}  // namespace steptp
