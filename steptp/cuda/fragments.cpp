#include "steptp/cuda/fragments.h"

#include "steptp/analysis/matrix_nests.h"
#include "steptp/base/text.h"

namespace steptp::cuda {

Result<Fragments, Diagnostic> Fragments::of(const lowering::Arrangement& arrangement,
                                            const lowering::ArrangedKernel& kernel) {
  Fragments out;
  if (kernel.fragments.empty()) return out;
  const auto rows = fragment_rows(arrangement.table, kernel.statements);
  if (!rows) return lowering::cannot_lower(rows.error().message, rows.error().site, rows.error().hint);
  for (const std::string& name : kernel.fragments) {
    const lowering::Buffer& buffer = arrangement.buffers.at(name);
    if (!rows->contains(name)) {
      const std::string tensor = name.substr(0, name.find('_'));
      return lowering::cannot_lower(concat(tensor, ", which is in f, accumulates with several operators"), kernel.site,
                                    "write what comes of one of them into a tensor of its own");
    }
    Fragment made;
    made.dtype = buffer.dtype;
    made.row_rank = rows->at(name);
    made.has_columns = buffer.shape.size() > made.row_rank;
    for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
      (i < made.row_rank ? made.rows : made.columns) *= buffer.shape[i];
    }
    if (made.row_rank == 0) {
      return lowering::cannot_lower(concat(name, ", which is in f, has no rows, and lanes hold rows"), kernel.site,
                                    "keep it in s");
    }
    out.all_.emplace(name, made);
  }
  return out;
}

void Fragments::declare(const lowering::Arrangement& arrangement, Speller& speller, Writer& out) const {
  for (const auto& [name, fragment] : all_) {
    const std::string type(fragment.is_packed() ? "unsigned" : memory_type(fragment.dtype));
    std::string shape = concat("[", fragment.row_tiles(), "]");
    if (fragment.has_columns) append(shape, "[", fragment.column_tiles(), "]");
    if (fragment.has_columns && !fragment.is_packed()) shape += "[2]";
    out.line(type, " ", name, shape, ";");
    const lowering::ValuePtr& initial = arrangement.buffers.at(name).initial;
    if (!initial) continue;
    out.line("#pragma unroll");
    out.open("for (int stp_i = 0; stp_i < ", fragment.row_tiles(), "; ++stp_i)");
    if (!fragment.has_columns) {
      out.line(name, "[stp_i] = ", speller.value(*initial), ";");
    } else {
      out.line("#pragma unroll");
      out.open("for (int stp_j = 0; stp_j < ", fragment.column_tiles(), "; ++stp_j)");
      if (fragment.is_packed()) {
        out.line("stp_set_half(", name, "[stp_i][stp_j], 0, ", speller.value(*initial), ");");
        out.line("stp_set_half(", name, "[stp_i][stp_j], 1, ", speller.value(*initial), ");");
      } else {
        out.line(name, "[stp_i][stp_j][0] = ", name, "[stp_i][stp_j][1] = ", speller.value(*initial), ";");
      }
      out.close();
    }
    out.close();
  }
}

}  // namespace steptp::cuda
