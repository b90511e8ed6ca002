#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "steptp/tlm/weights.h"

namespace steptp::tlm {

using Token = std::uint16_t;

/// Keys and values of the tokens of one sentence, or of a prompt that many sentences share, for each layer and head, in
/// the panels that dense.h multiplies with.
class KeyValueBlock {
 public:
  KeyValueBlock() = default;
  KeyValueBlock(const ModelShape& shape, std::size_t capacity);

  [[nodiscard]] std::size_t length() const { return length_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  void grow(std::size_t tokens) { length_ += tokens; }
  void store(std::size_t layer, std::size_t position, const float* keys, const float* values);
  /// Keys as a matrix with a column for each token, values as one with a row for each.
  [[nodiscard]] PanelView keys(std::size_t layer, std::size_t head) const;
  [[nodiscard]] PanelView values(std::size_t layer, std::size_t head) const;

 private:
  [[nodiscard]] std::size_t offset(std::size_t layer, std::size_t head) const;

  std::size_t heads_ = 0;
  std::size_t head_width_ = 0;
  std::size_t capacity_ = 0;  ///< a multiple of kPanel
  std::size_t length_ = 0;
  std::vector<float> keys_;
  std::vector<float> values_;
};

/// Several sentences that continue one prompt, token by token, with the model's opinion about the next token. The same
/// tokens give the same numbers on every machine and beside any other sentences.
class Continuations {
 public:
  /// Reads the prompt once for all sentences. It has at least one token and leaves room for one more, and its tokens
  /// are in the vocabulary (an exception otherwise: callers check).
  Continuations(std::shared_ptr<const Weights> weights, std::span<const Token> prompt, std::size_t sentences);

  struct Feed {
    std::size_t sentence = 0;
    std::vector<Token> tokens;  ///< the next ones of this sentence, at least one
  };
  /// Appends tokens to sentences, each at most once in a call, and returns a row of `vocabulary` logits for the token
  /// after the last one of each feed.
  [[nodiscard]] std::vector<float> feed(std::span<const Feed> feeds);

  /// The logits after the prompt.
  [[nodiscard]] const std::vector<float>& first_logits() const { return first_logits_; }
  /// How many tokens a sentence may still get.
  [[nodiscard]] std::size_t room(std::size_t sentence) const;

 private:
  /// Tokens that are read at once and follow one another in one block.
  struct Group {
    KeyValueBlock* block = nullptr;
    std::size_t first_row = 0;
    std::size_t rows = 0;
  };
  /// Numbers between the parts of a layer, kept so that memory is asked for once.
  struct Scratch {
    std::vector<float> rows;
    std::vector<float> normal;
    std::vector<float> mixed;  ///< queries, keys and values of each row
    std::vector<float> attended;
    std::vector<float> added;
    std::vector<float> wide;
    std::vector<float> scores;
    std::vector<float> packed;
    std::vector<float> of_prompt;
  };
  void embed(std::span<const Token> tokens, std::size_t position, float* rows) const;
  /// Reads the embedded rows of the scratch.
  std::vector<float> run(const std::vector<Group>& groups, const KeyValueBlock* before);
  void attend(std::size_t layer, const std::vector<Group>& groups, const KeyValueBlock* before);
  void weigh_own_scores(const Group& group, std::size_t shared, std::size_t stride);
  [[nodiscard]] std::vector<float> logits_of_last_rows(const std::vector<Group>& groups);

  std::shared_ptr<const Weights> weights_;
  KeyValueBlock prompt_;
  std::vector<KeyValueBlock> sentences_;
  std::vector<float> first_logits_;
  Scratch scratch_;
};

}  // namespace steptp::tlm
