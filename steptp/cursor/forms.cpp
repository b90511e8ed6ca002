#include "steptp/cursor/forms.h"

#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/ir/dtype_facts.h"
#include "steptp/moves/joint_blocks.h"
#include "steptp/moves/matrix_tiling.h"
#include "steptp/moves/parts.h"
#include "steptp/moves/row_chain.h"

namespace steptp::cursor {

namespace {

constexpr std::int64_t kMostThreads = 1024;
constexpr std::int64_t kMostKept = 64;

/// "1" where it divides, "0" where it does not.
std::string_view divides(std::int64_t part, std::int64_t whole) { return whole % part == 0 ? "1" : "0"; }

Candidate one_move(std::string_view move, Values values, const Values& implied, std::string alike) {
  Values all = values;
  all.insert(all.end(), implied.begin(), implied.end());
  return {std::move(values), {planned_move(move, 0, std::move(all))}, std::move(alike)};
}

std::int64_t elements_of(const Statement& statement) { return iterations(axes_of(statement).spatial); }

/// Whether one of the expressions folds halves: those are summed in f32.
std::string sums_of(View& view, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const Statement* statement = only_statement(view, i);
    if (!statement || !statement->accumulates) continue;
    if (is_narrow_float(view.table().tensors.at(statement->equation->left->tensor).dtype)) return "wide";
  }
  return "plain";
}

CandidateList maps(View& view) {
  CandidateList out{"map", {"flat", "width", "rounds", "threads"}, {}};
  const Statement* statement = only_statement(view, 0);
  const std::int64_t elements = statement ? elements_of(*statement) : 0;
  for (const std::int64_t threads : {32, 64, 128, 256, 512, 1024}) {
    for (const std::int64_t width : {1, 2, 4, 8}) {
      const Values values = {{"flat", 0}, {"width", width}, {"rounds", 1}, {"threads", threads}};
      out.candidates.push_back(one_move("map", values, {}, concat("0 ", width, " ", threads)));
      for (const std::int64_t rounds : {1, 2, 4}) {
        const std::int64_t row = threads * width * rounds;
        if (elements < row) continue;
        const Values flat = {{"flat", 1}, {"width", width}, {"rounds", rounds}, {"threads", threads}};
        out.candidates.push_back(
            one_move("map", flat, {}, concat("1 ", width, " ", rounds, " ", divides(row, elements))));
      }
    }
  }
  return out;
}

/// A fold and what is made of each of its values, an element for each thread.
CandidateList epilogues(View& view) {
  CandidateList out{"epilogue", {"threads"}, {}};
  const Statement* statement = only_statement(view, 0);
  const Statement* next = only_statement(view, 1);
  if (!statement || !statement->accumulates || !next || !is_elementwise(*next)) return out;
  for (const std::int64_t threads : {32, 64, 128, 256, 512, 1024}) {
    const Values map = {{"threads", threads}, {"width", 1}, {"flat", 0}, {"rounds", 1}};
    out.candidates.push_back({{{"threads", threads}},
                              {planned_move("inline", 1, {{"form", "epilogue"}}), planned_move("map", 0, map)},
                              std::to_string(threads)});
  }
  return out;
}

struct RowLayoutValues {
  std::int64_t threads;
  std::int64_t rows;
  std::string_view order;
  std::int64_t vector;
  std::int64_t keep;
};

bool is_row_layout(const RowChain& chain, const RowLayoutValues& layout) {
  const std::int64_t rows = chain.rows.empty() ? 1 : chain.rows.back();
  const std::int64_t length = chain.length();
  if (layout.rows > rows || layout.threads * layout.rows > kMostThreads || layout.threads * layout.rows == 1) {
    return false;
  }
  if (layout.threads > 32 && (layout.threads * 2 > length || layout.rows > 1)) return false;
  const bool is_plain = layout.vector == 1 && layout.keep == 0;
  if (layout.order == "column" && (layout.rows == 1 || layout.threads == 1 || !is_plain)) return false;
  if (layout.vector > 1 && (layout.threads == 1 || length % layout.vector != 0)) return false;
  if (layout.vector > 1 && length < layout.vector * layout.threads) return false;
  return layout.keep == 0 || (!chain.row_data.empty() && (length + layout.threads - 1) / layout.threads <= kMostKept);
}

/// What strategies accept depends on the sizes themselves where there are vectors or several rows.
std::string alike_rows(const RowChain& chain, const RowLayoutValues& layout) {
  const std::string_view size = layout.threads == 1 ? "one" : layout.threads <= 32 ? "warp" : "block";
  if (layout.vector == 1 && layout.rows == 1) {
    return concat(size, " ", layout.keep, " ", divides(layout.threads, chain.length()));
  }
  return concat(layout.threads, " ", layout.rows, " ", layout.order, " ", layout.vector, " ", layout.keep);
}

/// Elements of a vector of 16 bytes: of the narrowest tensor that a row is read from.
std::int64_t lanes_of(View& view, const RowChain& chain) {
  std::int64_t bytes = 8;
  for (const std::string& tensor : chain.row_data) {
    bytes = std::min<std::int64_t>(bytes, info(view.table().tensors.at(tensor).dtype).bytes);
  }
  return std::min<std::int64_t>(16 / bytes, 8);
}

CandidateList row_kernels(View& view, std::uint32_t count) {
  CandidateList out{"rows", {"threads", "rows", "order", "vector", "keep"}, {}};
  RowChain chain = find_row_chain(view, 0);
  if (chain.parts.size() < count) return out;
  chain.parts.resize(count);
  if (!chain.reduces()) return out;
  const Values implied = {{"expressions", static_cast<std::int64_t>(count)}, {"sums", sums_of(view, count)}};
  const std::int64_t lanes = lanes_of(view, chain);
  for (const std::int64_t threads : {1, 8, 16, 32, 64, 128, 256, 512, 1024}) {
    for (const std::int64_t some : {1, 2, 4, 8, 16, 32, 64, 128}) {
      for (const std::string_view order : {"row", "column"}) {
        for (const std::int64_t vector : {std::int64_t{1}, lanes}) {
          for (const std::int64_t keep : {0, 1}) {
            const RowLayoutValues layout = {threads, some, order, vector, keep};
            if (!is_row_layout(chain, layout)) continue;
            const Values values = {
                {"threads", threads}, {"rows", some}, {"order", order}, {"vector", vector}, {"keep", keep}};
            out.candidates.push_back(one_move("rows", values, implied, alike_rows(chain, layout)));
          }
        }
      }
    }
  }
  return out;
}

/// Two kernels; what has only a value for each row goes into the second.
CandidateList stages(View& view, std::uint32_t count) {
  CandidateList out{"stages", {"parts", "threads", "vector"}, {}};
  const RowChain chain = find_row_chain(view, 0);
  if (chain.parts.empty() || chain.parts[0].kind != RowPart::Kind::reduce) return out;
  const std::int64_t length = chain.parts[0].length;
  const std::int64_t lanes = lanes_of(view, chain);
  const Values implied = {{"sums", sums_of(view, count)}};
  for (const std::int64_t parts : decision_numbers()) {
    if (parts < 2 || length % parts != 0) continue;
    for (const std::int64_t threads : {32, 64, 128, 256, 512}) {
      for (const std::int64_t vector : {std::int64_t{1}, lanes}) {
        const std::int64_t part = length / parts;
        if (part % vector != 0 || part / vector < 2 || part / vector < threads) continue;
        const Values values = {{"parts", parts}, {"threads", threads}, {"vector", vector}};
        out.candidates.push_back(one_move("stages", values, implied, concat(parts, " ", threads, " ", vector)));
        out.candidates.back().kernels = 2;
      }
    }
  }
  return out;
}

CandidateList joins(View& view, std::uint32_t count) {
  CandidateList out{"join", {"axes", "rows", "threads"}, {}};
  if (count < 2) return out;
  const auto found = find_joint_blocks(view, 0, count);
  if (!found) return out;
  const Values implied = {{"expressions", static_cast<std::int64_t>(count)}, {"sums", sums_of(view, count)}};
  for (std::size_t axes = 1; axes <= std::min<std::size_t>(found->extents.size(), 3); ++axes) {
    for (const std::int64_t some : {1, 2, 4, 8}) {
      if (some > found->extents[axes - 1]) continue;
      for (const std::int64_t threads : {64, 128, 256}) {
        const Values values = {{"axes", static_cast<std::int64_t>(axes)}, {"rows", some}, {"threads", threads}};
        out.candidates.push_back(one_move("join", values, implied, concat(axes, " ", some, " ", threads)));
      }
    }
  }
  return out;
}

CandidateList online(View& view, std::uint32_t count) {
  CandidateList out{"online", {"kind", "rows"}, {}};
  struct Kind {
    std::string_view word;
    std::uint32_t before;  ///< expressions that come before the one that is named
  };
  // A running maximum or sum alone is no better than `rows`.
  for (const Kind& kind : {Kind{"exponentials", 1}, Kind{"softmax", 1}}) {
    if (count <= kind.before) continue;
    const Statement* statement = only_statement(view, kind.before);
    if (!statement || !statement->accumulates || find_contraction(*statement)) continue;
    for (const std::int64_t some : {4, 8, 16, 32, 64, 128}) {
      Candidate candidate;
      candidate.values = {{"kind", kind.word}, {"rows", some}};
      Values all = candidate.values;
      all.emplace_back("following", static_cast<std::int64_t>(count - kind.before - 1));
      candidate.moves = {planned_move("online", kind.before, std::move(all))};
      candidate.alike = concat(kind.word, " ", some);
      candidate.kernels = 1;
      out.candidates.push_back(std::move(candidate));
    }
  }
  return out;
}

/// Tiles of matrix instructions: whole instructions for each unit, and what the limits of the move allow. Which choices
/// strategies accept depends on where tiles leave a rest.
CandidateList matrices(View& view, std::uint32_t count, const Device& device) {
  CandidateList out{"matrix", {"unit_rows", "unit_columns", "rows", "columns", "depth", "buffers", "swizzle"}, {}};
  const std::int64_t following = static_cast<std::int64_t>(count) - 1;
  const auto found = find_matrix_product(view, item_site({0}), following);
  if (!found) return out;
  const auto add = [&](const MatrixSizes& sizes) {
    const std::int64_t staged =
        sizes.block_rows() * found->what.left.element_bytes + sizes.block_columns() * found->what.right.element_bytes;
    if (staged * sizes.depth * sizes.buffers > device.shared_bytes) return;
    if (refuse_matrix_sizes(item_site({0}), *found, sizes)) return;
    Candidate candidate;
    candidate.values = {{"unit_rows", sizes.unit_rows}, {"unit_columns", sizes.unit_columns},
                        {"rows", sizes.rows},           {"columns", sizes.columns},
                        {"depth", sizes.depth},         {"buffers", sizes.buffers},
                        {"swizzle", sizes.group}};
    Values all = candidate.values;
    all.back().first = "group";
    all.emplace_back("following", following);
    candidate.moves = {planned_move("matrix", 0, std::move(all))};
    candidate.alike = concat(divides(sizes.block_rows(), found->rows), divides(sizes.block_columns(), found->columns),
                             divides(sizes.depth, found->depth), " ", std::min<std::int64_t>(sizes.buffers, 2), " ",
                             sizes.group, " ", sizes.unit_rows * sizes.unit_columns);
    out.candidates.push_back(std::move(candidate));
  };
  const MatrixShape& shape = found->shape;
  for (const std::int64_t unit_rows : {1, 2, 4}) {
    for (const std::int64_t unit_columns : {1, 2, 4}) {
      for (const std::int64_t rows : {1, 2, 4}) {
        for (const std::int64_t columns : {1, 2, 4, 8}) {
          for (const std::int64_t depth : {1, 2, 4}) {
            for (const std::int64_t buffers : {1, 2, 3, 4}) {
              for (const std::int64_t group : {1, 8}) {
                add({unit_rows, unit_columns, rows * shape.rows, columns * shape.columns, depth * shape.inner, buffers,
                     group});
              }
            }
          }
        }
      }
    }
  }
  return out;
}

/// What is proposed for optimizing, as it is: each of these is tried by itself.
struct ProposedKind {
  std::string_view move;
  std::vector<std::string_view> parameters;
};
const std::vector<ProposedKind>& proposed_kinds() {
  static const std::vector<ProposedKind> kKinds = {
      {"window",
       {"form", "image", "thread_rows", "thread_columns", "rows", "columns", "channels", "depth", "vector", "padding"}},
      {"scan", {"part", "rows", "keep"}},
      {"flash", {"queries", "keys", "threads", "rows", "scores", "staged"}},
  };
  return kKinds;
}

CandidateList proposed(const ProposedKind& kind, const std::vector<Proposal>& proposals) {
  CandidateList out{kind.move, kind.parameters, {}};
  for (const Proposal& proposal : proposals) {
    if (proposal.moves.size() != 1 || proposal.moves[0].move != kind.move) continue;
    Candidate candidate;
    for (const std::string_view name : kind.parameters) {
      for (const auto& [key, value] : proposal.moves[0].choice.values) {
        if (key == name) candidate.values.emplace_back(key, value);
      }
    }
    candidate.moves = proposal.moves;
    candidate.alike = std::to_string(out.candidates.size());
    out.candidates.push_back(std::move(candidate));
  }
  return out;
}

}  // namespace

std::vector<CandidateList> candidates_of(View& section, std::uint32_t count, const std::vector<Proposal>& proposals,
                                         const PlanTarget& target) {
  std::vector<CandidateList> all;
  if (count == 1) all.push_back(maps(section));
  if (count == 2) all.push_back(epilogues(section));
  all.push_back(row_kernels(section, count));
  if (!target.is_cpu()) all.push_back(stages(section, count));
  if (!target.is_cpu()) all.push_back(matrices(section, count, *target.device));
  all.push_back(joins(section, count));
  all.push_back(online(section, count));
  for (const ProposedKind& kind : proposed_kinds()) all.push_back(proposed(kind, proposals));
  std::erase_if(all, [](const CandidateList& list) { return list.candidates.empty(); });
  return all;
}

}  // namespace steptp::cursor
