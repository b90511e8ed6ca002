#include "steptp/estimate/cache_traffic.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

namespace steptp::estimation {

namespace {

class Reader {
 public:
  Reader(const KernelSummary& kernel, const CacheQuestion& question, bool with_scoped)
      : kernel_(kernel), question_(question), with_scoped_(with_scoped) {
    for (const StatementSummary& statement : kernel.statements) at_once_.push_back(extents_at_once(statement));
  }

  std::vector<std::vector<double>> run() {
    std::vector<std::vector<double>> out(kernel_.statements.size());
    measure_iterations();
    for (std::size_t i = 0; i < kernel_.statements.size(); ++i) {
      const StatementSummary& statement = kernel_.statements[i];
      const std::size_t from = first_kept(statement);
      for (const AccessSummary& access : statement.accesses) {
        out[i].push_back(counts(access) ? traffic(i, access, from) : 0);
      }
    }
    share_between_statements(out);
    return out;
  }

 private:
  [[nodiscard]] bool counts(const AccessSummary& access) const { return access.scope == Scope::global || with_scoped_; }

  [[nodiscard]] std::vector<std::int64_t> extents_at_once(const StatementSummary& statement) const {
    std::vector<std::int64_t> out;
    for (const LoopSummary& loop : statement.loops) out.push_back(question_.at_once(loop));
    return out;
  }

  /// The bytes of an access over the serial loops from one on, and over what runs at the same time.
  [[nodiscard]] double bytes_from(std::size_t number, const AccessSummary& access, std::size_t first) const {
    return bytes_from(number, access, first, access.tensor_bytes);
  }
  [[nodiscard]] double bytes_from(std::size_t number, const AccessSummary& access, std::size_t first,
                                  double most) const {
    const StatementSummary& statement = kernel_.statements[number];
    std::vector<std::int64_t> extents(statement.loops.size(), 1);
    for (std::size_t i = 0; i < extents.size(); ++i) {
      const std::int64_t at_once = at_once_[number][i];
      if (at_once > 0) {
        extents[i] = at_once;
      } else if (i >= first) {
        extents[i] = statement.loops[i].extent;
      }
    }
    return footprint(access.offset.strides(extents), access.element_bytes, question_.granule, most);
  }

  /// Otherwise those threads that a guard lets through touch all of it.
  static bool depends_on_axis(const StatementSummary& statement, const AccessSummary& access) {
    for (std::size_t i = 0; i < statement.loops.size(); ++i) {
      if (statement.loops[i].axis && (access.offset.loops() & loop_bit(i))) return true;
    }
    return false;
  }

  /// The same where guards let through a share. What they mask is mostly what would lie outside of the tensor, and so
  /// no part of what it has: the share is one of what there would be without an end, with iterations that meet nowhere.
  [[nodiscard]] double masked_from(std::size_t number, const AccessSummary& access, std::size_t first,
                                   double share) const {
    const double bytes = bytes_from(number, access, first);
    if (share >= 1) return bytes;
    const StatementSummary& statement = kernel_.statements[number];
    double apart = access.element_bytes;
    for (std::size_t i = 0; i < statement.loops.size(); ++i) {
      if (!(access.offset.loops() & loop_bit(i))) continue;
      const std::int64_t at_once = at_once_[number][i];
      if (at_once > 0 || i >= first) apart *= static_cast<double>(at_once > 0 ? at_once : statement.loops[i].extent);
    }
    apart = std::max(apart, bytes_from(number, access, first, std::numeric_limits<double>::infinity()));
    return std::min(bytes, std::max(question_.granule, share * apart));
  }

  /// What one iteration of each serial loop touches, all of its statements together.
  void measure_iterations() {
    std::map<std::size_t, std::map<std::string, double>> touched;
    std::map<std::string, double> whole;
    for (std::size_t i = 0; i < kernel_.statements.size(); ++i) {
      const StatementSummary& statement = kernel_.statements[i];
      for (const AccessSummary& access : statement.accesses) {
        if (!counts(access)) continue;
        const bool is_masked = depends_on_axis(statement, access) && statement.busiest_share > 0;
        const double threads = is_masked ? statement.share / statement.busiest_share : 1;
        double& all = whole[access.tensor];
        all = std::max(all, masked_from(i, access, 0, threads));
        for (std::size_t depth = 0; depth < statement.loops.size(); ++depth) {
          if (at_once_[i][depth] > 0) continue;
          double& bytes = touched[statement.loops[depth].identity][access.tensor];
          bytes = std::max(bytes, masked_from(i, access, depth + 1, threads));
        }
      }
    }
    for (const auto& [loop, tensors] : touched) {
      double sum = 0;
      for (const auto& [tensor, bytes] : tensors) sum += bytes;
      iteration_[loop] = sum;
    }
    for (const auto& [tensor, bytes] : whole) whole_ += bytes;
  }

  /// The outermost serial loop of which one iteration fits.
  [[nodiscard]] std::size_t first_kept(const StatementSummary& statement) const {
    for (std::size_t i = 0; i < statement.loops.size(); ++i) {
      if (question_.at_once(statement.loops[i]) > 0) continue;
      const auto found = iteration_.find(statement.loops[i].identity);
      if (found != iteration_.end() && found->second <= question_.bytes) return i;
    }
    return statement.loops.size();
  }

  [[nodiscard]] double traffic(std::size_t number, const AccessSummary& access, std::size_t from) const {
    const StatementSummary& statement = kernel_.statements[number];
    double times = 1;
    for (std::size_t i = 0; i < from; ++i) {
      const bool repeats = at_once_[number][i] == 0 && (access.loops & loop_bit(i));
      if (repeats) times *= static_cast<double>(statement.loops[i].extent);
    }
    const double share = depends_on_axis(statement, access) ? statement.share : statement.busiest_share;
    return times * masked_from(number, access, from, share * access.share);
  }

  /// Where all that a kernel touches fits, a tensor comes once, whoever reads it.
  void share_between_statements(std::vector<std::vector<double>>& out) const {
    if (whole_ > question_.bytes) return;
    std::map<std::string, double> most;
    for (std::size_t i = 0; i < out.size(); ++i) {
      for (std::size_t k = 0; k < out[i].size(); ++k) {
        const AccessSummary& access = kernel_.statements[i].accesses[k];
        if (access.is_write) continue;
        double& seen = most[access.tensor];
        const double fresh = std::max(0.0, out[i][k] - seen);
        seen = std::max(seen, out[i][k]);
        out[i][k] = fresh;
      }
    }
  }

  const KernelSummary& kernel_;
  const CacheQuestion& question_;
  bool with_scoped_;
  std::vector<std::vector<std::int64_t>> at_once_;
  std::map<std::size_t, double> iteration_;
  double whole_ = 0;
};

}  // namespace

std::vector<std::vector<double>> cache_traffic(const KernelSummary& kernel, const CacheQuestion& question,
                                               bool with_scoped) {
  return Reader(kernel, question, with_scoped).run();
}

}  // namespace steptp::estimation
