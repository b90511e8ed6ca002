#include "steptp/certify/ball_arithmetic.h"
#include "steptp/certify/bound_arithmetic.h"
#include "steptp/certify/field_arithmetic.h"
#include "steptp/certify/machine_folds.h"
#include "steptp/certify/machine_impl.h"
#include "steptp/certify/machine_lanes.h"
#include "steptp/certify/machine_open.h"
#include "steptp/certify/machine_threads.h"
#include "steptp/certify/machine_writes.h"
#include "steptp/certify/ordered_arithmetic.h"
#include "steptp/certify/rounded_arithmetic.h"

namespace steptp::certify {

template class Machine<FieldArithmetic>;
template class Machine<BallArithmetic>;
template class Machine<RoundedArithmetic>;
template class Machine<OrderedArithmetic>;
template class Machine<BoundArithmetic>;

}  // namespace steptp::certify
