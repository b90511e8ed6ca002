#include "steptp/arithmetic/opaque_arithmetic.h"
#include "steptp/machine/machine_impl.h"

namespace steptp::certify {

template class Machine<OpaqueArithmetic>;
template Result<OpaqueArithmetic::Decision, Failure> Machine<OpaqueArithmetic>::output_decision<OpaqueArithmetic>(
    std::uint32_t tensor, const std::vector<std::int64_t>& element);

}  // namespace steptp::certify
