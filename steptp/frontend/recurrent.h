#pragma once

#include "steptp/frontend/step.h"

namespace steptp::frontend {

/// Recurrent networks as loops over time: the products with the input for all times at once, then a serial loop
/// whose body computes one step out of the one before. Any number of layers and both directions.
void lstm(const Step& step);
void gru(const Step& step);
void rnn_tanh(const Step& step);
void rnn_relu(const Step& step);

}  // namespace steptp::frontend
