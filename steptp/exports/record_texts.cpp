#include "steptp/exports/record_texts.h"

#include <memory>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/reasoning/trace.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"

namespace steptp::dataset {

const std::string& ProgramTexts::in(Language language) const {
  switch (language) {
    case Language::leir: return leir;
    case Language::compact: return compact;
    case Language::tir: return tir;
  }
  return leir;
}

Result<Program, std::string> read_leir(const std::string& name, const std::string& text, const Signature& signature) {
  Document document = read_program_text(name, text, signature);
  if (!document.ok) return document.diagnostics.empty() ? "no program" : document.diagnostics.front().message;
  document.program.name = name;
  return std::move(document.program);
}

Result<std::string, Diagnostic> reasoning_of(const Json& trace, const Program& before, const Program& after,
                                             Profile profile) {
  const auto read = trace_from_json(trace);
  if (!read) return make_error("dataset", concat("the trace cannot be read: ", read.error()));
  std::string words = render(*read, before, after, profile);
  // They would end the thought for the trainer's template, or begin an answer for whoever reads it.
  for (const std::string_view tag : {"<think>", "</think>", "<answer>", "</answer>"}) {
    if (words.find(tag) != words.npos) return make_error("dataset", concat("the reasoning contains ", tag));
  }
  return words;
}

std::string reasoning_of(const std::vector<std::string>& rendered) { return render_answers(rendered); }

const EntryTexts* RecordTexts::find(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

std::string RecordTexts::read_entry(const Entry& entry, EntryTexts& texts) const {
  texts.entry = &entry;
  const EntryTexts* parent = entry.parent.empty() ? nullptr : find(entry.parent);
  if (parent == nullptr && !entry.parent.empty()) return concat("there is no entry ", entry.parent, " before it");
  texts.before = parent == nullptr ? root_.get() : &parent->after;
  if (texts.before->leir != entry.before) return "`before` is not what its parent ends with";
  auto after = read_leir(record_->program.name, entry.after, record_->program.signature);
  if (!after) return concat("`after` cannot be read: ", after.error());
  texts.after = {std::move(after).value(), entry.after, {}, entry.tir, entry.cuda, entry.tokens, {}};
  texts.after.expected = expected_times(texts.after.program);
  texts.after.compact = print(texts.after.program, Profile::compact);
  const auto words = [&](Profile profile) {
    return reasoning_of(entry.trace, texts.before->program, texts.after.program, profile);
  };
  auto paper = words(Profile::paper);
  auto compact = words(Profile::compact);
  if (!paper || !compact) return (paper ? compact : paper).error().message;
  texts.reasoning = std::move(paper).value();
  texts.reasoning_compact = std::move(compact).value();
  return {};
}

std::string RecordTexts::add_entries() {
  const auto add = [this](const std::vector<Entry>& from, bool is_safe) -> std::string {
    for (const Entry& entry : from) {
      auto texts = std::make_unique<EntryTexts>();
      const std::string problem = read_entry(entry, *texts);
      if (!problem.empty()) return concat("entry ", entry.id, " of program ", record_->program.id, ": ", problem);
      if ((entry.verdict.safe == true) != is_safe) {
        return concat("entry ", entry.id, " of program ", record_->program.id, is_safe ? " is not safe" : " is safe");
      }
      if (is_safe) by_id_.emplace(entry.id, texts.get());
      (is_safe ? entries_ : unsafe_entries_).push_back(std::move(texts));
    }
    return {};
  };
  std::string problem = add(record_->entries, true);
  return problem.empty() ? add(record_->unsafe_entries, false) : problem;
}

Result<RecordTexts, std::string> RecordTexts::read(const ProgramRecord& record) {
  RecordTexts out;
  out.record_ = &record;
  const DatasetProgram& program = record.program;
  auto root = read_leir(program.name, program.leir, program.signature);
  if (!root) return concat("program ", program.id, " cannot be read: ", root.error());
  out.root_ = std::make_unique<ProgramTexts>(
      ProgramTexts{std::move(root).value(), program.leir, {}, program.tir, program.cuda, program.tokens, {}});
  out.root_->expected = expected_times(out.root_->program);
  out.root_->compact = print(out.root_->program, Profile::compact);
  std::string problem = out.add_entries();
  if (!problem.empty()) return problem;
  return out;
}

}  // namespace steptp::dataset
