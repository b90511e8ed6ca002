#include "python/src/bindings.h"

NB_MODULE(_steptp, module) {
  using namespace steptp::python;
  module.doc() = "The compiled part of steptp; use the package `steptp`.";
  bind_errors(module);
  bind_program(module);
  bind_read(module);
  bind_check(module);
  bind_run(module);
  bind_verify(module);
  bind_strategies(module);
  bind_lower(module);
  bind_optimize(module);
  bind_search(module);
  bind_estimate(module);
  bind_cursor(module);
  bind_kernel_set(module);
  bind_certified(module);
  bind_tokens(module);
  bind_grammar(module);
  bind_import(module);
  bind_zoo(module);
  bind_workers(module);
  bind_evaluate(module);
  bind_dataset(module);
}
