#include "steptp/exports/record_rows.h"

#include <algorithm>
#include <stdexcept>

#include "steptp/base/text.h"
#include "steptp/exports/rows.h"
#include "steptp/reasoning/trace.h"

namespace steptp::dataset {

namespace {

/// The least share of the expected time that counts as saved.
constexpr double kUseful = 0.01;

class RowMaker {
 public:
  RowMaker(const RecordTexts& texts, const Tokenizer& tokenizer, const RowOptions& options, RecordRows& out)
      : texts_(texts), tokens_(tokenizer), options_(options), out_(out) {}

  void add_whole_record() {
    for (const auto& entry : texts_.entries()) add_row("archive", [&] { return archive_row(texts_, *entry); });
    for (const auto& entry : texts_.unsafe_entries())
      add_row("equal_unsafe", [&] { return archive_row(texts_, *entry); });
    const bool has_entries = !texts_.entries().empty();
    if (has_entries) add_row("rl", [&] { return rl_row(texts_, tokens_); });
    if (has_entries && wants("stepwise")) add_steps();
  }

  /// False where the record does not hold what the row is made of.
  [[nodiscard]] bool add_selected(const SelectedRow& selected) {
    std::vector<const EntryTexts*> entries;
    for (const std::string& id : selected.entries) entries.push_back(texts_.find(id));
    for (const EntryTexts* entry : entries) {
      if (entry == nullptr || entry->before != entries.front()->before) return false;
    }
    if (selected.is_deep) {
      if (selected.is_filtered && wants("deep")) add_deep(entries);
      return true;
    }
    for (const ChatVariant& variant : chat_variants()) {
      if (variant.is_filtered == selected.is_filtered) add_variant(variant, selected.kind, entries);
    }
    if (selected.is_filtered && selected.kind == SelectedRow::Kind::single) add_wrong_answers(*entries.front());
    return true;
  }

 private:
  [[nodiscard]] bool wants(std::string_view table) const { return options_.tables.contains(table); }

  template <typename Make>
  void add_row(std::string_view table, const Make& make) {
    if (wants(table)) out_.rows.push_back({find_table(table), make()});
  }
  /// The same for what is left out where it is too long.
  template <typename Make>
  void add_row(std::string_view table, std::int64_t tokens, const Make& make) {
    if (!wants(table)) return;
    if (options_.max_tokens > 0 && tokens > static_cast<std::int64_t>(options_.max_tokens)) {
      ++out_.too_long[std::string(table)];
    } else {
      add_row(table, make);
    }
  }

  void add_steps() {
    const std::string& program = texts_.record().program.id;
    if (!options_.trajectory_programs.contains(program)) return;
    const auto trajectory = make_trajectory(texts_.root().program, program, options_.near_miss);
    if (!trajectory) return;
    const Json row = stepwise_row(texts_, *trajectory, tokens_);
    const std::int64_t tokens = *row.find("prompt_tokens")->as_integer() + *row.find("completion_tokens")->as_integer();
    add_row("stepwise", tokens, [&] { return row; });
  }

  void add_variant(const ChatVariant& variant, SelectedRow::Kind kind, const std::vector<const EntryTexts*>& entries) {
    const bool is_single = kind == SelectedRow::Kind::single;
    const std::string table = concat("chat/", variant.name, is_single ? "/single" : "/multi");
    const bool is_main = variant.name == "full";
    const bool is_kernelbench = texts_.record().program.origin.starts_with("kernelbench");
    const bool wants_more = is_main && (wants("sft_trl") || (wants("no_kernelbench") && !is_kernelbench));
    if (!wants(table) && !wants_more) return;
    const Exchange exchange = make_exchange(texts_, entries, variant.language, variant.has_reasoning, tokens_);
    if (options_.only_useful && exchange.useful() < kUseful) return;
    add_row(table, exchange.tokens(), [&] { return chat_row(texts_, exchange); });
    if (!is_main) return;
    add_row("sft_trl", exchange.tokens(), [&] { return sft_row(texts_, exchange); });
    if (!is_kernelbench) add_row("no_kernelbench", exchange.tokens(), [&] { return chat_row(texts_, exchange); });
  }

  void add_deep(const std::vector<const EntryTexts*>& entries) {
    const Exchange exchange = make_exchange(texts_, entries, Language::leir, true, tokens_);
    if (options_.only_useful && exchange.useful() < kUseful) return;
    add_row("deep", exchange.tokens(), [&] { return chat_row(texts_, exchange); });
  }

  void add_wrong_answers(const EntryTexts& entry) {
    if (!options_.near_miss_entries.contains(entry.entry->id)) return;
    if (options_.only_useful && entry.useful() < kUseful) return;
    ++out_.near_misses_tried;
    const auto trace = trace_from_json(entry.entry->trace);
    if (!trace) return;
    const RightStep step{&entry.before->program, &entry.after.program, entry.entry->strategy, &*trace, entry.entry->id};
    const auto miss = find_near_miss(step, options_.near_miss);
    if (!miss) return;
    ++out_.near_misses_found;
    ++out_.near_miss_changes[miss->change];
    add_row("near_miss", [&] { return near_miss_row(texts_, entry, *miss); });
    const Exchange exchange = make_exchange(texts_, {&entry}, Language::leir, true, tokens_);
    const WrongAnswer wrong = make_wrong_answer(exchange, *miss, tokens_);
    const std::int64_t right_tokens = exchange.tokens();
    const std::int64_t wrong_tokens = exchange.prompt_tokens + wrong.completion_tokens;
    const std::int64_t longer = std::max(right_tokens, wrong_tokens);
    add_row("dpo_trl", longer, [&] { return dpo_trl_row(texts_, exchange, wrong); });
    add_row("dpo_swift", longer, [&] { return dpo_swift_row(texts_, exchange, wrong); });
    add_row("kto_trl", right_tokens, [&] { return kto_row(texts_, exchange, nullptr); });
    add_row("kto_trl", wrong_tokens, [&] { return kto_row(texts_, exchange, &wrong); });
  }

  const RecordTexts& texts_;
  ChatTokens tokens_;
  const RowOptions& options_;
  RecordRows& out_;
};

Diagnostic damaged(std::string message) {
  return make_error("dataset", std::move(message), "remove the part that holds it and run the same build again");
}

}  // namespace

RecordRows rows_of(const ProgramRecord& record, std::span<const SelectedRow> selected, const Tokenizer& tokenizer,
                   const RowOptions& options) {
  RecordRows out;
  out.split = record.program.split;
  if (record.entries.empty() && record.unsafe_entries.empty()) return out;
  const auto texts = RecordTexts::read(record);
  if (!texts) {
    out.problem = damaged(texts.error());
    return out;
  }
  RowMaker maker(*texts, tokenizer, options, out);
  maker.add_whole_record();
  for (const SelectedRow& row : selected) {
    if (row.split == out.split && maker.add_selected(row)) continue;
    out.problem = damaged(concat("the selection names entries of program ", record.program.id,
                                 " that the store does not have, or not together: ",
                                 join(row.entries, " ", [](const std::string& id) { return id; })));
    return out;
  }
  for (const TableRow& row : out.rows) {
    const std::string problem = misfit(row.row, row.table->schema);
    if (!problem.empty()) throw std::logic_error(concat("table ", row.table->name, ": ", problem));
  }
  return out;
}

}  // namespace steptp::dataset
