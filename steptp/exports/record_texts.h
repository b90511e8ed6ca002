#pragma once

// All texts of the entries of one record: both profiles, TIR, the reasoning.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/dataset/entry.h"
#include "steptp/exports/expected_times.h"
#include "steptp/exports/tables.h"
#include "steptp/ir/program.h"
#include "steptp/text/profile.h"

namespace steptp::dataset {

/// One program in its languages.
struct ProgramTexts {
  Program program;
  std::string leir;
  std::string compact;
  std::string tir;
  std::string cuda;
  FormTokens tokens;
  ExpectedTimes expected;

  [[nodiscard]] const std::string& in(Language language) const;
};

struct EntryTexts {
  const Entry* entry = nullptr;
  const ProgramTexts* before = nullptr;
  ProgramTexts after;
  std::string reasoning;
  std::string reasoning_compact;

  [[nodiscard]] double useful() const { return usefulness(before->expected, after.expected); }
  [[nodiscard]] const std::string& reasoning_in(Language language) const {
    return language == Language::compact ? reasoning_compact : reasoning;
  }
};

class RecordTexts {
 public:
  /// The text says which part of the record cannot be read, and why. The record must outlive what is made of it.
  [[nodiscard]] static Result<RecordTexts, std::string> read(const ProgramRecord& record);
  RecordTexts(RecordTexts&&) = default;
  RecordTexts(const RecordTexts&) = delete;

  [[nodiscard]] const ProgramRecord& record() const { return *record_; }
  [[nodiscard]] const ProgramTexts& root() const { return *root_; }
  [[nodiscard]] const std::vector<std::unique_ptr<EntryTexts>>& entries() const { return entries_; }
  [[nodiscard]] const std::vector<std::unique_ptr<EntryTexts>>& unsafe_entries() const { return unsafe_entries_; }
  /// Null where the record has no such entry among those that are safe: rows are made of no others.
  [[nodiscard]] const EntryTexts* find(std::string_view id) const;

 private:
  RecordTexts() = default;
  /// Fills the texts; answers what is wrong with the entry.
  [[nodiscard]] std::string read_entry(const Entry& entry, EntryTexts& texts) const;
  [[nodiscard]] std::string add_entries();

  const ProgramRecord* record_ = nullptr;
  std::unique_ptr<ProgramTexts> root_;                ///< entries point to it
  std::vector<std::unique_ptr<EntryTexts>> entries_;  ///< likewise
  std::vector<std::unique_ptr<EntryTexts>> unsafe_entries_;
  std::map<std::string, const EntryTexts*, std::less<>> by_id_;
};

/// A program's text of either profile, read against a signature; the text says what is wrong with it.
[[nodiscard]] Result<Program, std::string> read_leir(const std::string& name, const std::string& text,
                                                     const Signature& signature);

/// A trace, stored as JSON, in words. Diagnostic `dataset` where it is none.
[[nodiscard]] Result<std::string, Diagnostic> reasoning_of(const Json& trace, const Program& before,
                                                           const Program& after, Profile profile);
/// Of several answers, each rendered.
[[nodiscard]] std::string reasoning_of(const std::vector<std::string>& rendered);

}  // namespace steptp::dataset
