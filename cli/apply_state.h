#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/recipe/recipe.h"
#include "steptp/text/document.h"

namespace steptp::cli {

/// What `apply --state FILE` keeps: the program as it came, and the steps that were made of it. The file is a recipe
/// too, so that `replay --recipe FILE` makes the same.
class ApplyState {
 public:
  /// The state in the file. With `root` it begins: there must be no such file yet.
  [[nodiscard]] static Result<ApplyState, Diagnostic> open(const std::string& file, const std::string& root);

  /// The program as it stands, with the document of the root for messages.
  [[nodiscard]] const Document& document() const { return document_; }
  [[nodiscard]] const Recipe& steps() const { return steps_; }

  /// Adds what one call has made and writes the file.
  [[nodiscard]] Result<bool, Diagnostic> add(const Recipe& steps);
  /// Takes back what the last call has made, all steps of a move at once, and writes the file.
  [[nodiscard]] Result<bool, Diagnostic> undo();

 private:
  [[nodiscard]] std::optional<Diagnostic> take(const Json& kept);
  /// The program after the steps.
  [[nodiscard]] std::optional<Diagnostic> make_document();
  [[nodiscard]] Result<bool, Diagnostic> write() const;

  std::string file_;
  std::string root_;  ///< its text
  Recipe steps_;
  std::vector<std::size_t> calls_;  ///< how many steps there were before each call
  Document document_;
};

}  // namespace steptp::cli
