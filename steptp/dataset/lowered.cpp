#include "steptp/dataset/lowered.h"

#include <utility>

namespace steptp::dataset {

Result<TirText, Diagnostic> tir_text_of(const Program& program, tir::Dialect dialect) {
  auto bound = tir::lower(program, dialect, DeviceKind::cuda);
  if (bound) return TirText{std::move(bound).value(), DeviceKind::cuda};
  auto serial = tir::lower(program, dialect, DeviceKind::cpu);
  if (serial) return TirText{std::move(serial).value(), DeviceKind::cpu};
  return serial.error();
}

std::string_view tir_target_name(std::string_view text) {
  return word_of(text.find("T.thread_binding(") == text.npos ? DeviceKind::cpu : DeviceKind::cuda);
}

}  // namespace steptp::dataset
