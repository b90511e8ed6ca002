// Rows that the cost model learns from: drawn plans of programs, measured. A file of rows that is there is gone on
// with.
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>

#include "cli/interrupts.h"
#include "cli/search_options.h"
#include "steptp/base/file.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/base/progress.h"
#include "steptp/base/text.h"
#include "steptp/search/session.h"
#include "steptp/search/side_by_side.h"

namespace steptp::cli {

namespace {

constexpr double kSecondsOfOne = 0.05;
constexpr std::uint64_t kCheckOperations = 1'000'000;

/// The file of rows: a line for each program, and one for each plan of it.
class Rows {
 public:
  /// What is wrong with a file that is there.
  std::optional<std::string> open(const std::string& path) {
    if (const auto content = read_file(path)) {
      std::istringstream lines(*content);
      for (std::string line; std::getline(lines, line);) {
        const auto row = parse_json(line);
        // The last line of a run that was killed may be cut.
        if (!row) continue;
        const Json* key = row->find("key");
        const Json* number = row->find("number");
        if (!key || !key->as_string()) return concat(path, " is no file of measurements");
        if (number && number->as_integer()) done_[*key->as_string()].insert(*number->as_integer());
        programs_.insert(*key->as_string());
      }
      if (!content->empty() && content->back() != '\n') out_.open(path, std::ios::app), out_ << "\n";
    }
    if (!out_.is_open()) out_.open(path, std::ios::app);
    return out_ ? std::nullopt : std::optional(concat("cannot write ", path));
  }

  [[nodiscard]] std::set<std::int64_t> done(const std::string& key) {
    const std::lock_guard lock(mutex_);
    return done_[key];
  }

  void begin(const std::string& key, const Document& root) {
    const std::lock_guard lock(mutex_);
    if (!programs_.insert(key).second) return;
    Json row;
    row.set("key", key).set("program", to_json(root.program, Profile::compact));
    out_ << row.dump() << "\n";
  }

  bool keep(const std::string& key, const Json& row) {
    Json line;
    line.set("key", key);
    for (const auto& [name, value] : *row.as_object()) line.set(name, value);
    const std::lock_guard lock(mutex_);
    out_ << line.dump() << "\n" << std::flush;
    return static_cast<bool>(out_);
  }

 private:
  std::mutex mutex_;
  std::ofstream out_;
  std::set<std::string> programs_;
  std::map<std::string, std::set<std::int64_t>> done_;
};

/// A program, and plans of it that were drawn before.
struct Work {
  Document root;
  std::string key;
  std::optional<std::vector<search::DrawnProgram>> drawn;
};

/// The programs of a file of rows; nothing after a message.
std::optional<std::vector<Work>> read_drawn(const std::string& path, const std::string& content) {
  std::vector<Work> out;
  std::map<std::string, std::size_t> places;
  std::istringstream lines(content);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto row = parse_json(line);
    const Json* key = row ? row->find("key") : nullptr;
    const Json* program = row ? row->find("program") : nullptr;
    const Json* leir = row ? row->find("leir") : nullptr;
    if (!key || !key->as_string()) {
      print_error(make_error("file", concat(path, ":", number, ": this is no row of measurements")));
      return std::nullopt;
    }
    if (program) {
      Document root = read_document(concat(path, ":", number), program->dump());
      if (!root.ok) {
        std::fputs(render(root.diagnostics, *root.source).c_str(), stderr);
        return std::nullopt;
      }
      places[*key->as_string()] = out.size();
      out.push_back({std::move(root), *key->as_string(), std::vector<search::DrawnProgram>()});
      continue;
    }
    const Json* plan = row->find("number");
    const Json* expected = row->find("expected");
    const auto place = places.find(*key->as_string());
    if (!leir || !leir->as_string() || !plan || !plan->as_integer() || place == places.end()) continue;
    out[place->second].drawn->push_back(
        {*plan->as_integer(), *leir->as_string(), expected && expected->is_number() ? expected->number() : 0});
  }
  return out;
}

/// Programs to draw plans of, or rows that have their plans already.
std::optional<std::vector<Work>> read_work(const SearchOptions& options) {
  const auto content = read_file(options.file);
  if (content && content->starts_with("{\"key\":")) return read_drawn(options.file, *content);
  auto programs = read_search_programs(options);
  if (!programs) return std::nullopt;
  std::vector<Work> out;
  for (search::SearchProgram& program : *programs) {
    const std::string key = search::program_key(program.root.program).substr(0, 16);
    out.push_back({std::move(program.root), key, std::nullopt});
  }
  return out;
}

}  // namespace

Status measure_for_cost_model(const SearchOptions& options) {
  search::SearchSettings settings = options.settings;
  if (const auto taken = search::take_device(options.device, options.target, settings); !taken)
    return bad_search(concat("--device: ", taken.error()));
  if (options.output.empty()) return bad_search("steptp search measure needs -o, the file for its rows");
  const auto programs = read_work(options);
  if (!programs) return Status::bad_input;
  Rows rows;
  if (const auto problem = rows.open(options.output)) return bad_search(*problem);
  search::SearchMachinery machinery;
  machinery.go_on = go_on_until_interrupted();
  machinery.candidates = candidate_options(options.workers, DeviceKind::cpu);
  machinery.measuring_seconds = kSecondsOfOne;
  machinery.check_operations = kCheckOperations;
  Progress bar("measure", programs->size() * static_cast<std::uint64_t>(settings.budget.samples));
  std::atomic<std::uint64_t> count = 0;
  std::mutex mutex;
  std::optional<Diagnostic> problem;
  std::vector<std::size_t> numbers(programs->size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  // Programs are measured one at a time: on a GPU each waits for its turn, on a CPU there is one thread.
  const unsigned jobs = settings.device == search::DeviceWord::cpu ? 1
                        : options.jobs == 0                        ? default_jobs()
                                                                   : options.jobs;
  const bool done = search::side_by_side(numbers, jobs, [&](std::size_t i) {
    const auto& [root, key, drawn] = (*programs)[i];
    rows.begin(key, root);
    search::MeasurementOrder order;
    order.samples = settings.budget.samples;
    order.done = rows.done(key);
    order.keep = [&rows, &bar, &count, &work = (*programs)[i]](const Json& row) {
      bar.update(++count, work.root.program.name);
      return rows.keep(work.key, row);
    };
    const auto measured =
        search::measure_plans_of(root, settings, machinery, std::move(order), drawn ? &*drawn : nullptr);
    if (measured) return *measured;
    const std::lock_guard lock(mutex);
    problem = measured.error();
    return false;
  });
  if (problem) print_error(*problem);
  if (!done) print_error(make_error("search", "it ended before all was measured", "the same command goes on"));
  return done ? Status::yes : Status::failed;
}

}  // namespace steptp::cli
