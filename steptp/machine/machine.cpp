#include "steptp/arithmetic/ball_arithmetic.h"
#include "steptp/arithmetic/bound_arithmetic.h"
#include "steptp/arithmetic/field_arithmetic.h"
#include "steptp/arithmetic/ordered_arithmetic.h"
#include "steptp/arithmetic/rounded_arithmetic.h"
#include "steptp/machine/machine_impl.h"

namespace steptp::certify {

template class Machine<FieldArithmetic>;
template class Machine<BallArithmetic>;
template class Machine<RoundedArithmetic>;
template class Machine<OrderedArithmetic>;
template class Machine<BoundArithmetic>;

}  // namespace steptp::certify
