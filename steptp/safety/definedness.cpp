// Every read must find an element that was written before, and every output element must be written. First by boxes:
// if the box of what is read lies inside the boxes of what earlier writers wrote, the read is fine; that settles
// ordinary programs in microseconds. What boxes cannot show is asked of isl: the iterations of the reader minus
// those that see a write must be empty, and a point that is left over is the iteration in the error message. Data in
// subscripts, too many writers or too much work give `unknown`. Decision 0003.
#include "steptp/safety/definedness.h"

#include <algorithm>
#include <optional>

#include "steptp/analysis/instances.h"
#include "steptp/analysis/padded_rows.h"
#include "steptp/analysis/written_boxes.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr std::uint64_t kRangeBudget = 2'000;
constexpr std::size_t kMaxWriters = 200;  // of one tensor, looked at for one read
constexpr std::size_t kMaxQueries = 400;  // to isl, per program

/// Which conditions of a read narrow the box around it: those on indices are cheap, those on data cost a search.
enum class Narrowing : std::uint8_t { none, by_indices, all };

class DefinednessChecker {
 public:
  DefinednessChecker(const AccessTable& text, const ValueFacts& facts, Findings& findings)
      : text_(text), table_(with_rows(text)), facts_(facts), findings_(findings) {}

  void run() {
    for (const Access& access : table_.accesses) {
      if (access.is_write || access.is_accumulator) continue;
      const TensorFacts& tensor = table_.tensors.at(access.ref->tensor);
      if (tensor.known && tensor.known->role != Role::output) continue;
      if (tensor.writes.empty()) continue;  // reported as missing-definition or not-written
      check_read(access, tensor);
    }
    for (const auto& [name, tensor] : table_.tensors) {
      if (tensor.known && tensor.known->role == Role::output && !tensor.writes.empty()) check_output(name, tensor);
    }
  }

 private:
  /// The box around what a reader reads, relative to the writers' bases, over all iterations: the writers wrote their
  /// box around the base in each of them. Conditions narrow it, as far as asked.
  std::optional<Box> read_box(const Access& read, const std::vector<Index>& bases, Narrowing narrowing) const {
    const std::vector<Index> subscripts = full_subscripts(table_, read);
    if (subscripts.size() != bases.size()) return std::nullopt;
    Box region;
    for (std::size_t i = 0; i < subscripts.size(); ++i) {
      const auto own = Index::subtract(subscripts[i], bases[i]);
      if (!own) return std::nullopt;
      const AbstractAccess problem = abstract_access(table_, facts_, read, {*own});
      const Index& target = problem.subscripts[0];
      std::optional<Interval> range = range_of(target, problem.ranges);
      if (narrowing != Narrowing::none) {
        const auto exact = exact_range(
            {problem.ranges, narrowing == Narrowing::all ? problem.conditions : index_conditions(problem), &target, {}},
            kRangeBudget);
        if (exact) range = exact;
      }
      region.push_back(*range);
    }
    return region;
  }

  /// Boxes of the writers that run before the read in every iteration of what they share.
  bool boxes_show(const Access& read, const TensorFacts& tensor, Narrowing narrowing) const {
    const std::vector<WrittenBoxes> written = written_before(table_, tensor, table_.statements[read.statement]);
    return std::any_of(written.begin(), written.end(), [&](const WrittenBoxes& group) {
      const auto whole = read_box(read, group.bases, narrowing);
      return whole && boxes_cover(*whole, group.boxes);
    });
  }

  void check_read(const Access& read, const TensorFacts& tensor) {
    if (tensor.writes.size() > kMaxWriters) return unknown_read(read, "too many writers");
    if (boxes_show(read, tensor, Narrowing::none)) return;
    const Statement& statement = table_.statements[read.statement];
    const bool conditional = !statement.guards.empty() || !read.conditions.empty();
    if (conditional && boxes_show(read, tensor, Narrowing::by_indices)) return;
    ask_isl(read, tensor);
  }

  /// The iterations of the reader that see an element which this writer wrote before; nothing where it cannot be said.
  std::optional<IntegerSet> seen(const Access& write, const Access& read) const {
    IntegerSet set;
    const auto reader = add_instance(set, table_, facts_, read, false);
    if (!reader) return std::nullopt;
    set.dimensions = reader->variables.size();
    const auto writer = add_instance(set, table_, facts_, write, true);
    if (!writer || !writer->certain || writer->subscripts.size() != reader->subscripts.size()) return std::nullopt;
    require_same_element(set, *writer, *reader);
    set.require(runs_before(table_, write, *writer, read, *reader));
    return set;
  }

  void ask_isl(const Access& read, const TensorFacts& tensor) {
    const Statement& statement = table_.statements[read.statement];
    IntegerSet whole;
    const auto reader = add_instance(whole, table_, facts_, read, true);
    if (!reader) {
      if (!boxes_show(read, tensor, Narrowing::all)) unknown_read(read, "the access is not affine");
      return;
    }
    if (queries_++ > kMaxQueries) return unknown_read(read, "the work budget is spent");
    whole.dimensions = reader->variables.size();
    std::vector<IntegerSet> parts;
    bool all_writers = true;
    for (const std::size_t number : tensor.writes) {
      auto part = seen(table_.accesses[number], read);
      if (part) {
        parts.push_back(*std::move(part));
      } else {
        all_writers = false;
      }
    }
    const auto answer = isl_.covered(whole, parts);
    switch (answer.kind) {
      case Presburger::Answer::Kind::covered: return;
      case Presburger::Answer::Kind::gave_up: return unknown_read(read, "the work budget is spent");
      case Presburger::Answer::Kind::missing: break;
    }
    if (!reader->certain) return unknown_read(read, "data decides what is read");
    if (!all_writers) return unknown_read(read, "a writer is not affine");
    Point point;
    Ranges at;
    for (std::size_t i = 0; i < statement.loops.size(); ++i) {
      point[statement.loops[i]->index] = answer.point[i];
      at.variables[statement.loops[i]->index] = {answer.point[i], answer.point[i]};
    }
    const Access& written = text_.accesses[static_cast<std::size_t>(&read - table_.accesses.data())];
    const std::string element =
        join(written.ref->subscripts, ",", [&at](const Index& s) { return describe(range_of(s, at).low); });
    findings_.report("undefined-read", Severity::error, &read.site,
                     concat(read.ref->tensor, element.empty() ? "" : concat("_{", element, "}"),
                            " is read before anything writes it, at ", describe(point, statement.loops)),
                     undefined_hint(tensor));
  }

  [[nodiscard]] static std::string undefined_hint(const TensorFacts& tensor) {
    if (tensor.effective_scope() == Scope::local) return "a tensor in scope l starts undefined in every thread";
    if (tensor.effective_scope() == Scope::fragment) return "a tensor in scope f starts undefined in every unit";
    if (tensor.effective_scope() == Scope::shared) return "a tensor in scope s starts undefined in every block";
    return "write the element first, or guard the read with if_then_else, which is lazy";
  }

  void unknown_read(const Access& read, std::string_view why) {
    findings_.report(
        "undefined-read-unknown", Severity::unknown, &read.site,
        concat("cannot show that every element of ", read.ref->tensor, " read here was written before: ", why));
  }

  void check_output(const std::string& name, const TensorFacts& tensor) {
    Box whole;
    for (const std::int64_t dimension : tensor.known->shape) whole.push_back({0, static_cast<Wide>(dimension) - 1});
    std::vector<Box> boxes;
    const std::size_t limit = std::min(tensor.writes.size(), kMaxWriters);
    for (std::size_t i = 0; i < limit; ++i) {
      if (auto found = written_box(table_, table_.accesses[tensor.writes[i]], 0, 0)) {
        boxes.push_back(std::move(found->box));
      }
    }
    if (boxes_cover(whole, boxes)) return;
    ask_isl_output(name, tensor);
  }

  void ask_isl_output(const std::string& name, const TensorFacts& tensor) {
    const std::size_t rank = tensor.known->shape.size();
    const auto elements = [rank] {
      IntegerSet set;
      while (set.variables() < rank) (void)set.add_variable();
      set.dimensions = rank;
      return set;
    };
    IntegerSet whole = elements();
    for (std::size_t i = 0; i < rank; ++i) {
      whole.require(at_most(Linear::number(0), Linear::variable(i)));
      whole.require(less(Linear::variable(i), Linear::number(tensor.known->shape[i])));
    }
    std::vector<IntegerSet> parts;
    bool all_writers = tensor.writes.size() <= kMaxWriters;
    for (std::size_t k = 0; k < std::min(tensor.writes.size(), kMaxWriters); ++k) {
      IntegerSet part = elements();
      const auto writer = add_instance(part, table_, facts_, table_.accesses[tensor.writes[k]], true);
      if (!writer || !writer->certain) {
        all_writers = false;
        continue;
      }
      for (std::size_t i = 0; i < rank; ++i) part.require(equals(Linear::variable(i), writer->subscripts[i]));
      parts.push_back(std::move(part));
    }
    const auto answer = isl_.covered(whole, parts);
    if (answer.kind == Presburger::Answer::Kind::covered) return;
    const Site& site = table_.accesses[tensor.writes[0]].site;
    if (answer.kind == Presburger::Answer::Kind::missing && all_writers) {
      const std::string element = join(answer.point, ",", [](std::int64_t v) { return std::to_string(v); });
      findings_.report(
          "not-written", Severity::error, &site,
          concat("the output element ", name, element.empty() ? "" : concat("_{", element, "}"), " is never written"),
          "every element of every output must be written");
    } else {
      findings_.report("not-written-unknown", Severity::unknown, &site,
                       concat("cannot show that every element of the output ", name, " is written"));
    }
  }

  const AccessTable& text_;
  const AccessTable table_;
  const ValueFacts& facts_;
  Findings& findings_;
  Presburger isl_;
  std::size_t queries_ = 0;
};

}  // namespace

void check_definedness(const AccessTable& table, const ValueFacts& facts, Findings& findings) {
  DefinednessChecker(table, facts, findings).run();
}

}  // namespace steptp
