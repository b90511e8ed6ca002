#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>

#include "cli/tlm_verbs.h"
#include "steptp/base/text.h"
#include "steptp/cursor/sentence.h"

namespace steptp::cli {

namespace {

struct TokenizeOptions {
  std::string file;
  bool words = false;
  bool vocabulary = false;
};

Answer bad_line(const std::string& name, const std::string& why) {
  Answer out;
  out.status = Status::bad_input;
  out.err = concat(name, ": error: ", why, "\n");
  return out;
}

Answer numbers_of(const std::string& name, const std::string& text) {
  const auto tokens = cursor::tokens_of_text(text);
  if (!tokens) return bad_line(name, tokens.error());
  Answer out;
  out.out = join(*tokens, " ", [](cursor::Token token) { return std::to_string(token); }) + "\n";
  return out;
}

/// Numbers with blanks between them.
Answer words_of(const std::string& name, const std::string& text) {
  std::vector<cursor::Token> tokens;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" \t\r", at)) != std::string::npos) {
    const std::size_t end = std::min(text.find_first_of(" \t\r", at), text.size());
    std::size_t number = cursor::vocabulary().size();
    const auto read = std::from_chars(text.data() + at, text.data() + end, number);
    if (read.ec != std::errc() || read.ptr != text.data() + end || number >= cursor::vocabulary().size()) {
      return bad_line(name, concat("word ", tokens.size(), ", '", text.substr(at, std::min<std::size_t>(end - at, 40)),
                                   "', is no number from 0 to ", cursor::vocabulary().size() - 1));
    }
    tokens.push_back(static_cast<cursor::Token>(number));
    at = end;
  }
  Answer out;
  out.out = cursor::sentence_text(tokens) + "\n";
  return out;
}

Status run(const TokenizeOptions& options) {
  if (options.vocabulary) {
    return write_out(concat(cursor::vocabulary_text(), "# sha256 ", cursor::vocabulary_hash(), "\n")) ? Status::yes
                                                                                                      : Status::failed;
  }
  if (options.file.empty()) {
    print_error(make_error("usage", "no file is given", "steptp tlm tokenize --help shows how it is called"));
    return Status::bad_input;
  }
  return for_each_line(options.file, 1, "sentences", options.words ? words_of : numbers_of);
}

}  // namespace

VerbMain add_tlm_tokenize(CLI::App& tlm) {
  auto options = std::make_shared<TokenizeOptions>();
  CLI::App* verb = tlm.add_subcommand("tokenize", "the numbers of the words of sentences, or back");
  verb->footer(
      "Reads a sentence in each line. Words and numbers are those of data/tlm_vocabulary.txt.\n"
      "Exit status: 0 done, 2 a word or a number that is not in the vocabulary.\n"
      "Example: steptp tlm sentences softmax.leir | steptp tlm tokenize -");
  verb->add_option("FILE", options->file, "a file with a sentence in each line, or - for standard input");
  verb->add_flag("--words", options->words, "the file has numbers, and words are wanted");
  verb->add_flag("--vocabulary", options->vocabulary, "print the vocabulary and its hash instead");
  return [options] { return run(*options); };
}

}  // namespace steptp::cli
