#pragma once

// What the rows of other tables are compared with: the archive, without the texts that a hash stands for.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "steptp/base/hash.h"
#include "steptp/base/json.h"
#include "steptp/dataset/entry.h"
#include "steptp/exports/tables.h"
#include "steptp/ir/signature.h"

namespace steptp::dataset {

/// A program that questions are asked about.
struct AskedProgram {
  std::string name;
  std::string origin;
  std::string program_id;
  Signature signature;
  std::array<std::string, 3> texts;  ///< by language
};

struct IndexedEntry {
  Split split = Split::train;
  std::shared_ptr<const AskedProgram> before;
  std::string parent;
  std::array<Hash, 3> after{};  ///< of the texts, by language
  std::string reasoning;
  std::string reasoning_compact;
  std::string strategy;
  std::string level;
  std::string difficulty;
  std::string grade;
  double useful = 0;

  [[nodiscard]] Hash after_in(Language language) const { return after[static_cast<std::size_t>(language)]; }
};

class ArchiveIndex {
 public:
  /// The row has the archive's columns. False where an entry of this id is there already.
  bool add(const Json& row, Split split, Signature signature);
  /// Null where there is none.
  [[nodiscard]] const IndexedEntry* find(std::string_view id) const;
  [[nodiscard]] const AskedProgram* find_program(std::string_view program_id) const;

  /// Wrong programs and the thoughts that lead to them, by the id of their near miss.
  struct Wrong {
    Hash program = 0;
    Hash thought = 0;
  };
  std::map<std::string, Wrong, std::less<>> near_misses;

 private:
  std::map<std::string, IndexedEntry, std::less<>> entries_;
  std::map<std::string, std::shared_ptr<const AskedProgram>> asked_;  ///< by program and canonical hash
  std::map<std::string, std::shared_ptr<const AskedProgram>, std::less<>> roots_;
};

/// The text of a column; empty where the row has none.
[[nodiscard]] const std::string& text_of(const Json& row, std::string_view column);

}  // namespace steptp::dataset
