#include "steptp/moves/attention_steps.h"

#include <algorithm>
#include <set>

#include "steptp/base/text.h"
#include "steptp/ir/dtype_facts.h"

namespace steptp {

namespace {

constexpr std::int64_t kGridSide = 65535;  ///< blocks along by and bz, on all devices
constexpr std::int64_t kLanes = 32;        ///< of a unit

bool uses(const Ref& ref, const std::string& index) {
  bool found = false;
  for (const Index& subscript : ref.subscripts) {
    for_each_variable(subscript, [&](const std::string& name) { found = found || name == index; });
  }
  return found;
}

}  // namespace

std::vector<std::uint32_t> below(std::vector<std::uint32_t> items, std::initializer_list<std::uint32_t> path) {
  items.insert(items.end(), path);
  return items;
}

bool AttentionSteps::split(const Items& nest, std::size_t loop, std::int64_t inner) {
  return builder_.step("loop_split", loop_site(nest, loop), {{"inner", inner}, {"kind", "inner"}});
}

bool AttentionSteps::bind(const Items& nest, std::size_t loop, std::string_view axis) {
  return builder_.step("loop_binding", loop_site(nest, loop), {{"axis", axis}, {"multiple", 1}});
}

bool AttentionSteps::exchange(const Items& nest, std::size_t loop, std::size_t with) {
  return builder_.step("loop_reorder", loop_site(nest, loop), {{"with", static_cast<std::int64_t>(with)}});
}

bool AttentionSteps::fuse_all(const Items& nest) {
  for (std::size_t loops = nest_at(nest).loops.size(); loops > 1; --loops) {
    if (!builder_.step("loop_fusion", loop_site(nest, 0), {{"keep", "inner"}})) return false;
  }
  return true;
}

bool AttentionSteps::cache(const Items& nest, std::size_t loop, std::string_view direction, const std::string& of,
                           std::string_view scope, const Copy& copy) {
  Values how = {{"direction", direction}, {"of", of}, {"scope", scope}, {"form", copy.form}};
  if (copy.depth > 1) how.emplace_back("depth", copy.depth);
  if (copy.lanes > 1) how.emplace_back("lanes", copy.lanes);
  return builder_.step("cache_read_write", loop_site(nest, loop), how);
}

bool AttentionSteps::drop(const std::string& tensor) {
  while (true) {
    const std::vector<const Statement*> writers = writers_of(builder_.view(), tensor);
    if (writers.empty()) return true;
    if (!builder_.step("dead_code_elimination", item_site(writers[0]->items))) return false;
  }
}

AttentionSteps::LastDimension AttentionSteps::last_dimension(const std::string& tensor) {
  const Statement* writer = only_writer(builder_.view(), tensor);
  LastDimension out{item_site(writer->items), concat(writer->equation->left->subscripts.size() - 1)};
  out.left.part = Site::Part::left;
  return out;
}

bool AttentionSteps::drop_rounds(const std::string& tensor) {
  const LastDimension last = last_dimension(tensor);
  const Values how = {{"form", "drop"}, {"dimensions", last.dimension}, {"number", 0}};
  return builder_.may_step("set_storage_layout", last.left, how);
}

std::vector<std::string> AttentionSteps::roll(const std::string& tensor) {
  const LastDimension last = last_dimension(tensor);
  std::set<std::string> before;
  for (const auto& [name, facts] : builder_.view().table().tensors) before.insert(name);
  const Values how = {{"form", "rolling"}, {"dimensions", last.dimension}, {"number", 0}};
  if (!builder_.step("set_storage_layout", last.left, how)) return {};
  std::vector<std::string> out = {tensor};
  for (const auto& [name, facts] : builder_.view().table().tensors) {
    if (!before.contains(name)) out.push_back(name);
  }
  return out;
}

bool AttentionSteps::part_round() {
  Items nest = below(rounds_, {2});
  for (; nest_at(nest).items.size() > 1; ++nest.back()) {
    if (!builder_.step("operator_fission", item_site(nest), {{"cut", 1}})) return false;
  }
  const Items outputs = nest_of(names_.share);
  if (outputs.size() == nest.size()) return true;
  Items both = outputs;
  both.pop_back();
  return builder_.step("operator_fission", item_site(both), {{"cut", 1}});
}

std::vector<std::vector<std::string>> AttentionSteps::roll_all() {
  std::vector<std::vector<std::string>> out;
  for (const std::string& tensor : names_.running) {
    const bool is_maximum = tensor == names_.running.front();
    out.push_back(!is_maximum && drop_rounds(tensor) ? std::vector<std::string>{tensor} : roll(tensor));
    if (out.back().empty()) return {};
  }
  return out;
}

AttentionSteps::Items AttentionSteps::nest_of(const std::string& tensor) {
  const Statement* writer = only_writer(builder_.view(), tensor);
  return writer ? Items(writer->items.begin(), writer->items.end() - 1) : Items();
}

const Nest& AttentionSteps::nest_at(const Items& items) const {
  return *std::get<const Nest*>(resolve(builder_.program().nests, item_site(items)));
}

bool AttentionSteps::is_nest(const Items& items) const {
  return std::holds_alternative<const Nest*>(resolve(builder_.program().nests, item_site(items)));
}

/// The first equation below.
const Equation& AttentionSteps::equation_at(Items items) const {
  while (is_nest(items)) items.push_back(0);
  return *std::get<const Equation*>(resolve(builder_.program().nests, item_site(items)));
}

std::string AttentionSteps::word_of_facts(std::string_view name) const {
  for (const auto& [key, value] : builder_.facts().values) {
    if (key == name && value.as_string()) return *value.as_string();
  }
  return {};
}

bool AttentionSteps::make_rounds() {
  return make_recurrences() && follow_copies() && join() && make_blocks() && stage();
}

/// The loops over keys are cut into rounds, which carry the recurrences.
bool AttentionSteps::make_recurrences() {
  const std::size_t keys = parts_.batch + 1;
  std::vector<std::uint32_t> all = {parts_.scores};
  all.insert(all.end(), parts_.between.begin(), parts_.between.end());
  for (const std::uint32_t part : all) chain_.push_back(&builder_.follow(item_site({part})));
  all.insert(all.end(), {parts_.maximum, parts_.sum, parts_.quotient});
  for (const std::uint32_t part : all) {
    if (!split({part}, keys, layout_.keys)) return false;
  }
  if (!split({parts_.product}, keys + 1, layout_.keys)) return false;
  const std::string carry = nest_at({parts_.sum}).loops[keys].index;
  const Values how = {{"loop", carry}, {"form", "deferred"}};
  if (!builder_.step("flashattention_wo_tiling", item_site({parts_.product}), how)) return false;
  sum_ = word_of_facts("sum");
  output_ = word_of_facts("output");
  return true;
}

/// What only copies the result is made in its place.
bool AttentionSteps::follow_copies() {
  result_ = parts_.result;
  for (std::int64_t i = 0; i < layout_.following; ++i) {
    const Statement* writer = only_writer(builder_.view(), result_);
    const Statement* reader = only_reader(builder_.view(), result_);
    if (!writer || !reader) return true;  // found before, so that there is one
    const std::string next = reader->equation->left->tensor;
    if (!builder_.step("compute_inline", item_site(writer->items))) return false;
    result_ = next;
  }
  return layout_.following == 0 || align_result();
}

/// The loops of the result stand in the order of the recurrences'.
bool AttentionSteps::align_result() {
  const Statement& writer = *only_writer(builder_.view(), result_);
  const Items nest(writer.items.begin(), writer.items.end() - 1);
  std::vector<std::string> loops;
  std::vector<std::string> spare;  // what runs once has a number for a subscript
  for (const Loop* loop : writer.loops) {
    loops.push_back(loop->index);
    if (loop->extent == 1) spare.push_back(loop->index);
  }
  std::vector<std::string> wanted;
  for_each_ref(*writer.equation->right, [&](const RefPtr& ref) {
    if (ref->tensor != output_ || !wanted.empty()) return;
    for (std::size_t i = 0; i + 1 < ref->subscripts.size(); ++i) {
      const std::string* name = ref->subscripts[i].as_variable();
      wanted.push_back(name ? *name : spare.empty() ? std::string() : spare.front());
      std::erase(spare, wanted.back());
    }
  });
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto from = static_cast<std::size_t>(std::find(loops.begin(), loops.end(), wanted[i]) - loops.begin());
    if (from == i || from == loops.size()) continue;
    if (!exchange(nest, i, from)) return false;
    std::swap(loops[i], loops[from]);
  }
  return bind_result(nest);
}

/// The loops of the result are over the axes over which the recurrences' are.
bool AttentionSteps::bind_result(const Items& nest) {
  const std::size_t all = nest_at(nest).loops.size();
  for (std::size_t i = 0; i < all; ++i) {
    if (nest_at(nest).loops[i].kind == LoopKind::bound && !bind(nest, i, "none")) return false;
  }
  const std::vector<Loop> wanted = nest_at({only_writer(builder_.view(), sum_)->items[0]}).loops;
  for (std::size_t i = 0; i <= parts_.batch; ++i) {
    const auto axis = axis_of(wanted[i].index);
    if (wanted[i].kind == LoopKind::bound && axis && !bind(nest, i, name_of(*axis))) return false;
  }
  return true;
}

/// Scores, what is made of them, recurrences and result get one header: batch, heads, queries.
bool AttentionSteps::join() {
  std::uint32_t next = only_writer(builder_.view(), sum_)->items[0];
  for (auto part = chain_.rbegin(); part != chain_.rend(); ++part) {
    next -= 1;
    while ((*part)->only() && (*part)->only()->items[0] < next) {
      if (!builder_.step("expression_reorder", *(*part)->only())) return false;
    }
  }
  kernel_ = {next};
  const auto fuse = [&](std::size_t depth) {
    return builder_.step("operator_fusion", item_site(kernel_), {{"depth", static_cast<std::int64_t>(depth)}});
  };
  for (std::size_t i = 0; i < chain_.size(); ++i) {
    if (!fuse(parts_.batch + 2)) return false;
  }
  return fuse(parts_.batch + 1);
}

/// Blocks for each batch and head and so many queries.
bool AttentionSteps::make_blocks() {
  blocks_ = parts_.batch;
  for (; blocks_ > 2; --blocks_) {
    if (!builder_.step("loop_fusion", loop_site(kernel_, 0), {{"keep", "inner"}})) return false;
  }
  if (nest_at(kernel_).loops[blocks_].kind == LoopKind::bound && !bind(kernel_, blocks_, "none")) return false;
  if (!split(kernel_, blocks_, layout_.queries)) return false;
  std::vector<std::string_view> axes = {"bx"};
  if (blocks_ > 0) axes.insert(axes.begin(), "by");
  if (blocks_ > 1) axes.insert(axes.begin(), "bz");
  if (blocks_ > 0 && nest_at(kernel_).loops[0].extent > kGridSide) std::swap(axes.front(), axes.back());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (!bind(kernel_, i, axes[i])) return false;
  }
  return bind_queries();
}

/// The queries of a block go to threads; of several that a thread has, neighbours belong to other threads. Those of a
/// unit are neighbours.
bool AttentionSteps::bind_queries() {
  const std::size_t queries = blocks_ + 1;
  if (layout_.has_units) return split(kernel_, queries, layout_.rows) && bind(kernel_, queries, "ty");
  if (layout_.rows == 1) return bind(kernel_, queries, layout_.threads > 1 ? "ty" : "tx");
  if (!split(kernel_, queries, layout_.queries / layout_.rows) || !exchange(kernel_, queries, queries + 1))
    return false;
  return bind(kernel_, queries, "ty");
}

/// The address of the operand of X=X+a*b that a loop decides, or does not; loops are counted from the innermost.
std::string AttentionSteps::operand(const Items& equation, std::size_t loop, bool decides) {
  const Statement* statement = builder_.view().find_statement(equation);
  const auto found = statement ? find_multiplied(*statement) : std::nullopt;
  if (!found || statement->loops.size() <= loop) return {};
  const std::string& index = statement->loops[statement->loops.size() - 1 - loop]->index;
  return to_text(uses(*found->a, index) == decides ? found->a_site : found->b_site);
}

/// The number of an item of a round: the scores are 0, and what stands between comes before the maximum.
std::uint32_t AttentionSteps::item(std::uint32_t behind_between) const {
  return static_cast<std::uint32_t>(parts_.between.size()) + behind_between;
}

/// The queries of a block, and tiles of keys and values in each round. Halves of the queries are factors of units in
/// all rounds, as they lie in fragments; doubles are not.
bool AttentionSteps::stage() {
  const std::string queries = operand(below(kernel_, {0, 0, 0}), 1, false);
  const bool are_fragments = layout_.has_units && is_narrow_float(*parts_.factors);
  const Copy of_queries = {"plain", 1, are_fragments ? kLanes : 1};
  if (!cache(kernel_, blocks_, "read", queries, layout_.queries_in_s && !are_fragments ? "s" : "l", of_queries)) {
    return false;
  }
  rounds_ = below(kernel_, {1});
  if (!builder_.step("operator_fission", item_site(rounds_), {{"cut", 1}})) return false;
  for (std::size_t loop = query_loops(); loop > 0; --loop) {
    if (!exchange(rounds_, loop - 1, loop)) return false;
  }
  const Copy ahead = {"plain", layout_.buffers, 1};
  if (!cache(rounds_, 0, "read", operand(below(rounds_, {0, 0}), 1, true), "s", ahead)) return false;
  if (!cache(rounds_, 0, "read", operand(below(rounds_, {1, item(7), 0, 0}), 1, true), "s", ahead)) return false;
  find_names();
  return true;
}

void AttentionSteps::find_names() {
  const auto left = [&](std::initializer_list<std::uint32_t> path) {
    return equation_at(below(below(rounds_, {2}), path)).left->tensor;
  };
  for (std::uint32_t i = 0; i <= parts_.between.size(); ++i) names_.scores.push_back(left({i}));
  names_.maximum = left({item(1)});
  names_.factor = left({item(3)});
  names_.weights = left({item(4)});
  names_.sum = left({item(5)});
  names_.share = left({item(7), 0});
  names_.running = {left({item(2)}), left({item(6)}), left({item(7), 1})};
}

bool make_attention_kernel(MoveBuilder& builder, const AttentionParts& parts, const AttentionLayout& layout) {
  AttentionSteps steps(builder, parts, layout);
  if (!steps.make_rounds()) return false;
  if (layout.has_units) return finish_by_units(steps);
  return layout.threads > 1 ? finish_by_group(steps) : finish_by_thread(steps);
}

}  // namespace steptp
