#pragma once

#include "steptp/certify/certify.h"
#include "steptp/ir/program.h"
#include "steptp/verify/verify.h"

namespace steptp {

/// The grade `numeric`, for a pair that is not equal by proof or certified evaluation. It is given in two cases only,
/// and then only if the outputs agree within their running error bounds in the declared types:
///  - the arithmetic of the evaluation could not decide (`lacks_precision`), as with a difference that is exactly zero;
///  - the programs have as many decimals, and are equal once each may move by half a unit in the last place of its
///  type.
/// Otherwise the judgement stays as it is: a certified difference is a difference, however small.
void try_numeric(const Program& before, const Program& after, const certify::CertifyOptions& evaluation,
                 bool lacks_precision, Judgement& judgement);

}  // namespace steptp
