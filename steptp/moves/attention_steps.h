#pragma once

// The steps that one thread for a query and several threads for it have in common, and words for them.

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/moves/attention_kernel.h"

namespace steptp {

/// The tensors of an attention once its recurrences run over rounds of keys.
struct AttentionNames {
  std::vector<std::string> scores;  ///< the scores, and what is made of them
  std::string maximum;              ///< of a round
  std::string factor;               ///< by which what was summed before is multiplied
  std::string weights;
  std::string sum;                   ///< of the weights of a round
  std::string share;                 ///< what a round adds to the output
  std::vector<std::string> running;  ///< maximum, sum, output
};

/// More than thirty functions, because it is a vocabulary: the steps of attention, and the words in which both kernels
/// ask for them.
class AttentionSteps {
 public:
  using Items = std::vector<std::uint32_t>;

  AttentionSteps(MoveBuilder& builder, const AttentionParts& parts, const AttentionLayout& layout)
      : builder_(builder), parts_(parts), layout_(layout) {}

  /// One kernel over blocks and threads of queries, with rounds of staged keys and values. False where a step was
  /// refused, as everywhere here.
  bool make_rounds();

  [[nodiscard]] MoveBuilder& builder() { return builder_; }
  [[nodiscard]] const AttentionParts& parts() const { return parts_; }
  [[nodiscard]] const AttentionLayout& layout() const { return layout_; }
  /// The result, or the last copy of it that the kernel makes.
  [[nodiscard]] const std::string& result() const { return result_; }
  [[nodiscard]] const AttentionNames& names() const { return names_; }
  [[nodiscard]] const Items& kernel() const { return kernel_; }
  /// The nest over rounds; the first items of its body fetch keys and values.
  [[nodiscard]] const Items& rounds() const { return rounds_; }
  /// The position of the innermost loop over blocks.
  [[nodiscard]] std::size_t blocks() const { return blocks_; }
  /// Loops over the threads' queries: one over threads, and where a thread or a unit has several one over these.
  [[nodiscard]] std::size_t query_loops() const { return layout_.rows > 1 || layout_.has_units ? 2 : 1; }

  bool split(const Items& nest, std::size_t loop, std::int64_t inner);
  bool bind(const Items& nest, std::size_t loop, std::string_view axis);
  bool exchange(const Items& nest, std::size_t loop, std::size_t with);
  /// All loops become one.
  bool fuse_all(const Items& nest);
  /// What a copy is besides: wide, several rounds of it in flight, made by the lanes of units.
  struct Copy {
    std::string_view form = "plain";
    std::int64_t depth = 1;
    std::int64_t lanes = 1;
  };
  bool cache(const Items& nest, std::size_t loop, std::string_view direction, const std::string& of,
             std::string_view scope, const Copy& copy);
  bool cache(const Items& nest, std::size_t loop, std::string_view direction, const std::string& of,
             std::string_view scope) {
    return cache(nest, loop, direction, of, scope, Copy());
  }
  /// What a cached tensor would write back is not needed: only this block's threads use it.
  bool drop(const std::string& tensor);
  /// A recurrence keeps its latest value, which makes the next one in its place; false where it cannot.
  bool drop_rounds(const std::string& tensor);
  /// A recurrence keeps its latest value and the one before; the tensors that hold them.
  [[nodiscard]] std::vector<std::string> roll(const std::string& tensor);
  /// Each equation of a round gets a nest of its own, so that threads may share each in their own way.
  bool part_round();
  /// The maximum keeps its latest value and the one before, sum and output the latest only, where they can; the tensors
  /// of each. Nothing where a step was refused.
  [[nodiscard]] std::vector<std::vector<std::string>> roll_all();
  /// The nest of the only equation that writes a tensor.
  [[nodiscard]] Items nest_of(const std::string& tensor);

  [[nodiscard]] const Nest& nest_at(const Items& items) const;
  [[nodiscard]] bool is_nest(const Items& items) const;

 private:
  /// The left side of a recurrence, and its dimension that counts rounds.
  struct LastDimension {
    Site left;
    std::string dimension;
  };
  [[nodiscard]] LastDimension last_dimension(const std::string& tensor);

  bool make_recurrences();
  bool follow_copies();
  bool align_result();
  bool bind_result(const Items& nest);
  bool join();
  bool make_blocks();
  bool bind_queries();
  bool stage();
  void find_names();
  [[nodiscard]] std::string word_of_facts(std::string_view name) const;
  [[nodiscard]] std::string operand(const Items& equation, std::size_t loop, bool decides);
  [[nodiscard]] const Equation& equation_at(Items items) const;
  [[nodiscard]] std::uint32_t item(std::uint32_t behind_between) const;

  MoveBuilder& builder_;
  const AttentionParts& parts_;
  const AttentionLayout& layout_;
  std::vector<const Handle*> chain_;  ///< scores and what is made of them
  std::string sum_;                   ///< the tensor of the running sum
  std::string output_;                ///< of the running output
  std::string result_;
  Items kernel_;
  Items rounds_;
  std::size_t blocks_ = 0;
  AttentionNames names_;
};

[[nodiscard]] std::vector<std::uint32_t> below(std::vector<std::uint32_t> items,
                                               std::initializer_list<std::uint32_t> path);

/// One thread has a query: all that it makes goes into registers.
bool finish_by_thread(AttentionSteps& steps);
/// Several threads have a query: scores and outputs are divided among them, and the rest lies in `s`.
bool finish_by_group(AttentionSteps& steps);
/// Units have so many queries: products by matrix instructions, and all else in fragments.
bool finish_by_units(AttentionSteps& steps);

}  // namespace steptp
