#include "steptp/cursor/facts_json.h"

#include "steptp/recipe/recipe.h"
#include "steptp/text/document.h"

namespace steptp::cursor {

namespace {

Json axes_json(const std::array<std::int64_t, 3>& axes) {
  return Json(Json::Array{Json(axes[0]), Json(axes[1]), Json(axes[2])});
}

Json kernel_json(const estimation::KernelSummary& kernel) {
  Json out;
  out.set("name", kernel.name).set("grid", axes_json(kernel.grid)).set("block", axes_json(kernel.block));
  out.set("shared_bytes", kernel.shared_bytes).set("registers", kernel.registers);
  return out.set("barriers", kernel.barriers);
}

}  // namespace

Json to_json(const std::vector<GroupFacts>& facts) {
  Json::Array out;
  for (const GroupFacts& group : facts) {
    Json::Array kernels;
    for (const estimation::KernelSummary& kernel : group.summary.kernels) kernels.push_back(kernel_json(kernel));
    Json one;
    one.set("first", group.first).set("expressions", group.expressions);
    one.set("structure", word_of_token(group.structure)).set("seconds", group.seconds);
    out.push_back(std::move(one.set("kernels", std::move(kernels))));
  }
  return Json(std::move(out));
}

Json to_json(const Finished& finished) {
  Json out;
  out.set("leir", print_document(finished.moved.program, Profile::paper)).set("plan", steptp::to_json(finished.plan));
  return out.set("recipe", steptp::to_json(finished.moved.recipe));
}

}  // namespace steptp::cursor
