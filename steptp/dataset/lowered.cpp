#include "steptp/dataset/lowered.h"

#include <utility>

namespace steptp::dataset {

Result<TirText, Diagnostic> tir_text_of(const Program& program, tir::Dialect dialect) {
  auto bound = tir::lower(program, dialect, tir::Target::cuda);
  if (bound) return TirText{std::move(bound).value(), tir::Target::cuda};
  auto serial = tir::lower(program, dialect, tir::Target::cpu);
  if (serial) return TirText{std::move(serial).value(), tir::Target::cpu};
  return serial.error();
}

std::string_view tir_target_name(std::string_view text) {
  return text.find("T.thread_binding(") == text.npos ? "cpu" : "cuda";
}

}  // namespace steptp::dataset
