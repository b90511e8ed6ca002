#include "replay/sample.h"

#include "replay/check.h"
#include "steptp/base/text.h"

namespace steptp::replayer {

Sample::Sample(const Certificate& certificate, Kind kind, std::uint64_t seed, long bits)
    : numbers(kPrime, bits), draws(certificate, numbers, kind, seed) {
  const Signature& signature = certificate.before.signature;
  leaves.input = [this, &signature](const std::string& name, const std::vector<std::int64_t>& index) -> FormValue {
    const Variable* variable = signature.find(name);
    if (!variable || variable->role == Role::output) {
      throw Refused{concat("a form reads ", name, ", which is not an input")};
    }
    if (!is_inside(variable->shape, index)) throw Undefined{"a form reads out of range of " + name};
    const Value value = draws.input(*variable, index);
    return {value.is_integer, value.integer, value.real};
  };
  leaves.value = [this](std::int64_t number, const std::vector<std::int64_t>& index) {
    return draws.cut(number, index);
  };
  sources.input = [this](const Variable& variable, const std::vector<std::int64_t>& index) {
    return draws.input(variable, index);
  };
  sources.cut = leaves.value;
  if (kind != Kind::sparse) return;
  uniform.input = [this, &signature](const std::string& name, const IndexBox& box) {
    const Variable* variable = signature.find(name);
    return variable && draws.is_uniform(*variable, box);
  };
  uniform.value = [this](std::int64_t number, const IndexBox& box) { return draws.is_uniform(number, box); };
  leaves.uniform = sources.uniform = &uniform;
}

}  // namespace steptp::replayer
