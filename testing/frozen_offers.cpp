// What strategies offer, written down, and compared with what they offer later.
#include <algorithm>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <set>

#include "steptp/base/text.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/recipe/registry.h"
#include "steptp/recipe/selection.h"
#include "steptp/strategies/view.h"
#include "steptp/text/document.h"
#include "testing/frozen_pairs.h"

namespace steptp::testing {

namespace {

/// Sites by strategy, each once however often it is offered.
using Offers = std::map<std::string, std::set<std::string>>;

Offers offers_on(const Program& program) {
  Offers out;
  View view(program);
  for (const StrategySite& site : list_choices(all_strategies(), view, true).sites) {
    out[std::string(site.strategy->name)].insert(to_text(site.site.at));
  }
  return out;
}

Json to_json(const Offers& offers) {
  Json out{Json::Object()};
  for (const auto& [strategy, sites] : offers) {
    Json::Array list;
    for (const std::string& site : sites) list.emplace_back(site);
    out.set(strategy, std::move(list));
  }
  return out;
}

/// A program with what is known of its origin, as a pair without `after`.
FrozenPair default_program(const zoo::ProgramType& type) {
  FrozenPair out;
  const auto made = zoo_program(type.name, {}, DType::f32);
  if (!made) return out;
  out.id = type.name;
  const Json record = to_json(*made, Profile::paper);
  out.signature = *record.find("signature");
  out.before = *record.find("leir")->as_string();
  out.record.set("type", type.name).set("args", *record.find("args")).set("dtype", *record.find("dtype"));
  return out;
}

Program program_of(const FrozenPair& pair, const Json& signature) {
  Json record;
  record.set("signature", signature).set("leir", pair.before);
  return read_document(pair.id, record.dump()).program;
}

void write_offers(std::ofstream& file, const FrozenPair& pair) {
  Json out;
  out.set("id", pair.id);
  for (const char* key : {"type", "args", "dtype"}) {
    if (const Json* value = pair.record.find(key)) out.set(key, *value);
  }
  out.set("signature", pair.signature).set("before", pair.before);
  file << out.set("offers", to_json(offers_on(program_of(pair, pair.signature)))).dump() << "\n" << std::flush;
}

struct Kept {
  std::uint64_t offered = 0;
  std::uint64_t kept = 0;
};

void print_kept(const std::map<std::string, Kept>& rows) {
  std::cout << std::left << std::setw(38) << "strategy" << std::right << std::setw(9) << "offers" << std::setw(9)
            << "remain" << std::setw(9) << "share\n";
  for (const auto& [name, row] : rows) {
    const double share = 100.0 * static_cast<double>(row.kept) / static_cast<double>(row.offered);
    std::cout << std::left << std::setw(38) << name << std::right << std::setw(9) << row.offered << std::setw(9)
              << row.kept << std::fixed << std::setprecision(1) << std::setw(8) << share << (share < 90 ? " <" : "")
              << "\n";
  }
}

}  // namespace

int freeze_offers(const std::string& list, std::uint64_t states, const std::string& file) {
  std::ofstream out(file);
  for (const zoo::ProgramType& type : zoo::all_types()) {
    const FrozenPair pair = default_program(type);
    if (!pair.id.empty()) write_offers(out, pair);
  }
  const auto pairs = read_frozen(list);
  if (!pairs) {
    std::cerr << pairs.error() << "\n";
    return 2;
  }
  const std::size_t stride = std::max<std::size_t>(1, pairs->size() / std::max<std::uint64_t>(states, 1));
  for (std::size_t i = 0, written = 0; i < pairs->size() && written < states; i += stride, ++written) {
    write_offers(out, (*pairs)[i]);
    if (written % 20 == 0) std::cerr << "\r" << written << " of " << states << " states" << std::flush;
  }
  std::cerr << "\n";
  return 0;
}

int compare_offers(const std::string& file, bool todays_domains, const std::string& lost) {
  const auto programs = read_frozen(file);
  if (!programs) {
    std::cerr << programs.error() << "\n";
    return 2;
  }
  std::ofstream losses(lost.empty() ? "/dev/null" : lost);
  std::map<std::string, Kept> rows;
  for (const FrozenPair& pair : *programs) {
    const Json signature = todays_domains ? with_todays_domains(pair) : pair.signature;
    Offers today = offers_on(program_of(pair, signature));
    const Json* frozen = pair.record.find("offers");
    if (!frozen || !frozen->as_object()) continue;
    for (const auto& [strategy, sites] : *frozen->as_object()) {
      Kept& row = rows[strategy];
      for (const Json& site : *sites.as_array()) {
        const bool is_kept = today[strategy].contains(*site.as_string());
        ++row.offered;
        row.kept += is_kept ? 1 : 0;
        if (!is_kept) losses << concat(strategy, " ", pair.id, " ", *site.as_string()) << "\n";
      }
    }
  }
  print_kept(rows);
  const bool all_kept = std::all_of(rows.begin(), rows.end(),
                                    [](const auto& row) { return 10 * row.second.kept >= 9 * row.second.offered; });
  return all_kept ? 0 : 1;
}

}  // namespace steptp::testing
