#pragma once

#include "steptp/frontend/call_lowering.h"

namespace steptp::frontend {

/// Recurrent networks as loops over time: the products with the input for all times at once, then a serial loop
/// whose body computes one step out of the one before. Any number of layers and both directions.
void lstm(const CallLowering& call);
void gru(const CallLowering& call);
void rnn_tanh(const CallLowering& call);
void rnn_relu(const CallLowering& call);

}  // namespace steptp::frontend
