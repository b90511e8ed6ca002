#include "steptp/tlm/network.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "steptp/tlm/elementwise.h"

namespace steptp::tlm {

KeyValueBlock::KeyValueBlock(const ModelShape& shape, std::size_t capacity)
    : heads_(shape.heads), head_width_(shape.head_width()), capacity_(whole_panels(capacity)) {
  keys_.resize(shape.layers * shape.width * capacity_, 0.0F);
  values_.resize(keys_.size(), 0.0F);
}

std::size_t KeyValueBlock::offset(std::size_t layer, std::size_t head) const {
  return (layer * heads_ + head) * head_width_ * capacity_;
}

void KeyValueBlock::store(std::size_t layer, std::size_t position, const float* keys, const float* values) {
  for (std::size_t head = 0; head < heads_; ++head) {
    float* const key =
        keys_.data() + offset(layer, head) + position / kPanel * head_width_ * kPanel + position % kPanel;
    float* const value = values_.data() + offset(layer, head) + position * kPanel;
    for (std::size_t i = 0; i < head_width_; ++i) {
      key[i * kPanel] = keys[head * head_width_ + i];
      value[i / kPanel * capacity_ * kPanel + i % kPanel] = values[head * head_width_ + i];
    }
  }
}

PanelView KeyValueBlock::keys(std::size_t layer, std::size_t head) const {
  return {Storage::f32, keys_.data() + offset(layer, head), head_width_, head_width_, whole_panels(length_) / kPanel};
}

PanelView KeyValueBlock::values(std::size_t layer, std::size_t head) const {
  return {Storage::f32, values_.data() + offset(layer, head), length_, capacity_, head_width_ / kPanel};
}

Continuations::Continuations(std::shared_ptr<const Weights> weights, std::span<const Token> prompt,
                             std::size_t sentences)
    : weights_(std::move(weights)) {
  const ModelShape& shape = weights_->shape;
  if (prompt.empty() || prompt.size() >= shape.positions) throw std::logic_error("tlm: a prompt of that length");
  prompt_ = KeyValueBlock(shape, prompt.size());
  scratch_.rows.resize(prompt.size() * shape.width);
  embed(prompt, 0, scratch_.rows.data());
  first_logits_ = run({Group{&prompt_, 0, prompt.size()}}, nullptr);
  sentences_.assign(sentences, KeyValueBlock(shape, shape.positions - prompt.size()));
}

std::size_t Continuations::room(std::size_t sentence) const {
  return weights_->shape.positions - prompt_.length() - sentences_[sentence].length();
}

std::vector<float> Continuations::feed(std::span<const Feed> feeds) {
  const std::size_t width = weights_->shape.width;
  std::size_t count = 0;
  for (const Feed& feed : feeds) {
    if (feed.tokens.empty() || feed.tokens.size() > room(feed.sentence)) throw std::logic_error("tlm: no room");
    count += feed.tokens.size();
  }
  scratch_.rows.resize(count * width);
  std::vector<Group> groups;
  std::size_t row = 0;
  for (const Feed& feed : feeds) {
    KeyValueBlock& block = sentences_[feed.sentence];
    embed(feed.tokens, prompt_.length() + block.length(), scratch_.rows.data() + row * width);
    groups.push_back({&block, row, feed.tokens.size()});
    row += feed.tokens.size();
  }
  return run(groups, &prompt_);
}

void Continuations::embed(std::span<const Token> tokens, std::size_t position, float* rows) const {
  const std::size_t width = weights_->shape.width;
  for (const Token token : tokens) {
    if (token >= weights_->shape.vocabulary) throw std::logic_error("tlm: a token beyond the vocabulary");
    const float* const word = weights_->token_rows.data() + token * width;
    const float* const place = weights_->position_rows.data() + position * width;
    for (std::size_t i = 0; i < width; ++i) rows[i] = word[i] + place[i];
    rows += width;
    ++position;
  }
}

namespace {

/// Each row, normalised.
void normalise_rows(const std::vector<float>& rows, const std::vector<float>& weight, std::vector<float>& out) {
  out.resize(rows.size());
  const std::size_t width = weight.size();
  for (std::size_t at = 0; at < rows.size(); at += width) {
    normalise(rows.data() + at, weight.data(), width, out.data() + at);
  }
}

void times(const std::vector<float>& rows, std::size_t width, const PackedMatrix& matrix, std::vector<float>& out) {
  const std::size_t count = rows.size() / width;
  out.resize(count * matrix.columns());
  multiply(rows.data(), count, width, matrix.view(), out.data(), matrix.columns());
}

void add(const std::vector<float>& what, std::vector<float>& to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += what[i];
}

}  // namespace

std::vector<float> Continuations::run(const std::vector<Group>& groups, const KeyValueBlock* before) {
  const std::size_t width = weights_->shape.width;
  Scratch& work = scratch_;
  std::vector<std::size_t> starts;
  for (const Group& group : groups) {
    starts.push_back(group.block->length());
    group.block->grow(group.rows);
  }
  for (std::size_t layer = 0; layer < weights_->layers.size(); ++layer) {
    const LayerWeights& parts = weights_->layers[layer];
    normalise_rows(work.rows, parts.attention_norm, work.normal);
    times(work.normal, width, parts.attention, work.mixed);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (std::size_t i = 0; i < groups[g].rows; ++i) {
        const float* const row = work.mixed.data() + (groups[g].first_row + i) * 3 * width;
        groups[g].block->store(layer, starts[g] + i, row + width, row + 2 * width);
      }
    }
    attend(layer, groups, before);
    times(work.attended, width, parts.projection, work.added);
    add(work.added, work.rows);
    normalise_rows(work.rows, parts.feed_norm, work.normal);
    times(work.normal, width, parts.widen, work.wide);
    gelu(work.wide.data(), work.wide.size());
    times(work.wide, 4 * width, parts.narrow, work.added);
    add(work.added, work.rows);
  }
  return logits_of_last_rows(groups);
}

void Continuations::attend(std::size_t layer, const std::vector<Group>& groups, const KeyValueBlock* before) {
  const ModelShape& shape = weights_->shape;
  const std::size_t size = shape.head_width();
  const std::size_t count = scratch_.rows.size() / shape.width;
  const std::size_t shared = before == nullptr ? 0 : before->length();
  std::size_t longest = 0;
  for (const Group& group : groups) longest = std::max(longest, whole_panels(group.block->length()));
  // A row of scores: those of the prompt, then those of the sentence itself, each part in whole panels.
  const std::size_t own_begin = whole_panels(shared);
  const std::size_t stride = own_begin + longest;
  scratch_.scores.resize(count * stride);
  scratch_.packed.resize(stride);
  scratch_.of_prompt.resize(count * size);
  scratch_.attended.resize(scratch_.rows.size());
  float* const scores = scratch_.scores.data();
  for (std::size_t head = 0; head < shape.heads; ++head) {
    const float* const queries = scratch_.mixed.data() + head * size;
    float* const out = scratch_.attended.data() + head * size;
    if (shared > 0) multiply(queries, count, 3 * shape.width, before->keys(layer, head), scores, stride);
    for (const Group& group : groups) {
      float* const own = scores + group.first_row * stride + own_begin;
      multiply(queries + group.first_row * 3 * shape.width, group.rows, 3 * shape.width, group.block->keys(layer, head),
               own, stride);
      weigh_own_scores(group, shared, stride);
      multiply(own, group.rows, stride, group.block->values(layer, head), out + group.first_row * shape.width,
               shape.width);
    }
    if (shared == 0) continue;
    multiply(scores, count, stride, before->values(layer, head), scratch_.of_prompt.data(), size);
    for (std::size_t row = 0; row < count; ++row) {
      for (std::size_t i = 0; i < size; ++i) out[row * shape.width + i] += scratch_.of_prompt[row * size + i];
    }
  }
}

/// A token sees the prompt and its own sentence up to itself; what comes later gets the weight zero.
void Continuations::weigh_own_scores(const Group& group, std::size_t shared, std::size_t stride) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(weights_->shape.head_width()));
  const std::size_t own_begin = whole_panels(shared);
  float* const packed = scratch_.packed.data();
  for (std::size_t i = 0; i < group.rows; ++i) {
    float* const row = scratch_.scores.data() + (group.first_row + i) * stride;
    const std::size_t own = group.block->length() - group.rows + i + 1;
    std::memcpy(packed, row, shared * sizeof(float));
    std::memcpy(packed + shared, row + own_begin, own * sizeof(float));
    for (std::size_t j = 0; j < shared + own; ++j) packed[j] *= scale;
    softmax(packed, shared + own);
    std::memcpy(row, packed, shared * sizeof(float));
    std::memcpy(row + own_begin, packed + shared, own * sizeof(float));
    std::fill(row + own_begin + own, row + own_begin + group.block->length(), 0.0F);
  }
}

std::vector<float> Continuations::logits_of_last_rows(const std::vector<Group>& groups) {
  const std::size_t width = weights_->shape.width;
  scratch_.normal.resize(groups.size() * width);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const float* const row = scratch_.rows.data() + (groups[g].first_row + groups[g].rows - 1) * width;
    normalise(row, weights_->last_norm.data(), width, scratch_.normal.data() + g * width);
  }
  times(scratch_.normal, width, weights_->output, scratch_.added);
  const std::size_t columns = weights_->output.columns();
  std::vector<float> out(groups.size() * weights_->shape.vocabulary);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::memcpy(out.data() + g * weights_->shape.vocabulary, scratch_.added.data() + g * columns,
                weights_->shape.vocabulary * sizeof(float));
  }
  return out;
}

}  // namespace steptp::tlm
