// What both programs share before the change becomes free inputs, one value per iteration; what follows alike is left
// out, and the last tensors that differ are the outputs. Equal windows mean equal programs, because the values that the
// cut statements really have are among those drawn; different windows mean nothing. Hard are values that are no
// numbers: what may be infinite is not cut, what may be NaN is an input with a hazard.
// docs/decisions/0013-windows-and-lanes.md, 0025.
#include "steptp/certify/window.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "steptp/base/hash.h"
#include "steptp/base/text.h"
#include "steptp/certify/value_facts.h"
#include "steptp/machine/sharing.h"
#include "steptp/machine/statement_reads.h"

namespace steptp::certify {

namespace {

/// What a window may end with.
enum class Ends : std::uint8_t {
  finite,        ///< numbers; or anything, if what follows makes no number of what is none
  same_hazards,  ///< also what both programs have as NaN at the same places
  any,           ///< anything: that the programs are equal is known
};

class Cutter {
 public:
  Cutter(Code& before, Code& after, InputModel& model, const Signature& signature, const SameTensors& same_tensors)
      : codes_{&before, &after},
        model_(model),
        signature_(signature),
        sharing_(find_shared(before, after)),
        facts_{value_facts(before, model), value_facts(after, model)} {
    for (const auto& [one, other] : same_tensors) share(one, other);
    for (std::uint32_t i = 0; i < sharing_.all.size(); ++i) shared_.insert(sharing_.all[i]);
  }

  Signature goals() {
    find_goals(Ends::any);
    add_goals();
    return std::move(window_.signature);
  }

  Window run(int kept, bool are_equal) {
    find_goals(are_equal ? Ends::any : Ends::same_hazards);
    reach(kept);
    if (window_.needs_same_hazards && !is_nan_only_by_inputs()) {
      find_goals(Ends::finite);
      reach(kept);
    }
    add_goals();
    if (window_.signature.variables.empty()) window_.is_usable = false;  // nothing differs: nothing for a window
    // What only `before` depends on counts too where both have to be NaN at the same places.
    window_.has_hazards = window_.needs_same_hazards;
    for (const std::uint32_t number : reached_[1]) {
      if (is_cut(1, number) ? !facts_[1][number].value.is_finite : facts_[1][number].is_partial) {
        window_.has_hazards = true;
      }
    }
    for (const int side : {0, 1}) apply(side);
    return std::move(window_);
  }

 private:
  /// The last writers of two tensors that are the same in the end, where they write element by element at the same
  /// iterations.
  void share(const std::string& one, const std::string& other) {
    const auto last = [this](int side, const std::string& name) {
      const auto tensor = codes_[side]->tensor_numbers.find(name);
      if (tensor == codes_[side]->tensor_numbers.end()) return kNone;
      const auto& writers = codes_[side]->tensors[tensor->second].writers;
      return writers.empty() ? kNone : writers.back();
    };
    const WriterPair pair{last(0, one), last(1, other)};
    if (pair.before == kNone || pair.after == kNone || sharing_.all[pair.after] != kNone) return;
    const StatementCode& before = codes_[0]->statements[pair.before];
    const StatementCode& after = codes_[1]->statements[pair.after];
    if (before.extents != after.extents || !is_goal(pair)) return;
    for (std::size_t i = 0; i < before.direct.size(); ++i) {
      if (before.direct[i].slot != after.direct[i].slot) return;
    }
    sharing_.all[pair.after] = sharing_.first[pair.before];
  }

  /// A statement by the name of the first one that is the same in `before`; kNone where the programs do not share it.
  [[nodiscard]] std::uint32_t name_of(int side, std::uint32_t number) const {
    if (side == 1) return sharing_.all[number];
    return shared_.contains(sharing_.first[number]) ? sharing_.first[number] : kNone;
  }

  /// Which statements are inside, with so many layers of what would be cut.
  void reach(int kept) {
    kept_.clear();
    for (int layer = 0; layer < kept; ++layer) {
      std::set<std::uint32_t> next_layer;
      for (int side = 0; side < 2; ++side) {
        for (const std::uint32_t number : inside(side)) {
          if (is_cut(side, number)) next_layer.insert(name_of(side, number));
        }
      }
      kept_.merge(next_layer);
    }
    for (const int side : {0, 1}) reached_[side] = inside(side);
  }

  /// Where the inputs of the windows are numbers, so is all that is inside.
  [[nodiscard]] bool is_nan_only_by_inputs() const {
    for (const int side : {0, 1}) {
      for (const std::uint32_t number : reached_[side]) {
        const StatementFacts& facts = facts_[side][number];
        if (!is_cut(side, number) && (!facts.value.is_never_infinite || facts.is_partial)) return false;
      }
    }
    return true;
  }

  /// What is cheap is not worth it; what may be infinite, or have no value, is more than an input can be. What may be
  /// NaN is an input with a hazard.
  [[nodiscard]] bool is_cut(int side, std::uint32_t number) const {
    const StatementCode& statement = codes_[side]->statements[number];
    const std::uint32_t name = name_of(side, number);
    return name != kNone && !kept_.contains(name) && is_float(statement.dtype) && !statement.is_cheap &&
           facts_[side][number].value.is_never_infinite && !facts_[side][number].is_partial;
  }

  // Outputs.

  void find_goals(Ends ends) {
    window_.needs_same_hazards = false;
    whole_.clear();
    goals_.clear();
    for (std::set<std::uint32_t>& roots : roots_) roots.clear();
    for (const Variable& variable : signature_.variables) {
      if (variable.role != Role::output) continue;
      std::vector<WriterPair> pairs;
      if (!follow(variable, ends, pairs)) {
        // The whole output, as it is.
        for (int side = 0; side < 2; ++side) {
          const std::uint32_t tensor = codes_[side]->tensor_numbers.find(variable.name)->second;
          for (const std::uint32_t writer : codes_[side]->tensors[tensor].writers) roots_[side].insert(writer);
        }
        whole_.insert(variable.name);
      }
      for (const WriterPair& pair : pairs) goals_.insert(pair);
    }
    for (const WriterPair& pair : goals_) {
      roots_[0].insert(pair.before);
      roots_[1].insert(pair.after);
    }
  }

  void add_goals() {
    for (const Variable& variable : signature_.variables) {
      if (whole_.contains(variable.name)) window_.signature.variables.push_back(variable);
    }
    std::size_t number = 0;
    for (const WriterPair& pair : goals_) add_goal(pair, concat("#goal", number++));
  }

  /// The pairs of statements that have to be equal for an output to be; false where the output itself is the place.
  bool follow(const Variable& output, Ends ends, std::vector<WriterPair>& goals) {
    std::vector<WriterPair> open;
    const auto& old_list = codes_[0]->tensors[codes_[0]->tensor_numbers.find(output.name)->second].writers;
    const auto& new_list = codes_[1]->tensors[codes_[1]->tensor_numbers.find(output.name)->second].writers;
    if (old_list.size() != new_list.size()) return false;
    for (std::size_t i = 0; i < old_list.size(); ++i) open.push_back({old_list[i], new_list[i]});
    bool is_finite = true;
    bool is_strict = true;
    std::set<WriterPair> seen;
    while (!open.empty()) {
      const WriterPair pair = open.back();
      open.pop_back();
      if (!seen.insert(pair).second || name_of(1, pair.after) == sharing_.first[pair.before]) continue;
      std::vector<WriterPair> writers;
      const bool is_alike_here = is_alike(*codes_[0], codes_[0]->statements[pair.before], *codes_[1],
                                          codes_[1]->statements[pair.after], writers);
      if (is_alike_here) {
        open.insert(open.end(), writers.begin(), writers.end());
        is_strict = is_strict && is_strict_statement(*codes_[0], codes_[0]->statements[pair.before]);
      } else if (is_goal(pair)) {
        goals.push_back(pair);
        const StatementFacts& facts = facts_[0][pair.before];
        is_finite = is_finite && facts.value.is_finite && !facts.is_partial;
      } else {
        goals.clear();
        return false;
      }
    }
    // Nothing is asked where `before` has no finite value, and a reader could make a number of that again.
    if (is_finite || is_strict || ends == Ends::any) return true;
    if (ends == Ends::same_hazards) {
      window_.needs_same_hazards = true;
      return true;
    }
    goals.clear();
    return false;
  }

  /// Both write the same elements, once as far as readers can see: they are all in other nests.
  [[nodiscard]] bool is_goal(const WriterPair& pair) const {
    const StatementCode& one = codes_[0]->statements[pair.before];
    const StatementCode& other = codes_[1]->statements[pair.after];
    if (!one.is_direct || !other.is_direct || one.dtype != other.dtype) return false;
    if (one.direct.size() != other.direct.size() || !one.left.hidden.empty() || !other.left.hidden.empty())
      return false;
    if (!ends_alone(0, pair.before) || !ends_alone(1, pair.after)) return false;
    for (std::size_t i = 0; i < one.direct.size(); ++i) {
      const auto size = size_of(one, one.direct[i]);
      if (!size || size != size_of(other, other.direct[i])) return false;
    }
    return has_distinct_slots(one) && has_distinct_slots(other);
  }

  [[nodiscard]] static bool has_distinct_slots(const StatementCode& statement) {
    std::set<std::uint32_t> slots;
    return std::all_of(statement.direct.begin(), statement.direct.end(), [&](const DirectSubscript& direct) {
      return direct.slot == kNone || slots.insert(direct.slot).second;
    });
  }

  /// How many elements along a subscript, from 0 on.
  [[nodiscard]] static std::optional<std::int64_t> size_of(const StatementCode& statement,
                                                           const DirectSubscript& direct) {
    if (direct.constant != 0 || direct.is_digit) return std::nullopt;
    return direct.slot == kNone ? 1 : statement.extents[direct.slot];
  }

  /// Every other statement that can see its writes shares no loop with it.
  [[nodiscard]] bool ends_alone(int side, std::uint32_t number) const {
    const Code& code = *codes_[side];
    for (std::uint32_t i = 0; i < code.statements.size(); ++i) {
      if (i == number) continue;
      const std::vector<std::uint32_t> seen = writers_of(code, code.statements[i]);
      if (std::find(seen.begin(), seen.end(), number) == seen.end()) continue;
      const auto& nests = code.table.statements;
      if (nests[i].items[0] == nests[number].items[0]) return false;
    }
    return true;
  }

  void add_goal(const WriterPair& pair, const std::string& name) {
    const StatementCode& one = codes_[0]->statements[pair.before];
    Variable variable;
    variable.name = name;
    variable.role = Role::output;
    variable.dtype = one.dtype;
    for (const DirectSubscript& direct : one.direct) variable.shape.push_back(*size_of(one, direct));
    window_.signature.variables.push_back(variable);
    window_.is_cut = true;
    for (int side = 0; side < 2; ++side) {
      Code& code = *codes_[side];
      const std::uint32_t writer = side == 0 ? pair.before : pair.after;
      const auto number = static_cast<std::uint32_t>(code.tensors.size());
      code.tensor_numbers.emplace(name, number);
      TensorCode& tensor = code.tensors.emplace_back();
      tensor.name = name;
      tensor.dtype = variable.dtype;
      tensor.shape = variable.shape;
      tensor.at_end.tensor = number;
      tensor.at_end.writers.push_back({writer, 0, true});
      code.statements[writer].goal = name;
    }
  }

  // Inputs.

  /// The statements that the outputs depend on, up to and with those that are cut.
  [[nodiscard]] std::set<std::uint32_t> inside(int side) const {
    std::set<std::uint32_t> found = roots_[side];
    std::vector<std::uint32_t> open(found.begin(), found.end());
    while (!open.empty()) {
      const std::uint32_t number = open.back();
      open.pop_back();
      if (is_cut(side, number)) continue;
      for (const std::uint32_t writer : writers_of(*codes_[side], codes_[side]->statements[number])) {
        if (found.insert(writer).second) open.push_back(writer);
      }
    }
    return found;
  }

  void apply(int side) {
    Code& code = *codes_[side];
    code.is_window = true;
    // A cut copy is no copy any more.
    const auto is_copy = [&](std::uint32_t i) {
      return is_cut(side, i) && code.nodes[code.statements[i].right].op == Op::real_read;
    };
    if (std::any_of(reached_[side].begin(), reached_[side].end(), is_copy)) {
      for (Access& access : code.accesses) access.source.reset();
    }
    for (std::uint32_t i = 0; i < code.statements.size(); ++i) {
      StatementCode& statement = code.statements[i];
      if (whole_.contains(code.tensors[statement.tensor].name)) statement.goal = code.tensors[statement.tensor].name;
      statement.is_outside = !reached_[side].contains(i) || is_cut(side, i);
      if (reached_[side].contains(i) && is_cut(side, i)) replace(side, i);
      if (reached_[side].contains(i)) add_inputs(code, statement, window_.inputs);
    }
  }

  /// The statement stores an input instead, another one in each iteration.
  void replace(int side, std::uint32_t number) {
    Code& code = *codes_[side];
    StatementCode& statement = code.statements[number];
    const Variable& variable = input_of(side, number);
    const auto tensor_number = static_cast<std::uint32_t>(code.tensors.size());
    const auto [known, is_new] = code.tensor_numbers.emplace(variable.name, tensor_number);
    if (is_new) {
      TensorCode& tensor = code.tensors.emplace_back();
      tensor.name = variable.name;
      tensor.dtype = variable.dtype;
      tensor.shape = variable.shape;
      tensor.known = &variable;
    }
    Access access;
    access.tensor = known->second;
    access.is_flat = true;
    std::int64_t stride = 1;
    for (std::uint32_t i = static_cast<std::uint32_t>(statement.extents.size()); i-- > 0;) {
      access.flat.push_back({stride, i});
      stride *= statement.extents[i];
    }
    for (std::uint32_t i = 0; i < statement.extents.size(); ++i) {
      IndexCode& subscript = access.subscripts.emplace_back();
      subscript.linear.push_back({1, i});
      subscript.terms.push_back({1, {IndexAtom{IndexAtom::Kind::slot, i, nullptr, nullptr, nullptr}}});
    }
    Node node;
    node.op = Op::real_read;
    node.dtype = statement.dtype;
    node.payload = static_cast<std::uint32_t>(code.accesses.size());
    code.accesses.push_back(std::move(access));
    statement.right = static_cast<std::uint32_t>(code.nodes.size());
    code.nodes.push_back(node);
    statement.accumulates = false;
    statement.terms.clear();
    statement.is_cheap = true;
    window_.is_cut = true;
  }

  const Variable& input_of(int side, std::uint32_t number) {
    const std::string name = concat("#", name_of(side, number));
    if (const auto at = model_.numbers.find(name); at != model_.numbers.end())
      return *model_.inputs[at->second].variable;
    const StatementCode& statement = codes_[side]->statements[number];
    Variable& variable = window_.variables.emplace_back();
    variable.name = name;
    variable.dtype = statement.dtype;
    variable.shape = statement.extents;
    const ValueFacts& facts = facts_[side][number].value;
    variable.domain.kind = facts.is_positive() ? Domain::Kind::positive : Domain::Kind::any;
    InputFacts input;
    input.variable = &variable;
    input.is_made = true;
    input.may_be_nan = !facts.is_finite;
    input.domain = variable.domain;
    input.stream = mix(hash_text(name));
    model_.numbers.emplace(name, model_.inputs.size());
    model_.inputs.push_back(input);
    return variable;
  }

  Code* codes_[2];
  InputModel& model_;
  const Signature& signature_;
  Sharing sharing_;
  std::vector<StatementFacts> facts_[2];
  std::set<std::uint32_t> shared_;  ///< names of statements that both programs have
  std::set<std::uint32_t> kept_;    ///< names of those that stay inside
  std::set<WriterPair> goals_;
  std::set<std::string> whole_;       ///< outputs that stay outputs
  std::set<std::uint32_t> roots_[2];  ///< statements that write outputs of the window
  std::set<std::uint32_t> reached_[2];
  Window window_;
};

}  // namespace

Signature find_goals(Code& before, Code& after, const Signature& signature) {
  InputModel model;
  return Cutter(before, after, model, signature, {}).goals();
}

Window cut_window(Code& before, Code& after, InputModel& model, const Signature& signature,
                  const SameTensors& same_tensors, int kept) {
  return Cutter(before, after, model, signature, same_tensors).run(kept, false);
}

Window cut_equal(Code& before, Code& after, InputModel& model, const Signature& signature) {
  return Cutter(before, after, model, signature, {}).run(0, true);
}

}  // namespace steptp::certify
