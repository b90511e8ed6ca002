#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "steptp/base/diagnostic.h"
#include "steptp/documents/time_document.h"
#include "steptp/estimate/estimate.h"
#include "steptp/search/roles.h"
#include "steptp/text/document.h"

namespace steptp::search {

/// A device that runs nothing: a program takes what is expected of it.
class AnalyticDevice : public SearchDevice {
 public:
  explicit AnalyticDevice(DeviceRates rates) : rates_(std::move(rates)) {}
  [[nodiscard]] unsigned places() const override { return 16; }
  [[nodiscard]] Measured measure(const Program& program) override;

 private:
  DeviceRates rates_;
};

/// Times that were measured before: the lines of journals, or any lines with "key" and "seconds". A program that is not
/// among them is not measured.
class RecordedDevice : public SearchDevice {
 public:
  /// Errors: id `file`, `recording`.
  [[nodiscard]] static Result<std::unique_ptr<RecordedDevice>, Diagnostic> read(const std::string& path);
  [[nodiscard]] unsigned places() const override { return 16; }
  [[nodiscard]] Measured measure(const Program& program) override;

 private:
  std::map<std::string, Measured> times_;
};

/// How programs are timed on this machine.
struct MeasuringOptions {
  std::uint64_t seed = 1;
  double budget_seconds = 0.2;                  ///< for the repetitions of one program
  std::uint64_t check_operations = 30'000'000;  ///< for the certified values that programs are compared with
  double final_seconds = 2;                     ///< likewise, of the winner and the root
  bool warm = false;                            ///< caches are not emptied between repetitions
  unsigned compilers = 0;                       ///< processes that compile beforehand
};

/// This machine's CPU or GPUs. Each program is compiled and run in a process of its own, and every run is compared with
/// certified values of the root. One program at a time on a CPU, one on each GPU.
class MeasuringDevice : public SearchDevice {
 public:
  /// The root outlives it.
  MeasuringDevice(const Document& root, CandidateOptions candidates, MeasuringOptions options);
  [[nodiscard]] unsigned places() const override { return places_; }
  void get_ready(const Program& program) override;
  [[nodiscard]] Measured measure(const Program& program) override;
  [[nodiscard]] std::optional<FinalTimes> measure_again(const Program* root, const Program& winner) override;

 private:
  /// What programs are compared with: evaluated once, when the first of them is measured.
  [[nodiscard]] const RootElements* elements();
  [[nodiscard]] TimeRequest request(double seconds);

  const Document& root_;
  CandidateOptions candidates_;
  MeasuringOptions options_;
  unsigned places_;
  CandidatePool pool_;
  std::optional<CandidatePool> compilers_;
  std::mutex mutex_;          ///< around what follows
  double least_seconds_ = 0;  ///< of what was measured so far; 0: nothing was
  std::optional<RootElements> elements_;
  bool has_asked_ = false;
};

/// Median, tenth and ninetieth of a hundred.
[[nodiscard]] Measured summary_of(std::vector<double> samples);

}  // namespace steptp::search
