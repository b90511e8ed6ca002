#include "steptp/machine/machine_opaque.h"

#include "steptp/arithmetic/opaque_arithmetic.h"

namespace steptp::certify {

template class Machine<OpaqueArithmetic>;
template Result<OpaqueArithmetic::Decision, Failure> Machine<OpaqueArithmetic>::output_decision<OpaqueArithmetic>(
    std::uint32_t tensor, const std::vector<std::int64_t>& element);

}  // namespace steptp::certify
