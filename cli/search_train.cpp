// The cost model, trained on files of measurements, and how good it is on types that it never saw.
#include "cli/search_options.h"
#include "steptp/base/file.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/base/text.h"
#include "steptp/costs/evaluation.h"

namespace steptp::cli {

namespace {

constexpr std::size_t kFolds = 10;

/// All files together; nothing after a message.
std::optional<costs::MeasuredTable> read_tables(const std::vector<std::string>& paths, const DeviceRates& rates) {
  std::string text;
  std::string name;
  for (const std::string& path : paths) {
    auto content = read_file(path);
    if (!content) {
      print_error(content.error());
      return std::nullopt;
    }
    if (content->starts_with("\x1f\x8b")) {
      auto plain = gunzip(*content, std::size_t{1} << 30);
      if (!plain) {
        print_error(plain.error());
        return std::nullopt;
      }
      content = std::move(plain);
    }
    append(text, *content, "\n");
    append(name, name.empty() ? "" : " + ", path);
  }
  auto table = costs::read_measured_table(name, text, rates);
  if (!table) {
    print_error(table.error());
    return std::nullopt;
  }
  if (table->cases.empty()) {
    print_error(make_error("file", concat(name, " has no measured plan")));
    return std::nullopt;
  }
  return std::move(table).value();
}

}  // namespace

Status train_cost_model(const SearchOptions& options) {
  if (options.target.empty()) return bad_search("steptp search train needs --target, the device of the measurements");
  const auto rates = find_rates(options.target);
  if (!rates) return bad_search(concat("--target: ", rates.error()));
  const auto table = read_tables(options.folders, *rates);
  if (!table) return Status::bad_input;
  costs::TrainingOptions how;
  how.seed = options.settings.seed;
  const unsigned jobs = options.jobs == 0 ? default_jobs() : options.jobs;
  const costs::Quality quality = costs::cross_validate(*table, how, kFolds, jobs);
  if (!options.output.empty()) {
    costs::CostModel model;
    model.device = rates->name;
    costs::add_trees(model, table->cases, how);
    model.card.set("programs", static_cast<std::int64_t>(table->groups.size()));
    model.card.set("plans", static_cast<std::int64_t>(table->cases.size()));
    model.card.set("median_rank_correlation", quality.median_spearman);
    model.card.set("share_close", quality.share_close);
    if (const auto written = write_file(options.output, to_json(model).dump() + "\n"); !written) {
      print_error(written.error());
      return Status::failed;
    }
  }
  return write_out(to_markdown(quality, *table)) ? Status::yes : Status::failed;
}

}  // namespace steptp::cli
