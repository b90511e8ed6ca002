#pragma once

// Which parts of a new program stand for which parts of the old one, noted by whoever builds them while a step is
// tracked (handles.h). Nobody pays for it otherwise: parts carry nothing, and each function here only looks whether
// there is a log (docs/decisions/0056-handles-by-notes.md). What a step takes over as the same object needs no note.
// Loops have no identity of their own: handles.cpp follows them through the nests they stand in, by their names and by
// what the facts of the step say of names.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "steptp/ir/program.h"

namespace steptp {

/// What is noted of one step, in one thread.
class OriginLog {
 public:
  /// From now on, until it is destroyed, this thread's steps are noted here. One at a time.
  OriginLog();
  ~OriginLog();
  OriginLog(const OriginLog&) = delete;
  OriginLog& operator=(const OriginLog&) = delete;

  /// A part of the old program, which lives as long as the log.
  void know(const void* part, std::uint32_t number) { numbers_[part].push_back(number); }
  /// `made` stands for whatever `old` stands for. It is kept alive, so that no other part gets its address.
  void note(std::shared_ptr<const void> made, const void* old);
  /// Loops of a nest that have other names there than in the nest it stands for, which the facts do not tell.
  void note_names(const void* made, const void* old, const std::map<std::string, std::string>& names);

  /// The numbers of the parts that a part stands for, ascending; empty for one that is new.
  [[nodiscard]] std::vector<std::uint32_t> numbers(const void* part) const;
  /// What loop `name` of the old nest with that number is called in the nest `made`; nothing where nobody has said.
  [[nodiscard]] const std::string* name_in(const void* made, std::uint32_t nest, const std::string& name) const;

 private:
  struct Names {
    const void* made = nullptr;
    std::uint32_t nest = 0;
    std::map<std::string, std::string> names;
  };
  std::unordered_map<const void*, std::vector<std::uint32_t>> numbers_;
  std::vector<std::shared_ptr<const void>> alive_;
  std::vector<Names> names_;
};

/// The new nest (equation, reference), noted as standing for the old one. Called twice, it stands for both.
[[nodiscard]] NestPtr stands_for(NestPtr made, const Nest& old);
[[nodiscard]] EquationPtr stands_for(EquationPtr made, const Equation& old);
/// A copy where there is a log, because one reference may take the place of several.
[[nodiscard]] RefPtr stands_for(RefPtr made, const Ref& old);
/// Likewise where loops have other names than in the old nest.
[[nodiscard]] NestPtr stands_for(NestPtr made, const Nest& old, const std::map<std::string, std::string>& names);

/// An expression whose reads stand for those of the old ones, one by one in the order of the text, and for nothing
/// else. An old expression with more or fewer reads is left out.
[[nodiscard]] ExprPtr reads_stand_for(const ExprPtr& made, std::span<const ExprPtr> old);
/// An expression in which every read of a tensor stands for the reads that are spelled so in an old one: an accumulator
/// under another name.
[[nodiscard]] ExprPtr reads_of_stand_for(const ExprPtr& made, const std::string& tensor, const ExprPtr& old,
                                         const Ref& spelled);
/// An expression in which reads that are spelled like some of the old ones stand for all of these: what an algebraic
/// step does with values, whichever of several equal reads it took them from.
[[nodiscard]] ExprPtr reads_stand_for_alike(const ExprPtr& made, const ExprPtr& old);

}  // namespace steptp
