#include "steptp/moves/tiling_kernel.h"

#include <algorithm>

namespace steptp {

namespace {

constexpr std::int64_t kGridZ = 65535;  ///< blocks along bz, on all devices

}  // namespace

Values TilingKernel::cache_values(std::string_view direction, const std::string& of, std::string_view scope,
                                  std::string_view form, bool points, std::int64_t depth) const {
  Values out = {{"direction", direction}, {"of", of}, {"scope", scope}, {"form", form}};
  if (points) out.emplace_back("points", 1);
  if (depth > 1) out.emplace_back("depth", depth);
  if (lanes_ > 1) out.emplace_back("lanes", lanes_);
  return out;
}

const Nest& TilingKernel::nest_at(const Items& items) const {
  return *std::get<const Nest*>(resolve(builder_.program().nests, item_site(items)));
}

bool TilingKernel::is_nest(const Items& items) const {
  return std::holds_alternative<const Nest*>(resolve(builder_.program().nests, item_site(items)));
}

const Equation& TilingKernel::equation_at(Items items) const {
  while (is_nest(items)) items.push_back(0);
  return *std::get<const Equation*>(resolve(builder_.program().nests, item_site(items)));
}

bool TilingKernel::split_result(LoopHeader& header, bool apart) {
  const std::int64_t block_rows = std::min(sizes_.thread_rows * sizes_.rows, header.extent("m"));
  if (!header.split("m", block_rows, "row blocks", "m")) return false;
  if (!header.split("m", std::min(sizes_.rows, block_rows), "row threads", "rows")) return false;
  const std::int64_t block_columns = std::min(sizes_.thread_columns * sizes_.columns, header.extent("n"));
  if (!header.split("n", block_columns, "column blocks", "n")) return false;
  return apart ? columns_apart(header, block_columns) : columns_together(header);
}

bool TilingKernel::columns_apart(LoopHeader& header, std::int64_t block_columns) {
  const std::int64_t group = sizes_.thread_columns * sizes_.vector;
  if (group < block_columns && !header.split("n", group, "groups", "n")) return false;
  const std::int64_t lanes = std::min({sizes_.vector, group, block_columns});
  if (lanes > 1) return header.split("n", lanes, "column threads", "lanes");
  header.rename("n", "column threads");
  return true;
}

bool TilingKernel::columns_together(LoopHeader& header) {
  const std::int64_t columns = std::min(sizes_.columns, header.extent("n"));
  if (!header.split("n", columns, "column threads", "n")) return false;
  const std::int64_t lanes = std::min(sizes_.vector, columns);
  if (lanes > 1) return header.split("n", lanes, "groups", "lanes");
  header.rename("n", "groups");
  return true;
}

bool TilingKernel::arrange(LoopHeader& header, const std::vector<std::string>& roles, bool serial_inside) {
  std::vector<std::string> order;
  const auto add = [&](const std::vector<std::string>& some) {
    for (const std::string& role : some) {
      if (header.has(role)) order.push_back(role);
    }
  };
  std::vector<std::string> parallel;
  std::vector<std::string> serial;
  for (const std::string& role : roles) {
    if (role[0] == 'z') parallel.push_back(role);
    if (role[0] == 's') serial.push_back(role);
  }
  add(parallel);
  add({"row blocks", "column blocks"});
  if (!serial_inside) add(serial);
  add({"rounds", "row threads", "column threads", "depth"});
  if (serial_inside) add(serial);
  add({"channels", "rows", "groups", "lanes"});
  if (!header.arrange(order) || !header.fuse_first(parallel.size())) return false;
  serial_ = serial.size();
  thread_rows_ = header.extent("row threads");
  thread_columns_ = header.extent("column threads");
  return bind_blocks(header, parallel) && header.bind("row threads", "ty") && header.bind("column threads", "tx");
}

bool TilingKernel::bind_blocks(LoopHeader& header, const std::vector<std::string>& parallel) {
  blocks_ = 2;
  std::string column_axis = "bx";
  if (!parallel.empty()) {
    ++blocks_;
    const bool is_long = header.extent(parallel.back()) > kGridZ;
    if (is_long) column_axis = "bz";
    if (!header.bind(parallel.back(), is_long ? "bx" : "bz")) return false;
  }
  return header.bind("row blocks", "by") && header.bind("column blocks", column_axis);
}

bool TilingKernel::keep(const std::string& tensor, std::string_view form, bool points) {
  return builder_.step("cache_read_write", loop_site({expression_}, blocks_ - 1),
                       cache_values("write", tensor, "l", form, points));
}

bool TilingKernel::keep_made(const std::string& tensor, std::string_view form, bool is_used_elsewhere, bool points) {
  return keep(tensor, form, points) && (is_used_elsewhere || drop(tensor));
}

bool TilingKernel::keep_passed_on(const std::string& result, const std::vector<FollowingExpression>& following,
                                  bool points) {
  for (std::size_t i = 0; i + 1 < following.size(); ++i) {
    const FollowingExpression& made = following[i];
    if (made.result != result && !keep_made(made.result, "plain", made.is_used_elsewhere, points)) return false;
  }
  return true;
}

bool TilingKernel::drop(const std::string& tensor) {
  while (true) {
    std::optional<Items> found;
    for (const Statement& statement : builder_.view().table().statements) {
      if (statement.items[0] == expression_ && statement.equation->left->tensor == tensor) found = statement.items;
    }
    if (!found) return true;
    if (!builder_.step("dead_code_elimination", item_site(*found))) return false;
  }
}

bool TilingKernel::copy(const Site& level, const std::string& of, std::string_view scope, std::string_view form,
                        bool points, std::int64_t depth) {
  return builder_.step("cache_read_write", level, cache_values("read", of, scope, form, points, depth));
}

bool TilingKernel::stage(const Site& level, const std::string& of, std::string_view scope, bool points,
                         std::int64_t depth) {
  return builder_.may_step("cache_read_write", level, cache_values("read", of, scope, "fill", points, depth)) ||
         copy(level, of, scope, "plain", points, depth);
}

bool TilingKernel::bind(const Site& loop, std::string_view axis) {
  return builder_.step("loop_binding", loop, {{"axis", axis}, {"multiple", 1}});
}

bool TilingKernel::spread(const Items& nest) {
  const std::int64_t elements = nest_at(nest).loops[0].extent;
  const std::int64_t threads = thread_rows_ * thread_columns_;
  std::size_t at = 0;
  if (elements > threads) {
    if (!builder_.step("loop_split", loop_site(nest, 0), {{"inner", threads}, {"kind", "inner"}})) return false;
    at = 1;
  }
  const std::int64_t columns = std::min(thread_columns_, elements);
  if (!builder_.step("loop_split", loop_site(nest, at), {{"inner", columns}, {"kind", "inner"}})) return false;
  return bind(loop_site(nest, at), "ty") && bind(loop_site(nest, at + 1), "tx");
}

bool TilingKernel::give_to_units(const Items& nest, std::int64_t unit_rows, std::int64_t unit_columns) {
  const auto split = [&](std::size_t loop, std::int64_t inner) {
    return builder_.step("loop_split", loop_site(nest, loop), {{"inner", inner}, {"kind", "inner"}});
  };
  if (!split(0, kLanes)) return false;
  std::size_t at = 0;
  const std::int64_t units = unit_rows * unit_columns;
  if (nest_at(nest).loops[0].extent > units) {
    if (!split(0, units)) return false;
    at = 1;
  }
  if (!split(at, std::min(unit_columns, nest_at(nest).loops[at].extent))) return false;
  if (!bind(loop_site(nest, at), "ty") || !bind(loop_site(nest, at + 1), "tz")) return false;
  if (at == 1) (void)builder_.may_step("loop_unrolling", loop_site(nest, 0));
  return true;
}

bool TilingKernel::set_layout(const Items& nest, bool turns) {
  Items equation = nest;
  while (is_nest(equation)) equation.push_back(0);
  Site left = item_site(equation);
  left.part = Site::Part::left;
  const Values how = {{"form", sizes_.padding > 0 ? "flatten" : "transpose"},
                      {"dimensions", turns ? "1,0" : "0,1"},
                      {"number", sizes_.padding}};
  return builder_.step("set_storage_layout", left, how);
}

bool TilingKernel::fuse_all(const Items& nest, std::size_t loops) {
  for (; loops > 1; --loops) {
    if (!builder_.step("loop_fusion", loop_site(nest, 0), {{"keep", "inner"}})) return false;
  }
  return true;
}

std::int64_t TilingKernel::widest(std::int64_t extent, std::int64_t element_bytes) const {
  std::int64_t lanes = sizes_.vector > 1 ? 16 / element_bytes : 1;
  while (lanes > 1 && extent % lanes != 0) lanes /= 2;
  return lanes;
}

bool TilingKernel::can_be_lanes(const Items& nest, std::size_t position, std::int64_t lanes) {
  MoveBuilder trial(builder_.program(), Tracking::off);
  return trial.step("loop_split", loop_site(nest, position), {{"inner", lanes}, {"kind", "inner"}}) &&
         trial.step("loop_vectorization", loop_site(nest, position + 1));
}

bool TilingKernel::read_by_vectors(const Items& nest, const TiledOperand& operand) {
  if (!is_nest(nest)) return true;
  const std::size_t last = nest_at(nest).loops.size() - 1;
  const std::int64_t extent = nest_at(nest).loops[last].extent;
  const std::int64_t lanes = std::min(extent, widest(extent, operand.is_narrow ? 4 : operand.element_bytes));
  if (sizes_.vector == 1 || lanes == 1) return true;
  if (lanes == extent) {
    (void)builder_.may_step("loop_vectorization", loop_site(nest, last));
    return true;
  }
  if (!can_be_lanes(nest, last, lanes)) return true;
  return builder_.step("loop_split", loop_site(nest, last), {{"inner", lanes}, {"kind", "inner"}}) &&
         builder_.step("loop_vectorization", loop_site(nest, last + 1));
}

void TilingKernel::write_by_vectors(const Items& nest) {
  if (sizes_.vector == 1) return;
  const Site last = loop_site(nest, nest_at(nest).loops.size() - 1);
  if (!builder_.may_step("loop_vectorization", last)) {
    (void)builder_.may_step("loop_vectorization", last, {{"rest", 1}});
  }
}

void TilingKernel::unroll_loops(const Items& nest, std::size_t from) {
  if (!is_nest(nest)) return;
  for (std::size_t i = from; i < nest_at(nest).loops.size(); ++i) {
    if (nest_at(nest).loops[i].kind != LoopKind::serial) continue;
    (void)builder_.may_step("loop_unrolling", loop_site(nest, i));
  }
}

}  // namespace steptp
