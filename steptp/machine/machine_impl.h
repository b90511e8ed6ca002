#pragma once

// Bodies of Machine; included only by the files that make machines.

#include <utility>

#include "steptp/machine/evaluation_impl.h"
#include "steptp/machine/evaluation_integers.h"
#include "steptp/machine/machine.h"

namespace steptp::certify {

template <typename A>
Machine<A>::Machine(const Code& code, A& arithmetic, const InputValues& inputs, Budget& budget)
    : evaluation_(std::make_unique<Evaluation<A>>(code, arithmetic, inputs, budget)) {}

template <typename A>
Machine<A>::Machine(const Code& code, Machine& other, const std::vector<std::uint32_t>& same_as)
    : Machine(code, other.evaluation_->arithmetic, other.evaluation_->inputs, other.evaluation_->budget) {
  evaluation_->store.share_with(other.evaluation_->store, same_as);
}

template <typename A>
Machine<A>::~Machine() = default;

template <typename A>
void Machine<A>::follow_threads(ThreadFolds folds) {
  evaluation_->thread_folds = std::move(folds);
}

template <typename A>
auto Machine<A>::output(std::uint32_t tensor, const std::vector<std::int64_t>& element) -> Result<Answer, Failure> {
  try {
    Answer answer;
    answer.is_real = is_float(evaluation_->code.tensors[tensor].dtype);
    evaluation_->with_last_write(tensor, element, [&](const Instance& instance) {
      if (answer.is_real) {
        evaluation_->real_after(instance, answer.real);
      } else {
        answer.integer = evaluation_->integer_after(instance);
      }
    });
    return answer;
  } catch (Failure& failure) {
    return std::move(failure);
  }
}

template <typename A>
template <typename Opaque>
auto Machine<A>::output_decision(std::uint32_t tensor, const std::vector<std::int64_t>& element)
    -> Result<typename Opaque::Decision, Failure> {
  try {
    typename Opaque::Decision made;
    evaluation_->with_last_write(tensor, element,
                                 [&](const Instance& instance) { made = evaluation_->choices.decide_after(instance); });
    return made;
  } catch (Failure& failure) {
    return std::move(failure);
  }
}

template <typename A>
const std::vector<std::uint8_t>& Machine<A>::outcomes() const {
  return evaluation_->log.outcomes();
}

template <typename A>
std::uint64_t Machine<A>::path() const {
  return evaluation_->log.path();
}

template <typename A>
void Machine<A>::trace(Trace* steps) {
  evaluation_->log.set_trace(steps);
}

template <typename A>
const std::set<std::uint64_t>& Machine<A>::converted() const {
  return evaluation_->log.converted();
}

}  // namespace steptp::certify
