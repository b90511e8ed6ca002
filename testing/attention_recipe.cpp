#include "testing/attention_recipe.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/recipe/registry.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/online.h"
#include "steptp/text/printer.h"

namespace steptp::testing {

namespace {

struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string text_of(const std::vector<std::uint32_t>& items) { return to_text(item_site(items)); }

class Walk {
 public:
  explicit Walk(Program root) : program_(std::move(root)) {}

  void step(std::string_view strategy, const std::string& at, Values values = {}) {
    Choice choice{*parse_site(at), std::move(values)};
    View view(program_);
    auto applied = apply(*find_strategy(strategy), view, choice);
    if (!applied) throw Refused(concat(to_text(strategy, applied.error()), "\n", print(program_)));
    program_ = std::move(applied->program);
    steps_.push_back({std::string(strategy), std::move(choice)});
  }
  [[nodiscard]] bool allows(std::string_view strategy, const std::string& at) const {
    View view(program_);
    return apply(*find_strategy(strategy), view, {*parse_site(at), {}}).ok();
  }
  void split(const std::string& at, std::int64_t inner) {
    step("loop_split", at, {{"inner", inner}, {"kind", "inner"}});
  }
  void bind(const std::string& at, const std::string& axis) {
    step("loop_binding", at, {{"axis", axis}, {"multiple", 1}});
  }
  void cache(const std::string& at, const std::string& direction, const std::string& of, const std::string& scope) {
    step("cache_read_write", at, {{"direction", direction}, {"of", of}, {"scope", scope}, {"form", "plain"}});
  }
  /// What only this block's threads use: cached, and not written back.
  void keep(const std::string& at, const std::string& tensor, const std::string& scope) {
    cache(at, "write", tensor, scope);
    const AccessTable table = collect_accesses(program_);
    const std::vector<std::size_t>& writes = table.tensors.at(tensor).writes;
    step("dead_code_elimination", text_of(table.statements[table.accesses[writes.at(0)].statement].items));
  }

  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] Recipe steps() && { return std::move(steps_); }

 private:
  Program program_;
  Recipe steps_;
};

/// The address of the only equation that writes a tensor.
std::vector<std::uint32_t> writer_of(const Program& program, const std::string& tensor) {
  const AccessTable table = collect_accesses(program);
  return table.statements[table.accesses[table.tensors.at(tensor).writes.at(0)].statement].items;
}

/// A copy, a scalar, or a tensor times scalars: cheaper to compute again than to keep.
bool is_cheap(const Statement& statement) {
  if (statement.accumulates) return false;
  if (statement.equation->left->subscripts.empty()) return true;
  std::size_t tensors = 0;
  for (const Operand& factor : factors(statement.equation->right)) {
    const auto* read = std::get_if<Read>(&factor.expr->node);
    if (read && !read->ref->subscripts.empty() && !factor.is_inverse) ++tensors;
    const bool scalar = std::holds_alternative<Literal>(factor.expr->node) || (read && read->ref->subscripts.empty()) ||
                        variables_of(*factor.expr).empty();
    if (!scalar && !read) return false;
  }
  return tensors == 1;
}

/// Views, scales and their like go into what reads them.
void inline_copies(Walk& walk) {
  for (bool again = true; again;) {
    again = false;
    for (const Statement& statement : collect_accesses(walk.program()).statements) {
      const std::string at = text_of(statement.items);
      if (!is_cheap(statement) || !walk.allows("compute_inline", at)) continue;
      walk.step("compute_inline", at);
      again = true;
      break;
    }
  }
}

/// The numbers of the expressions of an attention.
struct ExpressionNumbers {
  std::uint32_t scores = 0;
  std::uint32_t masked = 0;
  std::uint32_t maximum = 0;
  std::uint32_t sum = 0;
  std::uint32_t quotient = 0;
  std::uint32_t matmul = 0;
};

ExpressionNumbers find_places(const Program& program) {
  View view(program);
  for (const PlacedNest& nest : view.nests()) {
    const auto sum = find_normal_softmax(view, nest);
    if (!sum) continue;
    const auto pair = find_pair(view, **sum);
    ExpressionNumbers out;
    out.matmul = nest.items[0];
    out.sum = (*sum)->items[0];
    out.maximum = pair->max.place->items[0];
    const auto* masked = std::get_if<Read>(&pair->scores->node);
    if (!masked) throw Refused("the scores are no tensor");
    const std::vector<std::uint32_t> mask = writer_of(program, masked->ref->tensor);
    out.masked = mask[0];
    for (const std::string& tensor : tensors_of(*view.find_statement(mask)->equation->right)) {
      const TensorFacts& facts = view.table().tensors.at(tensor);
      if (facts.writes.size() != 1) continue;
      const Statement& writer = view.table().statements[view.table().accesses[facts.writes[0]].statement];
      if (writer.accumulates == ArithmeticOp::add) out.scores = writer.items[0];
    }
    const std::vector<std::size_t>& reads = view.table().tensors.at(pair->sum.left()->tensor).reads;
    for (const std::size_t read : reads) {
      const Statement& statement = view.table().statements[view.table().accesses[read].statement];
      if (!statement.accumulates) out.quotient = statement.items[0];
    }
    return out;
  }
  throw Refused("no attention");
}

std::string loop_of(const std::string& nest, std::size_t number) { return concat(nest, ":loop[", number, "]"); }

std::int64_t greatest_divisor(std::int64_t number, std::int64_t most) {
  const std::vector<std::int64_t> all = divisors(number);
  return *(std::upper_bound(all.begin(), all.end(), most) - 1);
}

/// Scores, mask, recurrences and result under one header: batch, head, query.
std::string fuse(Walk& walk, ExpressionNumbers at, const AttentionTiles& tiles) {
  for (; at.scores + 1 < at.masked; ++at.scores) walk.step("expression_reorder", concat(at.scores));
  for (const std::uint32_t nest : {at.scores, at.masked, at.maximum, at.sum, at.quotient}) {
    walk.split(loop_of(concat(nest), 3), tiles.keys);
  }
  walk.split(loop_of(concat(at.matmul), 4), tiles.keys);
  const std::string carry = walk.program().nests[at.sum]->loops[3].index;
  walk.step("flashattention_wo_tiling", concat(at.matmul), {{"loop", carry}, {"form", "deferred"}});
  const std::string kernel = concat(at.scores);
  for (const std::int64_t depth : {4, 4, 3}) walk.step("operator_fusion", kernel, {{"depth", depth}});
  return kernel;
}

/// An operand of the product in an equation X=X+a*b.
std::string operand(const std::string& equation, int number) { return concat(equation, ":right.1.", number); }

/// Where what a thread uses all the time lies: in registers, or in `s` where a head leaves no room for it.
struct Homes {
  std::string queries = "l";
  std::string outputs = "l";  ///< a tile's share of the output, and the output so far
};

void stage(Walk& walk, const std::string& kernel, const AttentionTiles& tiles, const Homes& homes) {
  walk.bind(loop_of(kernel, 0), "bz");
  walk.bind(loop_of(kernel, 1), "by");
  walk.split(loop_of(kernel, 2), tiles.queries);
  walk.bind(loop_of(kernel, 2), "bx");
  walk.bind(loop_of(kernel, 3), "tx");
  walk.cache(loop_of(kernel, 2), "read", operand(kernel + "/0/0/0", 0), homes.queries);
  if (homes.queries == "s" && tiles.queries > 1) walk.bind(loop_of(kernel + "/0", 0), "tx");
  walk.step("operator_fission", kernel + "/1", {{"cut", 1}});
  walk.step("loop_reorder", loop_of(kernel + "/1", 0), {{"with", 1}});
  const std::string tile = loop_of(kernel + "/1", 0);
  walk.cache(tile, "read", operand(kernel + "/1/0/0", 1), "s");
  walk.cache(tile, "read", operand(kernel + "/1/1/8/0/0", 1), "s");
}

/// Where the parts of a thread's work stand once keys and values are staged.
struct Names {
  std::vector<std::string>
      of_a_tile;  ///< scores, masked, their maximum, the factor, weights, their sum, share of the output
  std::vector<std::string> running;  ///< maximum, sum, output
};

Names names_of(const Program& program, const std::string& kernel) {
  View view(program);
  const auto left = [&](const std::string& at) {
    return view.find_statement(parse_site(concat(kernel, "/1/2/", at))->items)->equation->left->tensor;
  };
  return {{left("0/0"), left("1/0"), left("2/0"), left("4"), left("5/0"), left("6/0"), left("8/0/0")},
          {left("3"), left("7"), left("8/1")}};
}

void fetch_by_all(Walk& walk, const std::string& kernel, const AttentionTiles& tiles) {
  for (const std::string& nest : {kernel + "/1/0", kernel + "/1/1"}) {
    View view(walk.program());
    const PlacedNest* fetch = view.find_nest(parse_site(nest)->items);
    if (!fetch) continue;  // one element
    if (fetch->nest->loops.size() > 1) walk.step("loop_fusion", loop_of(nest, 0), {{"keep", "inner"}});
    walk.split(loop_of(nest, 0), tiles.queries);
    walk.bind(loop_of(nest, 1), "tx");
  }
}

/// What a tile makes stays with its threads.
void keep_tile(Walk& walk, const std::string& kernel, const std::vector<std::string>& tensors, const Homes& homes) {
  const std::string share = tensors.back();
  for (const std::string& tensor : tensors) {
    if (tensor != share || homes.outputs == "l") walk.keep(loop_of(kernel + "/1/2", 0), tensor, "l");
  }
  if (homes.outputs == "l") return;
  walk.keep(loop_of(kernel + "/1", 0), share, "s");
  // It begins anew with each tile, by the thread that adds to it.
  const std::string zeros = kernel + "/1/2";
  View view(walk.program());
  if (view.find_nest(parse_site(zeros)->items)->nest->loops[0].kind == LoopKind::serial) {
    walk.bind(loop_of(zeros, 0), "tx");
  }
}

/// The recurrences keep their latest value and the one before, and these go into registers.
void roll(Walk& walk, const std::string& kernel, const std::vector<std::string>& running, const Homes& homes) {
  std::vector<std::pair<std::string, std::string>> state;
  for (const std::string& tensor : running) {
    const std::string home = tensor == running.back() ? homes.outputs : "l";
    const AccessTable table = collect_accesses(walk.program());
    const std::size_t last = table.tensors.at(tensor).rank - 1;
    walk.step("set_storage_layout", concat(text_of(writer_of(walk.program(), tensor)), ":left"),
              {{"form", "rolling"}, {"dimensions", concat(last)}, {"number", 0}});
    const AccessTable rolled = collect_accesses(walk.program());
    state.emplace_back(tensor, home);
    for (const auto& [name, facts] : rolled.tensors) {
      if (!table.tensors.contains(name)) state.emplace_back(name, home);
    }
  }
  for (const auto& [tensor, home] : state) walk.keep(loop_of(kernel, 2), tensor, home);
}

Result<AttentionRecipe, std::string> derive_with(const Program& root, const AttentionTiles& most, const Homes& homes) {
  try {
    Walk walk(root);
    inline_copies(walk);
    const ExpressionNumbers places = find_places(walk.program());
    const std::vector<Loop>& loops = walk.program().nests[places.scores]->loops;
    const AttentionTiles tiles = {greatest_divisor(loops[3].extent, most.keys),
                                  greatest_divisor(loops[2].extent, most.queries)};
    const std::string kernel = fuse(walk, places, tiles);
    stage(walk, kernel, tiles, homes);
    const Names names = names_of(walk.program(), kernel);
    keep_tile(walk, kernel, names.of_a_tile, homes);
    fetch_by_all(walk, kernel, tiles);
    roll(walk, kernel, names.running, homes);
    AttentionRecipe out;
    out.kernel = parse_site(kernel)->items[0];
    out.program = walk.program();
    out.steps = std::move(walk).steps();
    return out;
  } catch (const Refused& refused) {
    return std::string(refused.what());
  }
}

}  // namespace

Result<AttentionRecipe, std::string> derive_attention(const Program& root, AttentionTiles most) {
  // Fewer keys at a time are more tiles, of which a recurrence keeps the values until it rolls: [memory] is a matter of
  // tiles, too.
  const auto lacks_room = [](const auto& result) {
    return !result &&
           (result.error().find("[size]") != std::string::npos || result.error().find("[memory]") != std::string::npos);
  };
  auto out = derive_with(root, most, {});
  // A head that leaves less room in registers has its queries in `s`, and fewer keys at a time.
  AttentionTiles few = most;
  if (lacks_room(out)) out = derive_with(root, few, {"s", "l"});
  for (; lacks_room(out) && few.keys > 1; out = derive_with(root, few, {"s", "l"})) few.keys /= 2;
  // One that leaves none at all has its output in `s` too, and there fewer queries share the room.
  few = most;
  for (; lacks_room(out) && few.queries > 0; few.queries /= 2) out = derive_with(root, few, {"s", "s"});
  return out;
}

}  // namespace steptp::testing
