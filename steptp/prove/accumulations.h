#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steptp/prove/flow_room.h"

namespace steptp::forms {

/// What was accumulated since the last plain write: folds over the rounds that a read can see.
class Accumulations : private FlowRoom {
 public:
  explicit Accumulations(FlowParts& parts) : FlowRoom(parts) {}

  /// What an element holds that `base` wrote last, or nobody, and that accumulations were added to since.
  [[nodiscard]] Value accumulated(const std::string& tensor, const std::vector<Affine>& element, std::size_t reader,
                                  const std::vector<Affine>& loops, const CandidateWrite* base, std::size_t writers);

 private:
  /// The value so far, writer by writer.
  struct Total {
    const CandidateWrite* base = nullptr;
    DType dtype = DType::f32;
    std::size_t writers = 0;
    std::optional<Value> start;
    PolynomialId hazard = kHarmless;
    std::optional<PolynomialId> value;
    std::optional<ArithmeticOp> previous_op;
    std::vector<std::size_t> used;
    std::vector<std::size_t> once;  ///< of these, the ones with a single round
    bool is_written = false;        ///< whatever the element
  };
  /// How one writer adds to it.
  struct Manner {
    ArithmeticOp op = ArithmeticOp::add;
    bool is_written_sum = false;
    bool is_written_product = false;
    /// Without a loop of its own it is no accumulation over rounds: its sums are as they are written, in their order.
    bool is_once = false;
    bool is_sole = false;
  };
  [[nodiscard]] std::vector<Piece> pieces(std::size_t writer, const std::vector<Affine>& element, std::size_t reader,
                                          const std::vector<Affine>& loops, const CandidateWrite* base);
  /// Fixes the rounds that the writer shares with its base; false where none of its rounds comes after the base.
  [[nodiscard]] bool begins_after(const CandidateWrite& base, std::size_t writer, const Place& to_reader,
                                  const SolvedWrite& solved, const std::vector<Affine>& loops, Substitution& fixed);
  void begin_writer(std::size_t writer, Total& total);
  [[nodiscard]] Manner manner_of(std::size_t writer, const std::vector<Piece>& found, Total& total);
  void add_piece(std::size_t writer, const Piece& piece, const Manner& manner, Total& total);
  [[nodiscard]] Value killed(const CandidateWrite& candidate);
};

}  // namespace steptp::forms
