#pragma once

// Words of strategies are data: a file NAME.words beside NAME.cpp, which takes no C++ to edit (docs/reasoning.md). The
// build takes the files in whole; they are read when the first trace is told.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/result.h"

namespace steptp {

/// One way to say something. All phrases of one slot say the same; the seed takes one. In the text `{x}` stands for
/// what is bound to x, and `<a|b>` for one of a and b.
struct Phrase {
  std::string_view slot;
  std::string_view text;
};

/// The content of one file.
struct Words {
  std::vector<std::string_view> general;  ///< what the strategy is, each text whole
  std::vector<Phrase> phrases;            ///< of the instance; a slot named after a precondition says that it holds
};

/// A slot is a line that begins at the margin; the indented lines below it are its phrases, one per line. The slot
/// `general` has the general texts. Lines that begin with # are comments. The words point into the text. The error says
/// which line cannot be read, and why.
[[nodiscard]] Result<Words, std::string> parse_words(std::string_view text);

/// A file as it was built in; the strategy's name is empty for those that all share.
struct WordsFile {
  std::string_view strategy;
  std::string_view text;
};
/// Defined in a file that cmake/Layers.cmake writes.
[[nodiscard]] std::span<const WordsFile> words_files();

/// Null where a strategy has no words of its own.
[[nodiscard]] const Words* words_of(std::string_view strategy);
/// What several strategies say of preconditions that mean the same for all of them (reasoning/shared.words).
[[nodiscard]] const Words& shared_words();

}  // namespace steptp
