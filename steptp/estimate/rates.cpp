#include "steptp/estimate/rates.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "steptp/base/file.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

using R = DeviceRates;

/// Public figures: clocks and widths from the vendor's data sheets and its programming guide, latencies from published
/// microbenchmarks, and times of small kernels measured by us.
DeviceRates h200() {
  DeviceRates out;
  out.name = "nvidia-h200";
  out.source = "data sheet; copy, launch and scattered accesses measured, fitted to bench/results";
  out.processors = 132;
  out.clock = 1.755e9;
  out.memory_bandwidth = 4.03e12;
  out.memory_latency = 6.0e-7;
  out.l3_bytes = 50e6;
  out.l3_bandwidth = 5.7e12;
  out.l3_latency = 1.6e-7;
  out.l2_bandwidth = 112e9;
  out.l1_bytes = 256 * 1024;
  out.l1_latency = 1.9e-8;
  out.program_seconds = 2.0e-6;
  out.launch_seconds = 1.2e-6;
  out.barrier_cycles = 30;
  out.scatter_cycles = 1.75;
  out.threads = 2048;
  out.blocks = 32;
  out.registers = 65536;
  out.shared_bytes = 228 * 1024;
  out.f32_per_cycle = 128;
  out.f64_per_cycle = 64;
  out.convert_per_cycle = 64;
  out.special_per_cycle = 16;
  out.matrix_half_per_cycle = 1024;
  out.matrix_double_per_cycle = 144;
  out.issue_per_cycle = 4;
  out.chain_cycles = 4;
  return out;
}

DeviceRates a100() {
  DeviceRates out = h200();
  out.name = "nvidia-a100";
  out.source = "data sheet of the 80 GB model; what it does not say as of the H200";
  out.processors = 108;
  out.clock = 1.41e9;
  out.memory_bandwidth = 1.75e12;
  out.l3_bytes = 40e6;
  out.l3_bandwidth = 3.5e12;
  out.l2_bandwidth = 90e9;
  out.l1_bytes = 192 * 1024;
  out.shared_bytes = 164 * 1024;
  out.f32_per_cycle = 64;
  out.f64_per_cycle = 32;
  out.matrix_double_per_cycle = 72;
  return out;
}

DeviceRates plain_cpu() {
  DeviceRates out;
  out.name = "plain-cpu";
  out.kind = DeviceKind::cpu;
  out.source = "a core with 256-bit vectors as servers have it, two of them";
  out.processors = 2;
  out.clock = 3.0e9;
  out.memory_bandwidth = 20e9;
  out.memory_latency = 1e-7;
  out.l3_bytes = 16 << 20;
  out.l3_bandwidth = 30e9;
  out.l3_latency = 2e-8;
  out.l2_bytes = 1 << 20;
  out.l2_bandwidth = 60e9;
  out.l1_bytes = 32 * 1024;
  out.l1_latency = 1.5e-9;
  out.program_seconds = 2e-6;
  out.launch_seconds = 3e-6;
  out.f32_per_cycle = 16;
  out.f64_per_cycle = 8;
  out.convert_per_cycle = 8;
  out.special_per_cycle = 4;
  out.issue_per_cycle = 4;
  out.scatter_cycles = 10;
  out.vector_bytes = 32;
  out.chain_cycles = 4;
  return out;
}

/// Figures that do not concern a kind of device may be 0.
bool may_be_zero(const RateRow& row, DeviceKind kind) {
  // A table that was measured says nothing of matrix instructions.
  if (row.name.starts_with("mma_")) return true;
  static const std::set<std::string_view> only_gpu = {"barrier_cycles", "threads", "blocks", "registers",
                                                      "shared_bytes"};
  static const std::set<std::string_view> only_cpu = {"l2_bytes", "vector_bytes"};
  return (kind == DeviceKind::cpu ? only_gpu : only_cpu).contains(row.name);
}

Result<DeviceRates, std::string> kept_rates(DeviceKind kind) {
  const std::string path = rates_file(kind);
  if (path.empty() || !std::filesystem::exists(path)) return std::string();
  const auto text = read_file(path);
  if (!text) return text.error().message;
  const auto json = parse_json(*text);
  if (!json) return concat(path, " is no JSON: ", json.error().message, "; `steptp device` writes it anew");
  auto rates = rates_of_json(*json);
  if (!rates) return concat(path, ": ", rates.error(), "; `steptp device` writes it anew");
  if (rates->kind != kind) {
    return concat(path, " is a table of a device of the kind ", word_of(rates->kind),
                  "; `steptp device` writes it anew");
  }
  return rates;
}

}  // namespace

const std::vector<RateRow>& rate_rows() {
  static const std::vector<RateRow> rows = {
      {"processors", &R::processors, "", "multiprocessors of a GPU, threads of a CPU"},
      {"clock", &R::clock, "Hz", "cycles per second under load"},
      {"memory_bandwidth", &R::memory_bandwidth, "B/s", "memory, a plain copy counted both ways"},
      {"memory_latency", &R::memory_latency, "s", "a load from memory"},
      {"l3_bytes", &R::l3_bytes, "B", "the cache that all processors share (L2 of a GPU)"},
      {"l3_bandwidth", &R::l3_bandwidth, "B/s", "that cache, all processors together"},
      {"l3_latency", &R::l3_latency, "s", "a load from that cache"},
      {"l2_bytes", &R::l2_bytes, "B", "second cache of a CPU's core"},
      {"l2_bandwidth", &R::l2_bandwidth, "B/s", "one processor, from behind its first cache"},
      {"l1_bytes", &R::l1_bytes, "B", "first cache of a processor, with shared memory"},
      {"l1_latency", &R::l1_latency, "s", "a load from that cache"},
      {"program_seconds", &R::program_seconds, "s", "a program that does nothing, without its first kernel"},
      {"launch_seconds", &R::launch_seconds, "s", "each kernel"},
      {"barrier_cycles", &R::barrier_cycles, "cycles", "a barrier"},
      {"scatter_cycles", &R::scatter_cycles, "cycles",
       "a line that a store writes (GPU), or that comes by itself (CPU)"},
      {"threads", &R::threads, "", "threads at once on a processor"},
      {"blocks", &R::blocks, "", "blocks at once on a processor"},
      {"registers", &R::registers, "", "registers of a processor"},
      {"shared_bytes", &R::shared_bytes, "B", "shared memory of a processor"},
      {"f32_per_cycle", &R::f32_per_cycle, "/cycle", "sums or products of f32 per processor"},
      {"f64_per_cycle", &R::f64_per_cycle, "/cycle", "sums or products of f64 per processor"},
      {"convert_per_cycle", &R::convert_per_cycle, "/cycle", "conversions per processor"},
      {"special_per_cycle", &R::special_per_cycle, "/cycle", "steps of functions per processor"},
      {"mma_f16_per_cycle", &R::matrix_half_per_cycle, "/cycle",
       "products of f16 and bf16 by matrix instructions (mma.sync) per processor; 0: none"},
      {"mma_f64_per_cycle", &R::matrix_double_per_cycle, "/cycle",
       "products of f64 by matrix instructions per processor; 0: none"},
      {"issue_per_cycle", &R::issue_per_cycle, "/cycle", "instructions per processor"},
      {"vector_bytes", &R::vector_bytes, "B", "a vector register of a CPU"},
      {"chain_cycles", &R::chain_cycles, "cycles", "from a sum to the next one that needs it"},
  };
  return rows;
}

const std::vector<DeviceRates>& shipped_rates() {
  static const std::vector<DeviceRates> tables = {h200(), a100(), plain_cpu()};
  return tables;
}

std::string rate_names() {
  return concat(join(shipped_rates(), " ", [](const DeviceRates& rates) { return rates.name; }), " cpu cuda");
}

Result<DeviceRates, std::string> find_rates(std::string_view name) {
  for (const DeviceRates& rates : shipped_rates()) {
    if (rates.name == name) return rates;
  }
  const auto kind = read_word<DeviceKind>(name);
  if (!kind) return concat("there is no device '", name, "' with rates; there are: ", rate_names());
  auto kept = kept_rates(*kind);
  if (kept || !kept.error().empty()) return kept;
  if (*kind == DeviceKind::cuda) {
    return std::string(
               "this machine's GPU has no rates yet: `steptp device cuda` measures them, or name a device of the "
               "table: ") +
           rate_names();
  }
  DeviceRates plain = plain_cpu();
  plain.name = "cpu";
  plain.source = "not measured: `steptp device` measures this machine; " + plain.source;
  return plain;
}

Json to_json(const DeviceRates& rates) {
  Json out;
  out.set("device", rates.name).set("kind", std::string(word_of(rates.kind))).set("source", rates.source);
  Json rows{Json::Object{}};
  for (const RateRow& row : rate_rows()) {
    if (rates.*row.member != 0) rows.set(row.name, rates.*row.member);
  }
  return out.set("rates", std::move(rows));
}

Result<DeviceRates, std::string> rates_of_json(const Json& json) {
  DeviceRates out;
  const auto text = [&](std::string_view key) {
    const Json* value = json.find(key);
    return value ? value->as_string() : nullptr;
  };
  const std::string* name = text("device");
  const std::string* kind = text("kind");
  const std::string* source = text("source");
  if (!name || !kind || !source) return std::string("a table of rates has 'device', 'kind' and 'source', texts");
  const auto read = read_word<DeviceKind>(*kind);
  if (!read) return concat("the kind of a device is one of ", list_of_words<DeviceKind>(), ", not '", *kind, "'");
  out.name = *name;
  out.kind = *read;
  out.source = *source;
  const Json* rows = json.find("rates");
  if (!rows || !rows->as_object()) return std::string("a table of rates has 'rates', an object");
  for (const auto& [key, value] : *rows->as_object()) {
    bool is_known = false;
    for (const RateRow& row : rate_rows()) is_known = is_known || row.name == key;
    if (!is_known) return concat("there is no rate '", key, "'");
  }
  for (const RateRow& row : rate_rows()) {
    const Json* value = rows->find(row.name);
    if (!value) {
      if (!may_be_zero(row, out.kind)) return concat("the rate '", row.name, "' is missing");
      out.*row.member = 0;
      continue;
    }
    if (!value->is_number() || !std::isfinite(value->number()) || value->number() <= 0) {
      return concat("the rate '", row.name, "' is to be a number above 0");
    }
    out.*row.member = value->number();
  }
  return out;
}

std::string rates_file(DeviceKind kind) {
  const std::string file = concat("/device-", word_of(kind), ".json");
  if (const char* named = std::getenv("STEPTP_CONFIG"); named && *named) return named + file;
  if (const char* all = std::getenv("XDG_CONFIG_HOME"); all && *all) return concat(all, "/steptp", file);
  if (const char* home = std::getenv("HOME"); home && *home) return concat(home, "/.config/steptp", file);
  return {};
}

Result<bool, std::string> keep_rates(const DeviceRates& rates) {
  const std::string path = rates_file(rates.kind);
  if (path.empty()) return std::string("there is no place for it: $HOME is not set; name one with $STEPTP_CONFIG");
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (error) return concat("cannot make the folder of ", path, ": ", error.message());
  if (const auto done = write_file(path, to_json(rates).dump() + "\n"); !done) return done.error().message;
  return true;
}

}  // namespace steptp
