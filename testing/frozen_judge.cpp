// A list of pairs judged, each in a process that may crash or hang, and a table of what came out.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <set>
#include <thread>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/text/printer.h"
#include "steptp/verify/verify_pair.h"
#include "testing/frozen_pairs.h"
#include "testing/mutator.h"

namespace steptp::testing {

namespace {

using Clock = std::chrono::steady_clock;

double cpu_ms() { return 1000.0 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// What the processes share: the next pair that nobody has taken, and for each process the one that it is at.
struct SharedProgress {
  std::atomic<std::uint64_t> at;      ///< 0: none; otherwise the number of the pair and one
  std::atomic<std::int64_t> started;  ///< in milliseconds
};
constexpr std::size_t kMostJobs = 64;
struct Board {
  std::atomic<std::uint64_t> next;
  std::array<SharedProgress, kMostJobs> places;
};

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch()).count();
}

std::string text_of(const Json& record, std::string_view key) {
  const Json* value = record.find(key);
  return value && value->as_string() ? *value->as_string() : std::string();
}

/// The text of a program one small change away from `after`; that of `after` itself where no change was found.
std::string mutant_of(const FrozenPair& pair, std::uint64_t seed) {
  const Pair read = read_pair(pair.id, pair.to_line());
  Random random(combine(seed, hash_text(pair.id)));
  for (int tries = 0; read.after.ok && tries < 8; ++tries) {
    if (const auto mutant = mutate(read.after.program, random)) return print(mutant->program);
  }
  return pair.after;
}

class Judging {
 public:
  Judging(const JudgeOptions& options, std::vector<FrozenPair> pairs) : options_(options), pairs_(std::move(pairs)) {
    void* memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    board_ = new (memory) Board();
  }

  void run() {
    std::ofstream(options_.out, std::ios::app).flush();
    const std::int64_t begun = now_ms();
    std::map<pid_t, std::size_t> running;
    const std::size_t jobs = std::min<std::size_t>(std::max<std::uint64_t>(options_.jobs, 1), kMostJobs);
    for (std::size_t place = 0; place < jobs; ++place) running[start(place)] = place;
    while (!running.empty()) {
      int status = 0;
      const pid_t ended = waitpid(-1, &status, WNOHANG);
      if (ended > 0 && running.contains(ended)) {
        const std::size_t place = running.at(ended);
        running.erase(ended);
        if (note_failure(place, status)) running[start(place)] = place;
        continue;
      }
      end_hanging(running);
      if (options_.within > 0 && static_cast<double>(now_ms() - begun) > 1000 * options_.within) {
        stop(running);
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      std::cerr << "\r" << std::min<std::uint64_t>(board_->next, pairs_.size()) << " of " << pairs_.size() << " pairs"
                << std::flush;
    }
    std::cerr << "\n";
  }

 private:
  pid_t start(std::size_t place) {
    const pid_t child = fork();
    if (child != 0) return child;
    for (std::uint64_t at = board_->next++; at < pairs_.size(); at = board_->next++) {
      board_->places[place].started = now_ms();
      board_->places[place].at = at + 1;
      append_line(judge(pairs_[at]));
      board_->places[place].at = 0;
    }
    _exit(0);
  }

  /// True where the process ended in the middle of a pair, which is written down.
  bool note_failure(std::size_t place, int status) {
    const std::uint64_t at = board_->places[place].at.exchange(0);
    if (at == 0) return false;
    const FrozenPair& pair = pairs_[at - 1];
    const bool is_hanging = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    Json out;
    out.set("id", pair.id).set("strategy", pair.strategy).set("verdict", is_hanging ? "hangs" : "crashes");
    out.set("safe", Json()).set("safe_by", Json());
    out.set("reason", WIFSIGNALED(status) ? concat("signal ", WTERMSIG(status)) : concat("exit status ", status));
    append_line(out.set("ms", static_cast<double>(now_ms() - board_->places[place].started)));
    return true;
  }

  void end_hanging(const std::map<pid_t, std::size_t>& running) {
    for (const auto& [child, place] : running) {
      const SharedProgress& one = board_->places[place];
      if (one.at != 0 && static_cast<double>(now_ms() - one.started) > 1000 * options_.seconds) kill(child, SIGKILL);
    }
  }

  /// The time is up: nothing is written of the pairs that are being judged, so that the next run begins them again.
  void stop(const std::map<pid_t, std::size_t>& running) {
    board_->next = pairs_.size();
    for (const auto& [child, place] : running) kill(child, SIGKILL);
    for (const auto& [child, place] : running) waitpid(child, nullptr, 0);
  }

  [[nodiscard]] Json judge(const FrozenPair& pair) const {
    FrozenPair asked = pair;
    if (options_.todays_domains) asked.signature = with_todays_domains(pair);
    if (options_.mutants != 0) asked.after = mutant_of(asked, options_.mutants);
    VerifyOptions options;
    if (options_.budget > 0) options.budget = options_.budget;
    if (options_.safety_budget > 0) options.safety_budget = options_.safety_budget;
    const double start = cpu_ms();
    const Json answer = to_json(pair.id, verify_pair(read_pair(pair.id, asked.to_line()), options));
    Json out;
    out.set("id", pair.id).set("strategy", pair.strategy).set("verdict", *answer.find("verdict"));
    for (const char* key : {"safe", "safe_by"}) out.set(key, answer.find(key) ? *answer.find(key) : Json());
    return out.set("reason", *answer.find("reason")).set("ms", cpu_ms() - start);
  }

  /// One write of a whole line at the end of the file, so that processes do not mix theirs.
  void append_line(const Json& record) const {
    std::ofstream file(options_.out, std::ios::app);
    file << record.dump() + "\n" << std::flush;
  }

  const JudgeOptions& options_;
  std::vector<FrozenPair> pairs_;
  Board* board_ = nullptr;
};

/// Pairs that are judged, evenly spread over the list.
std::vector<FrozenPair> selected(const JudgeOptions& options, const std::vector<FrozenPair>& all) {
  std::vector<FrozenPair> out;
  for (std::size_t i = 0; i < all.size(); i += std::max<std::uint64_t>(options.every, 1)) {
    if (options.limit > 0 && out.size() == options.limit) break;
    out.push_back(all[i]);
  }
  return out;
}

using Results = std::map<std::string, Json>;

Results read_results(const std::string& file) {
  Results out;
  if (!std::ifstream(file)) return out;
  const std::string problem =
      for_each_json_line(file, [&](const Json& record) { out[text_of(record, "id")] = record; });
  if (!problem.empty()) std::cerr << problem << "\n";
  return out;
}

struct Row {
  std::map<std::string, std::uint64_t> verdicts;
  std::uint64_t pairs = 0;
  std::uint64_t safe = 0;
  std::uint64_t unsafe = 0;
  std::uint64_t neither = 0;  ///< equal, and safe is null
  std::vector<double> ms;

  void add(const Json& result) {
    const std::string verdict = text_of(result, "verdict");
    ++pairs;
    ++verdicts[verdict];
    ms.push_back(result.find("ms")->number());
    if (verdict != "proved" && verdict != "exact") return;
    const bool* is_safe = result.find("safe")->as_bool();
    ++(is_safe ? *is_safe ? safe : unsafe : neither);
  }
};

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

constexpr std::array<const char*, 8> kVerdicts = {"proved",  "exact",   "numeric", "undecided",
                                                  "differs", "invalid", "crashes", "hangs"};

void print_row(const std::string& name, const Row& row) {
  std::cout << std::left << std::setw(34) << name << std::right << std::setw(7) << row.pairs;
  for (const char* verdict : kVerdicts) {
    const auto found = row.verdicts.find(verdict);
    std::cout << std::setw(10) << (found == row.verdicts.end() ? 0 : found->second);
  }
  std::cout << std::setw(7) << row.safe << std::setw(7) << row.unsafe << std::setw(6) << row.neither << std::fixed
            << std::setprecision(2) << std::setw(9) << percentile(row.ms, 0.5) << std::setw(10)
            << percentile(row.ms, 0.95) << std::setw(11) << percentile(row.ms, 0.99) << "\n";
}

/// The times that docs/status.md states: of equal pairs by what showed them safe, and of differences.
void print_times(const std::vector<FrozenPair>& pairs, const Results& results) {
  std::map<std::string, std::vector<double>> times;
  for (const FrozenPair& pair : pairs) {
    const auto found = results.find(pair.id);
    if (found == results.end()) continue;
    const std::string verdict = text_of(found->second, "verdict");
    const double ms = found->second.find("ms")->number();
    if (verdict == "differs") times["differs"].push_back(ms);
    if (verdict != "proved" && verdict != "exact") continue;
    const std::string by = text_of(found->second, "safe_by");
    times["equal"].push_back(ms);
    times[concat("equal, safe by ", by.empty() ? "neither" : by)].push_back(ms);
  }
  for (const auto& [what, all] : times) {
    std::cout << std::left << std::setw(34) << what << std::right << std::setw(7) << all.size()
              << " pairs, ms of CPU: p50 " << percentile(all, 0.5) << ", p95 " << percentile(all, 0.95) << ", p99 "
              << percentile(all, 0.99) << ", most " << percentile(all, 1) << "\n";
  }
}

void print_table(const std::vector<FrozenPair>& pairs, const Results& results) {
  std::cout << std::left << std::setw(34) << "strategy" << std::right << std::setw(7) << "pairs";
  for (const char* verdict : kVerdicts) std::cout << std::setw(10) << verdict;
  std::cout << "   safe unsafe  null   ms p50       p95        p99\n";
  std::map<std::string, Row> rows;
  Row all;
  for (const FrozenPair& pair : pairs) {
    const auto found = results.find(pair.id);
    if (found == results.end()) continue;
    rows[pair.strategy].add(found->second);
    all.add(found->second);
  }
  for (const auto& [name, row] : rows) print_row(name, row);
  print_row("all", all);
  print_times(pairs, results);
  const double equal = static_cast<double>(all.verdicts["proved"] + all.verdicts["exact"]);
  std::cout << "proved or exact: " << 100 * equal / static_cast<double>(std::max<std::uint64_t>(all.pairs, 1))
            << " % of all pairs\n";
}

void write_not_proved(const std::string& file, const std::vector<FrozenPair>& pairs, const Results& results) {
  std::ofstream out(file);
  for (const FrozenPair& pair : pairs) {
    const auto found = results.find(pair.id);
    if (found == results.end() || text_of(found->second, "verdict") == "proved") continue;
    Json record = found->second;
    for (const char* key : {"type", "choice", "step"}) {
      if (const Json* value = pair.record.find(key)) record.set(key, *value);
    }
    out << record.set("signature", pair.signature).set("before", pair.before).set("after", pair.after).dump() << "\n";
  }
}

}  // namespace

int judge_frozen(const JudgeOptions& options) {
  const auto all = read_frozen(options.list);
  if (!all) {
    std::cerr << all.error() << "\n";
    return 2;
  }
  const std::vector<FrozenPair> pairs = selected(options, *all);
  if (options.renew) std::ofstream(options.out).flush();
  const Results known = read_results(options.out);
  std::vector<FrozenPair> open;
  for (const FrozenPair& pair : pairs) {
    if (!known.contains(pair.id)) open.push_back(pair);
  }
  Judging(options, std::move(open)).run();
  const Results results = read_results(options.out);
  print_table(pairs, results);
  if (!options.not_proved.empty()) write_not_proved(options.not_proved, pairs, results);
  const auto is_bad = [&](const FrozenPair& pair) {
    const auto found = results.find(pair.id);
    const std::string verdict = found == results.end() ? "hangs" : text_of(found->second, "verdict");
    return verdict == "crashes" || verdict == "hangs" || (verdict == "differs" && options.mutants == 0);
  };
  return std::any_of(pairs.begin(), pairs.end(), is_bad) ? 1 : 0;
}

}  // namespace steptp::testing
