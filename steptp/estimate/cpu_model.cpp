// What a kernel takes on a CPU: the arithmetic of its statements, by vectors where the innermost loop allows them, and
// the bytes that each level of caches gives it. The caller divides the outermost bound loop among threads.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "steptp/estimate/cache_traffic.h"
#include "steptp/estimate/models.h"

namespace steptp::estimation {

namespace {

constexpr double kLine = 64;
/// Of the first cache, as all x86 cores have it since pages are 4 KiB.
constexpr std::int64_t kSets = 64;
constexpr double kWays = 12;

/// Steps of an operation, as multiples of a sum by vectors: measured code of our vector functions, and of libm, which
/// is called for one element after another; of the fast arithmetic, by which programs are timed.
double steps_of(const OperationSummary& operation) {
  const bool is_wide = operation.dtype == DType::f64;
  switch (operation.work) {
    case Work::add:
    case Work::multiply:
    case Work::square: return 1;
    case Work::fused: return 2;  // a product and a sum: rounding is that of two operations
    case Work::choose: return 3;
    case Work::convert: return 4;
    case Work::divide: return is_wide ? 20 : 10;
    case Work::root: return is_wide ? 20 : 12;
    case Work::exponential: return is_wide ? 40 : 34;
    case Work::logarithm: return is_wide ? 40 : 280;
    case Work::hyperbolic: return is_wide ? 80 : 100;
    case Work::circular: return 80;
    case Work::power: return 200;
    case Work::subscript: return 1;
  }
  return 1;
}

bool is_scalar_only(const OperationSummary& operation) {
  const bool is_function =
      operation.work == Work::exponential || operation.work == Work::logarithm || operation.work == Work::hyperbolic;
  if (operation.work == Work::circular || operation.work == Work::power) return true;
  return is_function && operation.dtype == DType::f64;
}

/// Cycles from one step of an accumulation to the next, as multiples of those of a sum.
double chain_steps(const ChainSummary& chain) {
  const bool is_choice = chain.op == ArithmeticOp::max || chain.op == ArithmeticOp::min;
  // The rules for NaN take several instructions.
  return is_choice && is_float(chain.dtype) ? 2.5 : 1;
}

class Model {
 public:
  Model(const KernelSummary& kernel, const DeviceRates& device, CacheContent& content)
      : kernel_(kernel), device_(device), content_(content) {}

  KernelEstimate run() {
    for (const StatementSummary& statement : kernel_.statements) arithmetic(statement);
    const double l1 = bytes_behind(device_.l1_bytes, true);
    const double l2 = std::min(l1, bytes_behind(device_.l2_bytes, false));
    double memory = std::min(l2, bytes_behind(device_.l3_bytes, false));
    memory = std::max(0.0, memory - known_bytes());
    remember();
    out_.cache_bytes = l1 * kernel_.launches;
    out_.memory_bytes = memory * kernel_.launches;
    out_.operations = operations_ * kernel_.launches;
    const double threads = kernel_.is_divided ? std::min(device_.processors, outermost()) : 1;
    const double clock = device_.clock;
    out_.parts = {
        {"memory", memory / device_.memory_bandwidth * (threads < device_.processors ? 1.3 : 1)},
        {"cache", l1 / (device_.l2_bandwidth * threads) + l2 / device_.l3_bandwidth},
        {"scattered", scattered_ * device_.scatter_cycles / clock / threads},
        {"operations", cycles_ / clock / threads},
        {"accesses", accesses_ / clock / threads},
        {"latency", chain_ / clock / threads},
    };
    out_.limited_by = largest(out_.parts);
    const double seconds = together(out_.parts);
    if (seconds < device_.launch_seconds) out_.limited_by = "launch";
    out_.seconds = (seconds + device_.launch_seconds) * kernel_.launches;
    out_.waves = 1;
    return std::move(out_);
  }

 private:
  [[nodiscard]] double outermost() const {
    double most = 1;
    for (const StatementSummary& statement : kernel_.statements) {
      if (!statement.loops.empty()) most = std::max(most, static_cast<double>(statement.loops[0].extent));
    }
    return most;
  }

  /// Iterations of all loops of a mask: threads and blocks are loops too.
  static double times(const StatementSummary& statement, std::uint64_t loops) {
    double out = 1;
    for (std::size_t i = 0; i < statement.loops.size(); ++i) {
      const LoopSummary& loop = statement.loops[i];
      if (loop.axis || (loops & loop_bit(i))) out *= static_cast<double>(loop.extent);
    }
    return out;
  }

  /// How many iterations of the innermost loop go by one instruction.
  [[nodiscard]] double lanes_of(const StatementSummary& statement) const {
    if (statement.loops.empty()) return 1;
    const std::size_t last = statement.loops.size() - 1;
    if (statement.chain && ((statement.chain->loops | statement.chain->bound) & loop_bit(last))) return 1;
    double widest = 4;
    for (const AccessSummary& access : statement.accesses) {
      const std::int64_t step = access.offset.step_of(last, statement.loops.size());
      if (step != 0 && step != 1) return 1;
      widest = std::max(widest, access.element_bytes);
    }
    // Straight code is put together by fours at most.
    const bool is_straight = statement.loops[last].kind == LoopKind::unrolled;
    const double lanes = std::min(is_straight ? 4 : 1e3, std::floor(device_.vector_bytes / widest));
    return std::max(1.0, std::min(lanes, static_cast<double>(statement.loops[last].extent)));
  }

  void arithmetic(const StatementSummary& statement) {
    const double lanes = lanes_of(statement);
    const double per_cycle = device_.f32_per_cycle / (device_.vector_bytes / 4);
    for (const OperationSummary& operation : statement.operations) {
      const double count = times(statement, operation.loops) * statement.share * operation.share;
      operations_ += count;
      const double own_lanes = is_scalar_only(operation) ? 1 : lanes;
      const double steps = steps_of(operation);
      cycles_ += count * steps / own_lanes / std::max(0.5, per_cycle);
    }
    for (const AccessSummary& access : statement.accesses) {
      const double count = times(statement, access.loops) * statement.share * access.share;
      accesses_ += count / lanes / 2;
    }
    accesses_ += times(statement, ~std::uint64_t{0}) * statement.share * statement.kept_operands / lanes / 2;
    double loop_cycles = times(statement, ~std::uint64_t{0}) * statement.share / lanes;
    if (!statement.loops.empty() && statement.loops.back().is_unrolled) loop_cycles /= 4;
    cycles_ += loop_cycles / device_.issue_per_cycle;
    if (statement.chain) chain(statement, lanes);
  }

  /// What has to wait for the step before it: iterations of the loops inside of the innermost one that repeats an
  /// element stand in between.
  void chain(const StatementSummary& statement, double lanes) {
    const std::uint64_t loops = statement.chain->loops | statement.chain->bound;
    std::size_t innermost = statement.loops.size();
    for (std::size_t i = 0; i < statement.loops.size(); ++i) {
      if ((loops & loop_bit(i)) && statement.loops[i].extent > 1) innermost = i;
    }
    if (innermost == statement.loops.size()) return;
    double between = 1;
    for (std::size_t i = innermost + 1; i < statement.loops.size(); ++i) {
      between *= static_cast<double>(statement.loops[i].extent);
    }
    const double instructions = times(statement, ~std::uint64_t{0}) * statement.share / lanes;
    const double at_once = std::max(1.0, between / lanes);
    // An accumulator in memory is stored and loaded again.
    const bool is_memory = !statement.chain->in_registers || statement.kept_operands > 0;
    const double memory = is_memory ? 6 : 0;
    chain_ += instructions * (device_.chain_cycles * chain_steps(*statement.chain) + memory) / at_once;
  }

  /// The bytes from behind a cache. Of the first one, lines that are not used side by side are counted too.
  [[nodiscard]] double bytes_behind(double cache, bool is_first) {
    CacheQuestion question;
    question.bytes = cache;
    question.granule = kLine;
    question.at_once = [](const LoopSummary&) { return std::int64_t{0}; };
    double sum = 0;
    const auto traffic = cache_traffic(kernel_, question, true);
    for (std::size_t i = 0; i < traffic.size(); ++i) {
      for (std::size_t k = 0; k < traffic[i].size(); ++k) {
        sum += traffic[i][k];
        if (is_first)
          scattered_ += scattered_lines(kernel_.statements[i], kernel_.statements[i].accesses[k], traffic[i][k]);
      }
    }
    return sum;
  }

  /// Lines that come one by one, because the next iteration wants another one.
  static double scattered_lines(const StatementSummary& statement, const AccessSummary& access, double bytes) {
    for (std::size_t i = statement.loops.size(); i-- > 0;) {
      if (!(access.offset.loops() & loop_bit(i)) || statement.loops[i].extent == 1) continue;
      const auto step = static_cast<double>(access.offset.step_of(i, statement.loops.size()));
      const bool is_far = std::abs(step) * access.element_bytes >= kLine;
      if (!is_far) return 0;
      const double count = times(statement, access.loops) * statement.share * access.share;
      // Lines that are a power of two apart share few places of the cache, and drive each other out.
      const auto lines = static_cast<std::int64_t>(std::abs(step) * access.element_bytes / kLine);
      const double places = kWays * static_cast<double>(kSets / std::gcd(kSets, std::max<std::int64_t>(1, lines)));
      if (static_cast<double>(statement.loops[i].extent) > places) return count;
      return bytes / kLine > 0.3 * count ? bytes / kLine : 0;
    }
    return 0;
  }

  [[nodiscard]] double known_bytes() const {
    double sum = 0;
    std::set<std::string> seen;
    for (const StatementSummary& statement : kernel_.statements) {
      for (const AccessSummary& access : statement.accesses) {
        if (access.scope == Scope::global && content_.holds(access.tensor) && seen.insert(access.tensor).second) {
          sum += access.tensor_bytes;
        }
      }
    }
    return sum;
  }

  void remember() {
    for (const StatementSummary& statement : kernel_.statements) {
      for (const AccessSummary& access : statement.accesses) {
        if (access.scope == Scope::global) content_.touch(access.tensor, access.tensor_bytes);
      }
    }
  }

  const KernelSummary& kernel_;
  const DeviceRates& device_;
  CacheContent& content_;
  KernelEstimate out_;
  double cycles_ = 0;
  double accesses_ = 0;
  double chain_ = 0;
  double operations_ = 0;
  double scattered_ = 0;
};

}  // namespace

KernelEstimate cpu_estimate(const KernelSummary& kernel, const DeviceRates& device, CacheContent& content) {
  return Model(kernel, device, content).run();
}

}  // namespace steptp::estimation
