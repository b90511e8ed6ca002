#include "steptp/certify/ball_arithmetic.h"
#include "steptp/certify/field_arithmetic.h"
#include "steptp/certify/machine_impl.h"

namespace steptp::certify {

template class Machine<FieldArithmetic>;
template class Machine<BallArithmetic>;

}  // namespace steptp::certify
