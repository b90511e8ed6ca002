#include "testing/race_detector.h"

#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "steptp/base/random.h"

namespace steptp::testing {

namespace {

struct Undecided {};

struct OpenLoop {
  const Loop* loop;
  std::size_t nest;  ///< how many nests stand around the one that has it
  std::int64_t value;
};

/// An equation in one iteration.
struct Execution {
  std::vector<std::uint32_t> address;
  const Equation* equation = nullptr;
  bool accumulates = false;
  std::vector<const Nest*> nests;
  std::vector<OpenLoop> loops;
  std::vector<std::uint32_t> kernel;  ///< the address of what is launched
  std::size_t host_loops = 0;
};

struct Touch {
  std::size_t step = 0;
  bool writes = false;
};

using Element = std::vector<std::int64_t>;

class Recorder {
 public:
  Recorder(const Program& program, std::uint64_t seed) : program_(program), seed_(seed), draws_(seed) {}

  void run() {
    for (std::uint32_t i = 0; i < program_.nests.size(); ++i) {
      address_ = {i};
      if (!has_bound(*program_.nests[i])) begin_kernel();
      enter(*program_.nests[i]);
      kernel_.reset();
    }
  }

  std::vector<Execution> steps;
  std::map<std::string, std::map<Element, std::vector<Touch>>> touches;
  /// What each step reads, by tensor and element.
  std::vector<std::vector<std::pair<std::string, Element>>> reads;

 private:
  static bool has_bound(const Nest& nest) {
    for (const Loop& loop : nest.loops) {
      if (loop.kind == LoopKind::bound) return true;
    }
    for (const Item& item : nest.items) {
      if (const auto* inner = std::get_if<NestPtr>(&item); inner && has_bound(**inner)) return true;
    }
    return false;
  }

  void begin_kernel() {
    kernel_ = address_;
    host_loops_ = loops_.size();
  }

  void enter(const Nest& nest) {
    nests_.push_back(&nest);
    loop_over(nest, 0);
    nests_.pop_back();
  }

  void loop_over(const Nest& nest, std::size_t number) {
    if (number == nest.loops.size()) return body(nest);
    const bool starts = nest.loops[number].kind == LoopKind::bound && !kernel_;
    if (starts) begin_kernel();
    for (std::int64_t i = 0; i < nest.loops[number].extent; ++i) {
      loops_.push_back({&nest.loops[number], nests_.size() - 1, i});
      loop_over(nest, number + 1);
      loops_.pop_back();
    }
    if (starts) kernel_.reset();
  }

  void body(const Nest& nest) {
    if (nest.guard && !holds(*nest.guard)) return;
    for (std::uint32_t i = 0; i < nest.items.size(); ++i) {
      address_.push_back(i);
      const auto* inner = std::get_if<NestPtr>(&nest.items[i]);
      const bool starts = !kernel_ && !(inner && has_bound(**inner));
      if (starts) begin_kernel();
      if (inner) {
        enter(**inner);
      } else {
        execute(*std::get<EquationPtr>(nest.items[i]));
      }
      if (starts) kernel_.reset();
      address_.pop_back();
    }
  }

  void execute(const Equation& equation) {
    Execution step;
    step.address = address_;
    step.equation = &equation;
    step.accumulates = accumulation_operator(*equation.left, equation.right).has_value();
    step.nests = nests_;
    step.loops = loops_;
    step.kernel = *kernel_;
    step.host_loops = host_loops_;
    steps.push_back(std::move(step));
    reads.emplace_back();
    visit(*equation.right);
    for (const Index& subscript : equation.left->subscripts) (void)evaluate(subscript);
    touch(*equation.left, true);
  }

  void visit(const Expr& expr) {
    if (const auto* read = std::get_if<Read>(&expr.node)) {
      touch(*read->ref, false);
      return;
    }
    if (const auto* select = std::get_if<Select>(&expr.node)) {
      visit(*select->condition);
      return visit(holds(*select->condition) ? *select->if_true : *select->if_false);
    }
    for (const ExprPtr* part : children(expr)) visit(**part);
  }

  void touch(const Ref& ref, bool writes) {
    Element element;
    if (ref.scope != Scope::global) {
      for (std::size_t i = 0; i < host_loops_; ++i) element.push_back(loops_[i].value);
      for (std::size_t number = 0; number < kAxes; ++number) {
        const auto axis = static_cast<Axis>(number);
        if (ref.scope == Scope::shared && is_thread_axis(axis)) continue;
        std::int64_t position = 0;
        for (const OpenLoop& open : loops_) {
          if (axis_of(open.loop->index) == axis) position = open.value;
        }
        element.push_back(position);
      }
    }
    for (const Index& subscript : ref.subscripts) element.push_back(evaluate(subscript));
    if (!writes) reads.back().emplace_back(ref.tensor, element);
    touches[ref.tensor][element].push_back({steps.size() - 1, writes});
  }

  std::int64_t variable(const std::string& name) const {
    for (const OpenLoop& open : loops_) {
      if (open.loop->index == name) return open.value;
    }
    throw Undecided{};
  }

  std::int64_t evaluate(const Index& index) {
    std::int64_t sum = index.constant_term();
    for (const IndexTerm& term : index.terms()) {
      std::int64_t product = term.coefficient;
      for (const IndexAtom& atom : term.factors) {
        product *= std::visit([this](const auto& node) { return this->atom(node); }, atom);
      }
      sum += product;
    }
    return sum;
  }
  std::int64_t atom(const LoopVariable& node) { return variable(node.name); }
  std::int64_t atom(const FloorQuotient& node) {
    const std::int64_t a = evaluate(*node.dividend);
    const std::int64_t b = evaluate(*node.divisor);
    if (b == 0) throw Undecided{};
    return static_cast<std::int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
  }
  std::int64_t atom(const FloorRemainder& node) {
    const std::int64_t b = evaluate(*node.divisor);
    if (b == 0) throw Undecided{};
    const std::int64_t rest = evaluate(*node.dividend) % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  std::int64_t atom(const IndirectRead& node) {
    touch(*node.ref, false);
    return data(*node.ref);
  }

  /// A value that an input may hold; always the same for one element.
  std::int64_t data(const Ref& ref) {
    const Variable* known = program_.signature.find(ref.tensor);
    if (!known || known->role == Role::output || is_float(ref.dtype)) throw Undecided{};
    std::uint64_t place = 0;
    std::size_t position = 0;
    for (std::size_t d = 0; d < ref.subscripts.size(); ++d) {
      const std::int64_t at = evaluate(ref.subscripts[d]);
      place = combine(place, static_cast<std::uint64_t>(at));
      position = position * static_cast<std::size_t>(known->shape[d]) + static_cast<std::size_t>(at);
    }
    if (!known->values.empty()) {
      if (position >= known->values.size()) throw Undecided{};
      return static_cast<std::int64_t>(known->values[position]);
    }
    if (known->domain.kind != Domain::Kind::range) throw Undecided{};
    const auto low = static_cast<std::int64_t>(std::ceil(known->domain.low));
    const auto high = static_cast<std::int64_t>(std::ceil(known->domain.high)) - 1;
    return Random(combine(combine(seed_, std::hash<std::string>{}(ref.tensor)), place)).between(low, high);
  }

  bool holds(const Expr& condition) {
    if (const auto* logic = std::get_if<Logic>(&condition.node)) {
      const bool both = logic->op == LogicOp::conjunction;
      for (const ExprPtr& part : logic->operands) {
        if (holds(*part) != both) return !both;
      }
      return both;
    }
    if (const auto* comparison = std::get_if<Compare>(&condition.node)) {
      for (std::size_t i = 0; i < comparison->operators.size(); ++i) {
        if (depends_on_floats(*comparison->operands[i]) || depends_on_floats(*comparison->operands[i + 1])) {
          if (!draws_.chance(1, 2)) return false;
        } else if (!compared(comparison->operators[i], number(*comparison->operands[i]),
                             number(*comparison->operands[i + 1]))) {
          return false;
        }
      }
      return true;
    }
    return depends_on_floats(condition) ? draws_.chance(1, 2) : number(condition) != 0;
  }
  static bool depends_on_floats(const Expr& expr) {
    bool found = false;
    for_each_ref(expr, [&found](const RefPtr& ref) { found = found || is_float(ref->dtype); });
    return found;
  }
  std::int64_t number(const Expr& expr) {
    if (const auto index = to_index(expr)) return evaluate(*index);
    if (const auto* read = std::get_if<Read>(&expr.node)) return data(*read->ref);
    throw Undecided{};
  }
  static bool compared(CompareOp op, std::int64_t a, std::int64_t b) {
    switch (op) {
      case CompareOp::less: return a < b;
      case CompareOp::less_equal: return a <= b;
      case CompareOp::greater: return a > b;
      case CompareOp::greater_equal: return a >= b;
      case CompareOp::equal: return a == b;
      case CompareOp::not_equal: return a != b;
    }
    return false;
  }

  const Program& program_;
  std::uint64_t seed_;
  Random draws_;  ///< of comparisons of floats
  std::vector<std::uint32_t> address_;
  std::vector<const Nest*> nests_;
  std::vector<OpenLoop> loops_;
  std::optional<std::vector<std::uint32_t>> kernel_;
  std::size_t host_loops_ = 0;
};

class Detector {
 public:
  explicit Detector(const Recorder& record) : record_(record) {}

  RaceReport run() {
    for (const auto& [tensor, elements] : record_.touches) {
      for (const auto& [element, touches] : elements) {
        for (std::size_t i = 0; i < touches.size(); ++i) {
          for (std::size_t j = i + 1; j < touches.size(); ++j) {
            if (touches[i].writes || touches[j].writes) look(tensor, touches[i], touches[j], touches);
          }
          if (report_.races.contains(tensor)) break;
        }
        if (report_.races.contains(tensor)) break;
      }
    }
    return std::move(report_);
  }

 private:
  const Execution& step(const Touch& touch) const { return record_.steps[touch.step]; }

  /// How many loops the two are inside of together.
  static std::size_t shared_loops(const Execution& a, const Execution& b) {
    std::size_t nests = 0;
    while (nests < a.nests.size() && nests < b.nests.size() && a.address[nests] == b.address[nests]) ++nests;
    std::size_t loops = 0;
    while (loops < a.loops.size() && a.loops[loops].nest < nests) ++loops;
    return loops;
  }

  static std::map<Axis, std::int64_t> place(const Execution& step, bool threads) {
    std::map<Axis, std::int64_t> out;
    for (std::size_t number = 0; number < kAxes; ++number) {
      const auto axis = static_cast<Axis>(number);
      if (is_thread_axis(axis) == threads) out[axis] = 0;
    }
    for (const OpenLoop& open : step.loops) {
      const auto axis = axis_of(open.loop->index);
      if (axis && is_thread_axis(*axis) == threads) out[*axis] = open.value;
    }
    return out;
  }

  static bool is_thread_loop(const OpenLoop& open) {
    const auto axis = axis_of(open.loop->index);
    return axis && is_thread_axis(*axis);
  }

  void look(const std::string& tensor, const Touch& first, const Touch& second, const std::vector<Touch>& all) {
    const Execution& a = step(first);
    const Execution& b = step(second);
    if (a.address[0] != b.address[0]) return;
    const std::size_t shared = shared_loops(a, b);
    std::size_t same = 0;
    while (same < shared && a.loops[same].value == b.loops[same].value) ++same;
    if (same < shared) {
      const LoopKind kind = a.loops[same].loop->kind;
      const bool is_promise =
          kind == LoopKind::parallel || kind == LoopKind::vectorized || kind == LoopKind::tensorized;
      if (is_promise) judge(tensor, first, second, all, same, false);
    }
    if (a.kernel != b.kernel || a.host_loops != b.host_loops) return;
    for (std::size_t i = 0; i < a.host_loops; ++i) {
      if (a.loops[i].value != b.loops[i].value) return;
    }
    const bool other_block = place(a, false) != place(b, false);
    if (other_block) return judge(tensor, first, second, all, outermost_difference(a, b, false), true);
    if (place(a, true) == place(b, true)) return;
    // Threads of one block. Inside a block-level body a barrier separates items, and rounds of its loops.
    std::size_t first_thread = 0;
    while (first_thread < shared && !is_thread_loop(a.loops[first_thread])) ++first_thread;
    if (first_thread == shared) return;
    if (same < first_thread) return;
    judge(tensor, first, second, all, outermost_difference(a, b, true), true);
  }

  /// The first bound loop of `a` whose axis has another value in `b`; the number of loops where it is an axis that
  /// only `b` has a loop over.
  static std::size_t outermost_difference(const Execution& a, const Execution& b, bool threads) {
    const auto there = place(b, threads);
    for (std::size_t i = 0; i < a.loops.size(); ++i) {
      const auto axis = axis_of(a.loops[i].loop->index);
      if (axis && is_thread_axis(*axis) == threads && there.at(*axis) != a.loops[i].value) return i;
    }
    return a.loops.size();
  }

  static bool same_execution(const Execution& a, const Execution& b, std::size_t loop) {
    if (shared_loops(a, b) <= loop) return false;
    for (std::size_t i = 0; i < loop; ++i) {
      if (a.loops[i].value != b.loops[i].value) return false;
    }
    return true;
  }

  void judge(const std::string& tensor, const Touch& first, const Touch& second, const std::vector<Touch>& all,
             std::size_t loop, bool bound) {
    const Execution& a = step(first);
    const Execution& b = step(second);
    if (a.address == b.address) {
      if (a.accumulates && all_by(a, all, loop) && (!bound || alone(a, loop))) return;
      if (first.writes && second.writes && redundant(a, loop)) {
        report_.redundant.insert(tensor);
        return;
      }
    }
    report_.races.insert(tensor);
  }

  /// (a) every touch of the element in the loop is by that equation
  bool all_by(const Execution& a, const std::vector<Touch>& all, std::size_t loop) const {
    for (const Touch& touch : all) {
      const Execution& other = step(touch);
      if (same_execution(a, other, loop) && other.address != a.address) return false;
    }
    return true;
  }
  static bool alone(const Execution& a, std::size_t loop) {
    for (std::size_t i = a.loops[loop].nest; i < a.nests.size(); ++i) {
      if (a.nests[i]->items.size() != 1) return false;
    }
    return true;
  }
  /// (c) the equation uses neither that loop's index nor anything written in the loop
  bool redundant(const Execution& a, std::size_t loop) {
    const auto [known, fresh] = redundant_.try_emplace({a.address, loop}, false);
    if (fresh) known->second = writes_the_same(a, loop);
    return known->second;
  }
  bool writes_the_same(const Execution& a, std::size_t loop) const {
    const std::string& index = a.loops[loop].loop->index;
    bool used = false;
    const auto note = [&](const std::string& name) { used = used || name == index; };
    for (const Index& subscript : a.equation->left->subscripts) for_each_variable(subscript, note);
    for_each_variable(*a.equation->right, note);
    // The own data of a thread or a block is another in each of them.
    const auto axis = axis_of(index);
    for_each_ref(*a.equation->right, [&](const RefPtr& ref) {
      const bool is_own = is_private(ref->scope) || (ref->scope == Scope::shared && axis && !is_thread_axis(*axis));
      used = used || (axis && is_own);
    });
    for (const Nest* nest : a.nests) {
      if (nest->guard) for_each_variable(*nest->guard, note);
    }
    if (used) return false;
    for (std::size_t i = 0; i < record_.steps.size(); ++i) {
      if (record_.steps[i].address != a.address) continue;
      for (const auto& [tensor, element] : record_.reads[i]) {
        for (const Touch& touch : record_.touches.at(tensor).at(element)) {
          if (touch.writes && same_execution(record_.steps[i], step(touch), loop)) return false;
        }
      }
    }
    return true;
  }

  const Recorder& record_;
  RaceReport report_;
  std::map<std::pair<std::vector<std::uint32_t>, std::size_t>, bool> redundant_;  ///< an answer costs a whole run
};

}  // namespace

RaceReport detect_races(const Program& program, std::uint64_t seed) {
  Recorder recorder(program, seed);
  try {
    recorder.run();
  } catch (const Undecided&) {
    RaceReport report;
    report.decided = false;
    return report;
  }
  return Detector(recorder).run();
}

}  // namespace steptp::testing
