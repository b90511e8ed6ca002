#pragma once

#include "steptp/certify/certify.h"
#include "steptp/ir/program.h"
#include "steptp/verify/verify.h"

namespace steptp {

/// The grade `numeric`, for a pair that is not equal by proof or certified evaluation. It is given in one case only,
/// and then only if the outputs agree within their running error bounds in the declared types:
///  the programs have as many decimals, and are equal once each may move by half a unit in the last place of its type.
/// Where evaluation could not decide, a running bound that is wide shows nothing (x%x has no correct digit), so that is
/// no way to be equal.
/// Otherwise the judgement stays as it is: a certified difference is a difference, however small.
void try_numeric(const Program& before, const Program& after, const certify::CertifyOptions& evaluation,
                 Judgement& judgement);

}  // namespace steptp
