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
  for (const Variable& variable : signature.variables) append(out, "@", print_signature_line(variable), "\n");
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

Result<CompiledRows, Diagnostic> compile_rows(const std::vector<CompiledRow>& rows, WorkerPool& workers,
                                              const WorkerCall& call) {
  std::vector<std::string> compilers(rows.size());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::optional<Diagnostic> problem;
  const auto fail = [&](Diagnostic diagnostic) {
    const std::lock_guard lock(mutex);
    if (!problem) problem = std::move(diagnostic);
    next = rows.size();
  };
  const auto work = [&] {
    for (std::size_t i = next++; i < rows.size(); i = next++) {
      const WorkerOutcome outcome = workers.call(compile_request(rows[i].request), call);
      if (!outcome.ok()) {
        fail(make_error("worker", concat("compiling the row ", rows[i].id, " ended its process: ", outcome.reason)));
        return;
      }
      const Json answer = compile_answer(outcome.answer);
      if (const Json* error = answer.find("error")) {
        fail(make_error(
            "compile",
            concat("the row ", rows[i].id, " (", rows[i].strategy, ") does not compile: ", *error->as_string()),
            "this is a fault in the back end; please report the row"));
        return;
      }
      compilers[i] = *answer.find("compiled")->as_string();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < std::min(workers.places(), rows.size()); ++i) threads.emplace_back(work);
  }
  if (problem) return *problem;
  CompiledRows out;
  std::map<std::string, std::string> by_id;
  std::map<std::string, std::size_t> by_compiler;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    by_id[rows[i].id] = compilers[i];
    ++by_compiler[compilers[i]];
  }
  for (const auto& [id, compiler] : by_id) {
    Json line;
    append(out.lines, line.set("id", id).set("compiled", compiler).dump(), "\n");
  }
  out.description = concat("compiled ", rows.size(), " rows");
  for (const auto& [compiler, count] : by_compiler) append(out.description, ", ", count, " by ", compiler);
  if (!by_compiler.contains("nvrtc")) append(out.description, "; NVRTC is not on this machine");
  return out;
}

}  // namespace steptp::dataset
