#include "steptp/documents/time_document.h"

#include <algorithm>
#include <cstdio>

#include "steptp/base/ordered_stream.h"
#include "steptp/base/text.h"
#include "steptp/report/report.h"

namespace steptp {

namespace {

std::string name_of(const Document& document) {
  return document.program.name.empty() ? document.source->name() : document.program.name;
}

std::string formatted(const char* format, double value) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

constexpr std::uint64_t kRootOperations = 4;
/// Beyond this part of the median, runs say more of what disturbed them than of the program.
constexpr double kWideSpread = 0.2;

/// With a unit that leaves one to three digits in front.
std::string time_text(double seconds) {
  if (seconds <= 0) return "0 s";
  if (seconds < 1e-3) return formatted("%.2f us", seconds * 1e6);
  if (seconds < 1) return formatted("%.3f ms", seconds * 1e3);
  return formatted("%.3f s", seconds);
}

std::string rate_text(double per_second, const char* unit) {
  if (per_second >= 1e12) return formatted("%.2f T", per_second / 1e12) + unit;
  if (per_second >= 1e9) return formatted("%.2f G", per_second / 1e9) + unit;
  return formatted("%.2f M", per_second / 1e6) + unit;
}

Json flops_json(const std::map<DType, double>& flops) {
  Json out = Json::Object();
  for (const auto& [dtype, count] : flops) out.set(code(dtype), count);
  return out;
}

Json cost_json(const TimingCost& cost) {
  Json out;
  out.set("certified_values", 1e3 * cost.certified_values).set("preparing", 1e3 * cost.preparing);
  return out.set("running", 1e3 * cost.running).set("ending", 1e3 * cost.ending);
}

/// What makes the figures of a program worth less than they look.
std::vector<std::string> doubts(const Timing& timing) {
  std::vector<std::string> out;
  if (timing.samples.empty()) return out;
  if (timing.roofline_share > 1) {
    out.push_back(
        "faster than the roofline: data was still in a cache, operations were left out, or the peaks of the "
        "machine were measured too low");
  }
  if (timing.spread > kWideSpread * timing.median) {
    out.push_back(concat("single runs differ by ", formatted("%.0f", 100 * timing.spread / timing.median),
                         " % of the median: other work disturbed them"));
  }
  return out;
}

std::string elements_text(std::size_t count) { return concat(count, count == 1 ? " element" : " elements"); }

/// Of programs that compute something else there is none, and where others had the cores it is worth little.
std::string ratio_text(const TimedDocument& one, double first, const TimeReport& report) {
  if (one.timing.is_another_function) return "another function";
  return concat(formatted("%.2fx", first / one.timing.median), report.is_disturbed() ? " (do not trust)" : "");
}

std::string load_text(const TimeReport& report) {
  const unsigned cores = report.load.cores;
  return concat("this machine is busy: ", formatted("%.1f", report.load.others), " tasks of others wanted its ", cores,
                cores == 1 ? " core" : " cores", " beside ", report.threads,
                report.threads == 1 ? " thread" : " threads", " of each program; do not trust these times");
}

/// Programs by name where that tells them apart, by file where it does not.
std::vector<std::string> labels(const TimeReport& report) {
  std::vector<std::string> out;
  for (const TimedDocument& one : report.programs) {
    const auto same = [&one](const TimedDocument& other) { return other.name == one.name; };
    const bool is_unique = std::count_if(report.programs.begin(), report.programs.end(), same) == 1;
    out.push_back(is_unique || one.file.empty() ? one.name : concat(one.name, " (", one.file, ")"));
  }
  return out;
}

Json program_json(const TimedDocument& one) {
  const Timing& timing = one.timing;
  Json out;
  out.set("program", one.name).set("file", one.file).set("status", steptp::name_of(timing.status));
  if (!timing.samples.empty()) {
    out.set("median_s", timing.median).set("spread_s", timing.spread).set("min_s", timing.least);
    out.set("samples", static_cast<std::uint64_t>(timing.samples.size()));
    out.set("compile_ms", timing.compile_milliseconds).set("cached", timing.from_cache);
    out.set("bytes", timing.work.bytes).set("flops", timing.work.all_flops());
    out.set("bytes_per_second", timing.median > 0 ? timing.work.bytes / timing.median : 0.0);
    out.set("flops_per_second", timing.median > 0 ? timing.work.all_flops() / timing.median : 0.0);
    out.set("roofline_s", timing.roofline_seconds).set("roofline_share", timing.roofline_share);
    out.set("checked_elements", static_cast<std::uint64_t>(timing.checked_elements));
    out.set("implausible", timing.implausible).set("above_roofline", timing.roofline_share > 1);
    out.set("cost_ms", cost_json(timing.cost));
  }
  if (one.timing.is_another_function) out.set("another_function", true);
  if (one.expected) out.set("expected", to_json(*one.expected));
  if (one.failure && !one.failure->diagnostics.empty()) {
    const Diagnostic& diagnostic = one.failure->diagnostics.front();
    out.set("error", diagnostic.id).set("reason", diagnostic.message);
  }
  Json::Array notes;
  for (const std::string& note : timing.notes) notes.emplace_back(note);
  for (const std::string& doubt : doubts(timing)) notes.emplace_back(doubt);
  return out.set("notes", std::move(notes));
}

/// What `lower` would say of a program that is not lowered.
std::optional<CompiledFailure> unfit(const Document& document) {
  auto found = find_unlowerable(document);
  if (!found) return std::nullopt;
  const bool is_undecided = found->kind == LowerFailure::Kind::undecided;
  return CompiledFailure{is_undecided ? CompiledFailure::Kind::undecided : CompiledFailure::Kind::errors,
                         {},
                         std::move(found->diagnostics)};
}

}  // namespace

Result<RootElements, CompiledFailure> root_elements(const Document& root, std::uint64_t seed, std::uint64_t operations,
                                                    const CandidatePool& pool) {
  if (auto failure = unfit(root)) return *std::move(failure);
  return RootElements(root.program, seed, kRootOperations * operations, pool.options().cache);
}

namespace {

/// By the rates of this machine. A GPU that nobody measured may be one of the table, which its name says.
std::optional<Estimate> expected_of(const Program& program, const TimeReport& report) {
  auto rates = find_rates(word_of(report.device));
  const auto is_named = [&](std::string_view part) { return report.machine.name.find(part) != std::string::npos; };
  if (!rates && is_named("H200")) rates = find_rates("nvidia-h200");
  if (!rates && is_named("A100")) rates = find_rates("nvidia-a100");
  if (!rates) return std::nullopt;
  auto made = estimate(program, *rates);
  if (!made) return std::nullopt;
  return std::move(made).value();
}

/// "expected 21 us; kernel_0 is limited by memory, kernel_1 by launch"
std::string expected_text(const Estimate& expected) {
  const auto each = [&](const KernelEstimate& kernel) {
    return concat(kernel.name, &kernel == &expected.kernels.front() ? " is limited by " : " by ", kernel.limited_by);
  };
  return concat("expected ", seconds_text(expected.seconds), "; ", join(expected.kernels, ", ", each));
}

}  // namespace

Result<TimeReport, CompiledFailure> time_documents(const std::vector<const Document*>& documents, CandidatePool& pool,
                                                   TimeRequest request, const std::vector<std::string>& rivals) {
  TimeReport out;
  out.device = pool.options().device;
  out.cold = request.cold;
  out.as_graph = request.as_graph;
  out.arithmetic = request.arithmetic;
  out.threads = pool.options().threads == 0 ? default_jobs() : pool.options().threads;
  out.root = request.root;
  std::vector<std::size_t> measured;
  for (const Document* document : documents) {
    TimedDocument& one = out.programs.emplace_back();
    one.name = name_of(*document);
    one.file = document->source->name();
    one.failure = unfit(*document);
    if (one.failure) continue;
    measured.push_back(out.programs.size() - 1);
    request.programs.push_back(&document->program);
  }
  if (measured.empty()) return out;
  auto answer = time_programs(pool, request);
  if (!answer) return compiled_failure(*documents[measured.front()], answer.error());
  out.machine = std::move(answer->machine);
  out.load = answer->load;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    TimedDocument& one = out.programs[measured[i]];
    one.timing = std::move(answer->timings[i]);
    if (!one.timing.samples.empty()) {
      one.expected = expected_of(documents[measured[i]]->program, out);
      continue;
    }
    one.failure = compiled_failure(*documents[measured[i]], one.timing.failure);
    if (one.timing.status == Timing::Status::wrong) one.failure->kind = CompiledFailure::Kind::refused;
  }
  for (std::size_t i = 0; i < answer->rivals.size(); ++i) {
    TimedDocument& one = out.programs.emplace_back();
    one.name = rivals[i];
    one.timing = std::move(answer->rivals[i]);
    if (!one.timing.samples.empty()) continue;
    one.failure = CompiledFailure{CompiledFailure::Kind::refused, {}, {one.timing.failure.diagnostic}};
  }
  return out;
}

Json to_json(const RootElements& root) {
  Json out;
  out.set("program", root.root().name).set("seed", static_cast<std::int64_t>(root.seed()));
  out.set("elements", static_cast<std::uint64_t>(root.expectations().elements.size()));
  return out.set("from_cache", root.is_from_cache()).set("problem", root.expectations().problem);
}

std::string to_text(const RootElements& root) {
  const Expectations& found = root.expectations();
  std::string out =
      concat(root.root().name.empty() ? "the root" : root.root().name, ": ", elements_text(found.elements.size()),
             root.is_from_cache() ? ", which were there" : "", "\n");
  if (!found.problem.empty()) append(out, "some have no certified value: ", found.problem, "\n");
  return out;
}

Json to_json(const TimeReport& report) {
  Json machine;
  machine.set("device", word_of(report.device)).set("name", report.machine.name).set("peaks", report.machine.source);
  machine.set("bytes_per_second", report.machine.bytes_per_second).set("flops", flops_json(report.machine.flops));
  Json load;
  load.set("cores", report.load.cores).set("other_tasks", report.load.others).set("disturbs", report.is_disturbed());
  machine.set("load", std::move(load));
  Json::Array programs;
  for (const TimedDocument& one : report.programs) programs.push_back(program_json(one));
  Json out;
  out.set("machine", std::move(machine)).set("cold_cache", report.cold).set("graph", report.as_graph);
  out.set("arithmetic", word_of(report.arithmetic));
  if (report.root) out.set("root", to_json(*report.root));
  return out.set("programs", std::move(programs));
}

std::string to_table(const TimeReport& report) {
  std::vector<std::vector<std::string>> rows = {
      {"program", "median", "spread", "runs", "against first", "memory", "arithmetic", "of roofline", "checked"}};
  double first = 0;
  std::string below;
  const std::vector<std::string> names = labels(report);
  for (std::size_t i = 0; i < report.programs.size(); ++i) {
    const Timing& timing = report.programs[i].timing;
    if (timing.samples.empty()) {
      rows.push_back({names[i], std::string(steptp::name_of(timing.status))});
    } else {
      if (first == 0) first = timing.median;
      const bool is_ok = timing.status == Timing::Status::ok;
      rows.push_back({names[i], time_text(timing.median), time_text(timing.spread),
                      std::to_string(timing.samples.size()), ratio_text(report.programs[i], first, report),
                      rate_text(timing.work.bytes / timing.median, "B/s"),
                      rate_text(timing.work.all_flops() / timing.median, "flop/s"),
                      formatted(timing.roofline_share > 1 ? "%.1f %% (!)" : "%.1f %%", 100 * timing.roofline_share),
                      is_ok ? elements_text(timing.checked_elements) : std::string("no")});
    }
    const auto& expected = report.programs[i].expected;
    if (expected && !expected->kernels.empty()) append(below, names[i], ": ", expected_text(*expected), "\n");
    for (const std::string& note : timing.notes) append(below, names[i], ": ", note, "\n");
    for (const std::string& doubt : doubts(timing)) append(below, names[i], ": ", doubt, "\n");
  }
  if (report.is_disturbed()) append(below, load_text(report), "\n");
  std::string out;
  if (!report.machine.name.empty()) {
    append(out, report.machine.name, ": ", rate_text(report.machine.bytes_per_second, "B/s"), ", ",
           rate_text(report.machine.flops_of(DType::f32), "flop/s"), " in f32 (", report.machine.source, "); ",
           report.cold ? "cold" : "warm", " caches", report.as_graph ? ", programs as CUDA graphs" : "", ", ",
           word_of(report.arithmetic), " arithmetic\n");
  }
  return out + aligned(rows, 1, {}) + below;
}

}  // namespace steptp
