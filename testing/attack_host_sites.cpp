#include <algorithm>
#include <cmath>
#include <map>

#include "steptp/documents/zoo_program.h"
#include "testing/attack_hosts.h"
#include "testing/equal_pairs.h"
#include "testing/generator.h"
#include "testing/generator_context.h"

namespace steptp::testing {

namespace {

/// Evaluations of one output element; elements that need more are left alone.
constexpr std::uint64_t kSteps = 60000;

DType drawn_float(Random& random) {
  static constexpr DType kTypes[] = {DType::f32, DType::f64, DType::f16, DType::bf16};
  return kTypes[random.below(std::size(kTypes))];
}

std::optional<Program> zoo_host(Random& random) {
  const auto& types = zoo::all_types();
  const zoo::ProgramType& type = types[random.below(types.size())];
  const DType dtype = random.chance(2, 3) ? DType::f32 : DType::f16;
  zoo::Arguments arguments;
  if (random.chance(2, 3)) {
    for (const zoo::ArgumentRange& range : type.arguments) {
      if (!range.is_integer || !range.choices.empty() || range.high - range.low < 16) continue;
      arguments[range.name] = static_cast<double>(random.between(3, 24));
    }
  }
  auto made = zoo_program(type.name, arguments, dtype);
  if (!made) made = zoo_program(type.name, {}, dtype);
  if (!made) return std::nullopt;
  return std::move(made->program);
}

std::optional<Program> draw_host(Random& random, std::string& name) {
  switch (random.below(4)) {
    case 0:
      name = "generated";
      {
        GeneratorOptions options;
        options.max_operations = 3000;
        return generate_program(random, options);
      }
    case 1:
      name = "written";
      return written_program(random.below(written_kinds()), drawn_float(random), random.between(9, 70),
                             2 * random.between(5, 60), random.between(3, 40));
    default: name = "zoo"; return zoo_host(random);
  }
}

OutputElement draw_element(const Signature& signature, Random& random) {
  std::vector<const Variable*> outputs;
  for (const Variable& variable : signature.variables) {
    if (variable.role == Role::output) outputs.push_back(&variable);
  }
  const Variable& output = *outputs[random.below(outputs.size())];
  OutputElement element{output.name, {}};
  for (const std::int64_t dimension : output.shape) {
    const std::uint64_t kind = random.below(4);
    element.second.push_back(kind == 0 ? 0 : kind == 1 ? dimension - 1 : random.between(0, dimension - 1));
  }
  return element;
}

bool reads_tensor(const Expr& expr, const std::string& tensor) {
  bool found = false;
  for_each_ref(expr, [&](const RefPtr& ref) { found = found || ref->tensor == tensor; });
  return found;
}

/// The parts of a right side that are values and do not touch the accumulator.
void collect_targets(const ExprPtr& expr, const std::string& avoided, std::vector<ExprPtr>& out) {
  if (is_condition(*expr)) return;
  if (avoided.empty() || !reads_tensor(*expr, avoided)) out.push_back(expr);
  const std::size_t first = std::holds_alternative<Select>(expr->node) ? 1 : 0;
  const std::size_t last = std::holds_alternative<Power>(expr->node) ? 1 : child_count(*expr);
  for (std::size_t i = first; i < last; ++i) collect_targets(child(*expr, i), avoided, out);
}

bool holds(const Domain& domain, double value) {
  switch (domain.kind) {
    case Domain::Kind::unstated:
    case Domain::Kind::masked:
    case Domain::Kind::any: return true;
    case Domain::Kind::positive: return value > 0;
    case Domain::Kind::nonzero: return value != 0;
    case Domain::Kind::range: return domain.low <= value && value < domain.high;
  }
  return false;
}

/// Sets the element that an input read of the statement reads to a value at which much happens.
void set_special(HostSite& site, Meaning& meaning, const ExprPtr& read, Random& random) {
  static constexpr double kSpecial[] = {0, 0, 0, 1, -1, 2.5, -0.5, 2048, -2048, 0.0009765625};
  const Ref& ref = *std::get<Read>(read->node).ref;
  const Variable* variable = site.program.signature.find(ref.tensor);
  if (!variable || variable->role == Role::output || !is_float(variable->dtype) || !variable->values.empty()) return;
  const double value = kSpecial[random.below(std::size(kSpecial))];
  const auto subscripts = meaning.subscripts_at(site.instance, ref);
  if (!subscripts || !holds(variable->domain, value)) return;
  std::int64_t position = 0;
  for (std::size_t i = 0; i < subscripts->size(); ++i) position = position * variable->shape[i] + (*subscripts)[i];
  site.inputs.set[ref.tensor][position] = input_real(value);
}

/// The exact value of an expression at the site, where it is one that a literal can write down.
std::optional<mpq_class> exact_value(Meaning& meaning, Reals& reals, const Instance& instance, const ExprPtr& expr) {
  const Meant value = meaning.expression_at(instance, expr);
  if (!value.is_number()) return std::nullopt;
  const mpq_class* exact = reals.as_rational(value.number);
  if (!exact || !std::isfinite(exact->get_d()) || exact_decimal(exact->get_d()) != *exact) return std::nullopt;
  return *exact;
}

/// One of the executions, every statement as likely as the others.
Instance draw_instance(const std::vector<Instance>& executed, Random& random) {
  std::map<std::size_t, std::vector<const Instance*>> by_statement;
  for (const Instance& one : executed) by_statement[one.statement].push_back(&one);
  auto chosen = by_statement.begin();
  std::advance(chosen, static_cast<std::ptrdiff_t>(random.below(by_statement.size())));
  return *chosen->second[random.below(chosen->second.size())];
}

/// The part of the right side that is changed, and data that may decide about it.
bool choose_parts(HostSite& site, Meaning& meaning, Random& random) {
  std::vector<ExprPtr> targets;
  collect_targets(site.equation->right, site.accumulates ? site.equation->left->tensor : "", targets);
  if (targets.empty()) return false;
  site.target = targets[random.below(targets.size())];
  std::vector<ExprPtr> reads;
  for (const ExprPtr& one : targets) {
    const auto* read = std::get_if<Read>(&one->node);
    if (read && is_float(read->ref->dtype)) reads.push_back(one);
  }
  if (reads.empty()) return true;
  site.data = reads[random.below(reads.size())];
  if (random.chance(1, 2)) set_special(site, meaning, site.data, random);
  return true;
}

void note_values(HostSite& site, Reals& reals) {
  Meaning meaning(site.program, site.inputs, reals, kSteps);
  if (site.data) {
    const auto exact = exact_value(meaning, reals, site.instance, site.data);
    if (exact) site.data_value = exact->get_d();
    if (!exact) site.data = nullptr;
  }
  const auto type = meaning.program().type_of(*site.target);
  site.target_is_float = type && is_float(type->dtype);
  if (const auto exact = exact_value(meaning, reals, site.instance, site.target)) {
    site.target_value = *exact;
    site.target_is_exact = true;
  }
}

}  // namespace

std::optional<HostSite> draw_site(Random& random) {
  HostSite site;
  auto program = draw_host(random, site.host);
  if (!program) return std::nullopt;
  site.program = std::move(*program);
  site.inputs.seed = random.below(1000000);
  site.element = draw_element(site.program.signature, random);
  Reals reals;
  Meaning meaning(site.program, site.inputs, reals, kSteps);
  const Meant value = meaning.element(site.element.first, site.element.second);
  if (!value.is_number() && !value.is_infinite()) return std::nullopt;
  site.instance = draw_instance(meaning.executed(), random);
  const MeaningStatement& statement = meaning.program().statements()[site.instance.statement];
  site.equation = statement.equation;
  // The entries point into nests that the evaluator's copy of the program shares with this one.
  site.entries = statement.entries;
  site.accumulates = statement.accumulates;
  if (!choose_parts(site, meaning, random)) return std::nullopt;
  note_values(site, reals);
  return site;
}

namespace {

NestPtr replaced(const NestPtr& nest, const EquationPtr& from, const EquationPtr& to) {
  std::vector<Item> items = nest->items;
  for (Item& item : items) {
    if (auto* equation = std::get_if<EquationPtr>(&item)) {
      if (*equation == from) *equation = to;
    } else {
      item = replaced(std::get<NestPtr>(item), from, to);
    }
  }
  return make_nest(nest->loops, nest->guard, std::move(items));
}

ExprPtr replaced(const ExprPtr& expr, const ExprPtr& from, const ExprPtr& to, bool& done) {
  if (expr == from && !done) {
    done = true;
    return to;
  }
  std::vector<ExprPtr> parts;
  for (std::size_t i = 0; i < child_count(*expr); ++i) parts.push_back(replaced(child(*expr, i), from, to, done));
  return parts.empty() ? expr : with_children(expr, parts);
}

}  // namespace

Program with_equation(const Program& program, const EquationPtr& from, const EquationPtr& to) {
  Program out = program;
  for (NestPtr& nest : out.nests) nest = replaced(nest, from, to);
  return out;
}

Program with_target(const HostSite& site, const ExprPtr& replacement) {
  bool done = false;
  const ExprPtr right = replaced(site.equation->right, site.target, replacement, done);
  return with_equation(site.program, site.equation, make_equation(site.equation->left, right));
}

namespace {

struct LoopAt {
  ExprPtr index;
  std::int64_t value = 0;
};

std::vector<LoopAt> loops_at(const HostSite& site) {
  std::vector<LoopAt> loops;
  for (std::size_t i = 0; i < site.entries.size(); ++i) {
    const Loop* loop = site.entries[i].loop;
    if (loop && loop->extent > 1) loops.push_back({make_expr(IndexValue{loop->index}), site.instance.stamp[i]});
  }
  return loops;
}

/// (37*i + 101*j + ...) % 9973 == what it is there.
ExprPtr scattered_condition(const std::vector<LoopAt>& loops) {
  static constexpr std::int64_t kFactors[] = {37, 101, 211, 307, 401, 503};
  ExprPtr sum;
  std::int64_t value = 0;
  for (std::size_t i = 0; i < loops.size() && i < std::size(kFactors); ++i) {
    ExprPtr term = make_product(loops[i].index, ArithmeticOp::multiply, integer_literal(kFactors[i]));
    sum = sum ? make_sum(sum, ArithmeticOp::add, term) : term;
    value += loops[i].value * kFactors[i];
  }
  return compare_two(make_product(sum, ArithmeticOp::modulo, integer_literal(9973)), CompareOp::equal,
                     integer_literal(value % 9973));
}

}  // namespace

ExprPtr execution_condition(const HostSite& site) {
  std::vector<ExprPtr> all;
  for (const LoopAt& loop : loops_at(site)) {
    all.push_back(compare_two(loop.index, CompareOp::equal, integer_literal(loop.value)));
  }
  if (all.empty()) return nullptr;
  return all.size() == 1 ? all[0] : logic(LogicOp::conjunction, all);
}

ExprPtr index_condition(const HostSite& site, Random& random) {
  const std::vector<LoopAt> loops = loops_at(site);
  if (loops.empty()) return nullptr;
  const LoopAt& one = loops[random.below(loops.size())];
  switch (random.below(6)) {
    case 0: return compare_two(one.index, CompareOp::equal, integer_literal(one.value));
    case 1: return compare_two(one.index, CompareOp::greater_equal, integer_literal(one.value));
    case 2: return compare_two(one.index, CompareOp::less_equal, integer_literal(one.value));
    case 3: return execution_condition(site);
    case 4: return scattered_condition(loops);
    default: {
      const std::int64_t divisor = random.between(2, 9);
      return compare_two(make_product(one.index, ArithmeticOp::floor_divide, integer_literal(divisor)),
                         CompareOp::equal, integer_literal(one.value / divisor));
    }
  }
}

}  // namespace steptp::testing
