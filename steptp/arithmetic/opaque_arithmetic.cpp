#include "steptp/arithmetic/opaque_arithmetic.h"

#include "steptp/arithmetic/failure.h"

namespace steptp::certify {

bool OpaqueArithmetic::compare(CompareOp, const Value&, const Value&) {
  fail(FailureKind::unsupported, "an integer depends on a comparison of reals");
}

}  // namespace steptp::certify
