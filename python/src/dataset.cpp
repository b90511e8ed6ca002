#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/src/bindings.h"
#include "python/src/workers.h"
#include "steptp/base/file.h"
#include "steptp/base/json.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/base/text.h"
#include "steptp/base/worker.h"
#include "steptp/dataset/build.h"
#include "steptp/dataset/requested.h"
#include "steptp/exports/export.h"
#include "steptp/exports/show.h"
#include "steptp/exports/statistics.h"
#include "steptp/exports/validate.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

using Settings = std::map<std::string, std::string>;

/// Ends a verb from within, after Python has raised something.
struct Interrupted {};

/// What a verb on another thread and the interpreter's thread tell each other: how far it is, and whether to go on.
class Watch {
 public:
  [[nodiscard]] bool goes_on() const { return !is_stopped_; }
  [[nodiscard]] std::function<bool()> asking() {
    return [this] { return goes_on(); };
  }
  void report(std::uint64_t done, std::uint64_t total, std::string note) {
    const std::lock_guard lock(mutex_);
    news_ = {done, total, std::move(note)};
  }
  /// Of verbs that cannot be asked to stop.
  [[nodiscard]] std::function<void(std::uint64_t, std::uint64_t)> reporting_or_ending() {
    return [this](std::uint64_t done, std::uint64_t total) {
      if (!goes_on()) throw Interrupted();
      report(done, total, {});
    };
  }
  [[nodiscard]] std::function<void(std::uint64_t, std::uint64_t)> reporting(std::string note) {
    return [this, note = std::move(note)](std::uint64_t done, std::uint64_t total) { report(done, total, note); };
  }

  /// With the interpreter's lock: signals are handled, `progress` is told what is new. False once Python has raised.
  bool let_python_look(const nb::object& progress) {
    if (is_stopped_) return false;
    std::optional<News> news;
    {
      const std::lock_guard lock(mutex_);
      news.swap(news_);
    }
    if (PyErr_CheckSignals() != 0) is_stopped_ = true;
    if (is_stopped_ || !news || progress.is_none()) return !is_stopped_;
    try {
      progress(news->done, news->total, text_object(news->note));
    } catch (nb::python_error& error) {
      error.restore();
      is_stopped_ = true;
    }
    return !is_stopped_;
  }

 private:
  struct News {
    std::uint64_t done = 0;
    std::uint64_t total = 0;
    std::string note;
  };
  std::atomic<bool> is_stopped_ = false;
  std::mutex mutex_;
  std::optional<News> news_;
};

/// A verb on a thread of its own, while this one lets Python handle signals (Ctrl-C) and hear of progress.
std::string watched(const nb::object& progress, const std::function<std::string(Watch&)>& verb) {
  Watch watch;
  std::string out;
  bool has_raised = false;
  {
    const nb::gil_scoped_release release;
    std::future<std::string> result = std::async(std::launch::async, [&] { return verb(watch); });
    bool is_done = false;
    while (!is_done) {
      is_done = result.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready;
      if (has_raised) continue;
      const nb::gil_scoped_acquire acquire;
      has_raised = !watch.let_python_look(progress);
    }
    try {
      out = result.get();
    } catch (const Interrupted&) {
      has_raised = true;
    } catch (...) {
      if (!has_raised) throw;
    }
  }
  if (has_raised) throw nb::python_error();
  return out;
}

/// Options that the package wrote.
class Options {
 public:
  explicit Options(const std::string& text) : json_(parse_json(text).value()) {}
  [[nodiscard]] std::string text(std::string_view key) const { return *json_.find(key)->as_string(); }
  [[nodiscard]] std::uint64_t count(std::string_view key) const {
    return static_cast<std::uint64_t>(*json_.find(key)->as_integer());
  }
  [[nodiscard]] double number(std::string_view key) const { return json_.find(key)->number(); }
  [[nodiscard]] bool flag(std::string_view key) const { return *json_.find(key)->as_bool(); }
  [[nodiscard]] unsigned jobs() const {
    const std::uint64_t wanted = count("jobs");
    return wanted == 0 ? default_jobs() : static_cast<unsigned>(wanted);
  }
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> out;
    for (const Json& item : *json_.find(key)->as_array()) out.push_back(*item.as_string());
    return out;
  }

 private:
  Json json_;
};

dataset::ImportPaths imports_of(const Options& options) {
  auto imports = dataset::find_imports(options.texts("imports"));
  if (!imports) throw_one(imports.error(), "imports");
  return std::move(imports).value();
}

dataset::Configuration configuration_of(const std::string& config, const Settings& settings,
                                        const dataset::ImportPaths& imports) {
  auto out = dataset::configuration_of({config, settings, imports});
  if (!out) throw_one(out.error(), "settings");
  return std::move(out).value();
}

dataset::BuildOptions build_options(const Options& options, Watch& watch) {
  dataset::BuildOptions out;
  out.worker = worker_command(WorkerKind::dataset);
  out.folder = options.text("out");
  out.imports = imports_of(options);
  out.python = options.text("python");
  out.jobs = options.jobs();
  out.go_on = watch.asking();
  out.progress = [&watch](std::uint64_t done, std::uint64_t total, std::uint64_t entries) {
    watch.report(done, total, concat(entries, " entries"));
  };
  return out;
}

/// The answer of build and merge: how it ended, and where that is complete the export as well.
std::string ended(const Result<dataset::BuildAnswer, Diagnostic>& build, const dataset::BuildOptions& how,
                  bool is_exported, Watch& watch) {
  if (!build) throw_one(build.error(), how.folder);
  using End = dataset::BuildAnswer::End;
  Json out;
  std::string_view end = build->end == End::shard ? "shard" : build->end == End::stopped ? "stopped" : "complete";
  std::optional<dataset::Manifest> manifest;
  if (build->end == End::complete && is_exported) {
    dataset::ExportOptions options;
    options.jobs = how.jobs;
    options.go_on = how.go_on;
    options.progress = watch.reporting("export");
    auto exported = dataset::export_where_missing(how.folder, options);
    if (!exported) throw_one(exported.error(), how.folder);
    manifest = *std::move(exported);
    if (!manifest) end = "stopped";
  }
  out.set("end", end).set("quarantined", Json::Array(build->quarantined.begin(), build->quarantined.end()));
  if (build->end == End::complete) out.set("summary", build->summary);
  if (manifest) out.set("manifest", to_json(*manifest));
  return out.dump();
}

std::string settings_verb(const std::string& config, const Settings& settings) {
  return dataset::to_json(configuration_of(config, settings, {})).dump();
}

std::string build_verb(const std::string& config, const Settings& settings, const std::string& options_text,
                       const nb::object& progress) {
  return watched(progress, [&](Watch& watch) {
    const Options options(options_text);
    dataset::BuildOptions how = build_options(options, watch);
    how.shard = options.count("shard");
    how.shards = options.count("shards");
    how.program_seconds = options.number("program_timeout");
    const double seconds = options.number("time_limit");
    using Clock = std::chrono::steady_clock;
    const auto last =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    if (seconds > 0) how.go_on = [&watch, last] { return watch.goes_on() && Clock::now() < last; };
    return ended(dataset::build_dataset(configuration_of(config, settings, how.imports), how), how,
                 options.flag("export"), watch);
  });
}

std::string merge_verb(const std::vector<std::string>& folders, const std::string& options_text,
                       const nb::object& progress) {
  return watched(progress, [&](Watch& watch) {
    const Options options(options_text);
    const dataset::BuildOptions how = build_options(options, watch);
    return ended(dataset::merge_datasets(folders, how), how, options.flag("export"), watch);
  });
}

std::string export_verb(const std::string& folder, const std::string& options_text, const nb::object& progress) {
  return watched(progress, [&](Watch& watch) {
    const Options options(options_text);
    dataset::ExportOptions how;
    how.out = options.text("out");
    how.configs = options.texts("configs");
    how.max_tokens = options.count("max_tokens");
    how.only_useful = options.flag("only_useful");
    how.near_misses = options.count("near_misses");
    how.trajectories = options.count("trajectories");
    how.seed = options.count("seed");
    how.jobs = options.jobs();
    how.go_on = watch.asking();
    how.progress = watch.reporting("export");
    const auto exported = dataset::export_dataset(folder, how);
    if (!exported) throw_one(exported.error(), folder);
    if (!*exported) throw Interrupted();
    return to_json(**exported).dump();
  });
}

std::string stats_verb(const std::string& folder, const std::string& html, const nb::object& progress) {
  return watched(progress, [&](Watch& watch) {
    const auto statistics = dataset::collect_statistics(folder, watch.reporting_or_ending());
    if (!statistics) throw_one(statistics.error(), folder);
    if (!html.empty()) {
      const auto written = write_file(html, dataset::html_report(*statistics));
      if (!written) throw_one(written.error(), html);
    }
    return dataset::to_json(*statistics).dump();
  });
}

std::string validate_verb(const std::string& folder, std::int64_t judged, unsigned jobs, const nb::object& progress) {
  return watched(progress, [&](Watch& watch) {
    dataset::ValidateOptions options;
    options.judged = judged < 0 ? UINT64_MAX : static_cast<std::uint64_t>(judged);
    options.jobs = jobs == 0 ? default_jobs() : jobs;
    options.progress = watch.reporting_or_ending();
    const auto found = dataset::validate_dataset(folder, options);
    if (!found) throw_one(found.error(), folder);
    return dataset::to_json(*found).dump();
  });
}

std::string show_verb(const std::string& folder, const std::string& table, const std::string& split, std::uint64_t row,
                      const std::string& strategy, const std::string& difficulty, std::uint64_t most_tokens,
                      double least_usefulness) {
  const nb::gil_scoped_release release;
  auto line = dataset::read_row(folder, table, split, row, {strategy, difficulty, most_tokens, least_usefulness});
  if (!line) throw_one(line.error(), folder);
  return std::move(line).value();
}

int dataset_worker_main(std::uint64_t memory_bytes) {
  const nb::gil_scoped_release release;
  return dataset::run_dataset_worker(Worker::kDescriptor, memory_bytes);
}

}  // namespace

void bind_dataset(nb::module_& module) {
  module.def("dataset_settings", &settings_verb, nb::arg("config"), nb::arg("settings"));
  module.def("dataset_build", &build_verb, nb::arg("config"), nb::arg("settings"), nb::arg("options"),
             nb::arg("progress").none());
  module.def("dataset_merge", &merge_verb, nb::arg("folders"), nb::arg("options"), nb::arg("progress").none());
  module.def("dataset_export", &export_verb, nb::arg("folder"), nb::arg("options"), nb::arg("progress").none());
  module.def("dataset_stats", &stats_verb, nb::arg("folder"), nb::arg("html"), nb::arg("progress").none());
  module.def("dataset_validate", &validate_verb, nb::arg("folder"), nb::arg("judged"), nb::arg("jobs"),
             nb::arg("progress").none());
  module.def("dataset_show", &show_verb, nb::arg("folder"), nb::arg("table"), nb::arg("split"), nb::arg("row"),
             nb::arg("strategy"), nb::arg("difficulty"), nb::arg("most_tokens"), nb::arg("least_usefulness"));
  module.def("dataset_worker_main", &dataset_worker_main, nb::arg("memory_bytes"));
}

}  // namespace steptp::python
