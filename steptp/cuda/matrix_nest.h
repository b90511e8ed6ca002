#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "steptp/analysis/matrix_nests.h"
#include "steptp/cuda/fragments.h"
#include "steptp/cuda/groups.h"

namespace steptp::cuda {

/// Writes one equation under T loops for the lanes of a unit: contractions by matrix instructions, reductions over
/// columns by shuffles, everything else element by element where the lanes hold them. Decision 0142.
class MatrixNestWriter {
 public:
  /// `node` is the outermost T loop; `groups` are the contractions of the kernel that four units make together.
  MatrixNestWriter(const lowering::Arrangement& arrangement, const Fragments& fragments,
                   const std::map<std::size_t, GroupProduct>& groups, Speller& speller, Writer& out,
                   const lowering::Node& node);

  /// What cannot be written.
  [[nodiscard]] std::optional<Diagnostic> write();

 private:
  using Loops = std::vector<Loop>;

  // matrix_nest.cpp
  void sort_loops();
  [[nodiscard]] static std::int64_t product_of(const Loops& loops);
  void declare_indices(const Loops& loops, const std::string& flat);
  [[nodiscard]] std::string tile_of(const Ref& ref, bool is_row, const std::string& tile, std::int64_t step);
  [[nodiscard]] std::string element_of(const Ref& ref);
  void replace_fragments(const lowering::Value& value);
  void replace_scalars(const lowering::Value& value);
  void write_elementwise();
  void write_reduction();
  void open_rows();
  void open_columns();
  void open_guards();
  void store_element(const std::string& value);
  [[nodiscard]] bool stores_pairs();
  void store_pair(const std::string& value);
  void fail(std::string message, std::string hint);

  // contraction.cpp
  void write_contraction();
  void load_left();
  void load_right();
  void load_right_matrices(bool is_transposed);
  void multiply_halves();
  void write_group(const GroupProduct& product);
  void multiply_doubles(bool is_large);
  void gather_halves(const Ref& ref, const std::string& words, std::int64_t count, const std::string& fixed,
                     const Loops& fixed_loops, const std::string& k);
  [[nodiscard]] bool has_runs_of_eight(const Ref& ref, const Loops& along);
  void each(const std::string& index, std::int64_t count);
  void declare(const std::string& flat, const std::string& value, const Loops& loops);

  const lowering::Arrangement& arrangement_;
  const Fragments& fragments_;
  const std::map<std::size_t, GroupProduct>& groups_;
  Speller& speller_;
  Writer& out_;
  const lowering::Node& node_;
  const lowering::Node* store_ = nullptr;
  std::vector<const lowering::Value*> guards_;
  Loops loops_;
  Loops rows_, columns_, inner_;
  MatrixNest nest_;
  std::set<std::string> scalars_;  ///< tensors without dimensions that were read already
  std::optional<Diagnostic> problem_;
};

}  // namespace steptp::cuda
