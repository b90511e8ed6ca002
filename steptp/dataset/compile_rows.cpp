#include "steptp/dataset/compile_rows.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/text/signature_text.h"

namespace steptp::dataset {

namespace {

/// Of the sample, for each strategy before the rest is drawn from all.
constexpr std::uint64_t kOfEachStrategy = 5;

std::string document_text(const Signature& signature, const std::string& leir) {
  std::string out;
  for (const Variable& variable : signature.variables) append(out, print_signature_line(variable), "\n");
  return out + leir;
}

}  // namespace

RowSample::RowSample(const Configuration& configuration)
    : seed_(combine(mix(configuration.seed), hash_text("compile"))),
      most_(configuration.compile == "none"
                ? 0
                : (configuration.compile == "all" ? UINT64_MAX : configuration.compile_rows)) {}

void RowSample::keep(Ranked& ranked, const CompiledRow& row, std::uint64_t most) {
  if (most == 0) return;
  const std::pair key(row.rank, row.id);
  if (ranked.size() >= most) {
    const auto last = std::prev(ranked.end());
    if (last->first < key) return;
    ranked.erase(last);
  }
  ranked.emplace(key, row);
}

void RowSample::add(const ProgramRecord& record) {
  if (most_ == 0) return;
  for (const Entry& entry : record.entries) {
    const Hash rank = combine(seed_, hash_text(entry.id));
    const CompiledRow row{
        rank, entry.id, entry.strategy, {document_text(record.program.signature, entry.after), entry.cuda}};
    keep(by_strategy_[entry.strategy], row, std::min(most_, kOfEachStrategy));
    keep(overall_, row, most_);
  }
}

std::vector<CompiledRow> RowSample::rows() const {
  std::map<std::pair<Hash, std::string>, const CompiledRow*> chosen;
  for (const auto& [strategy, ranked] : by_strategy_) {
    for (const auto& [key, row] : ranked) chosen.emplace(key, &row);
  }
  for (const auto& [key, row] : overall_) {
    if (chosen.size() >= most_) break;
    chosen.emplace(key, &row);
  }
  std::vector<CompiledRow> out;
  for (const auto& [key, row] : chosen) out.push_back(*row);
  return out;
}

namespace {

/// Has rows compiled, several at a time.
class RowCompiler {
 public:
  RowCompiler(const std::vector<CompiledRow>& rows, const std::string& python, WorkerPool& workers,
              const WorkerCall& call)
      : rows_(rows), python_(python), workers_(workers), call_(call), answers_(rows.size()) {}

  void run() {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < std::min(workers_.places(), rows_.size()); ++i)
      threads.emplace_back([this] { work(); });
  }

  [[nodiscard]] const std::vector<CompileAnswer>& answers() const { return answers_; }
  [[nodiscard]] const std::optional<Diagnostic>& problem() const { return problem_; }
  [[nodiscard]] bool is_stopped() const { return is_stopped_; }

 private:
  void work() {
    for (std::size_t i = next_++; i < rows_.size(); i = next_++) compile(i);
  }

  void compile(std::size_t i) {
    const CompiledRow& row = rows_[i];
    const WorkerOutcome outcome = workers_.call(compile_request(row.request, python_), call_);
    if (outcome.kind == WorkerOutcome::Kind::cancelled) return end(std::nullopt);
    if (!outcome.ok())
      return end(make_error("worker", concat("compiling the row ", row.id, " ended its process: ", outcome.reason)));
    answers_[i] = compile_answer(outcome.answer);
    if (answers_[i].error.empty()) return;
    end(make_error("compile", concat("the row ", row.id, " (", row.strategy, ") does not compile: ", answers_[i].error),
                   "this is a fault in the back end; please report the row"));
  }

  /// No further rows; without a problem, because the caller wants no more.
  void end(std::optional<Diagnostic> problem) {
    const std::lock_guard lock(mutex_);
    if (!problem) is_stopped_ = true;
    if (!problem_) problem_ = std::move(problem);
    next_ = rows_.size();
  }

  const std::vector<CompiledRow>& rows_;
  const std::string& python_;
  WorkerPool& workers_;
  const WorkerCall& call_;
  std::vector<CompileAnswer> answers_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::optional<Diagnostic> problem_;
  bool is_stopped_ = false;
};

}  // namespace

Result<CompiledRows, Diagnostic> compile_rows(const std::vector<CompiledRow>& rows, const std::string& python,
                                              WorkerPool& workers, const WorkerCall& call) {
  RowCompiler compiler(rows, python, workers, call);
  compiler.run();
  if (compiler.problem()) return *compiler.problem();
  CompiledRows out;
  out.is_stopped = compiler.is_stopped();
  if (out.is_stopped) return out;
  std::map<std::string, std::string> lines;
  std::map<std::string, std::size_t> by_compiler;
  std::string version;
  std::string no_tvm;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const CompileAnswer& answer = compiler.answers()[i];
    Json line;
    line.set("id", rows[i].id).set("by", Json::Array(answer.by.begin(), answer.by.end()));
    lines[rows[i].id] = line.dump();
    for (const std::string& name : answer.by) ++by_compiler[name];
    if (!answer.tvm.empty()) version = answer.tvm;
    if (!answer.no_tvm.empty()) no_tvm = answer.no_tvm;
  }
  for (const auto& [id, line] : lines) append(out.lines, line, "\n");
  out.description = concat("compiled ", rows.size(), " rows");
  for (const auto& [name, count] : by_compiler) append(out.description, ", ", count, " by ", name);
  if (!version.empty()) append(out.description, " (TVM ", version, ")");
  if (rows.empty()) return out;
  if (!by_compiler.contains("nvrtc")) out.absent = "NVRTC is not on this machine";
  if (!no_tvm.empty()) append(out.absent, out.absent.empty() ? "" : "; ", "there is no TVM (", no_tvm, ")");
  return out;
}

}  // namespace steptp::dataset
