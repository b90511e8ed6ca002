// Loops, guards and bodies; expression_reader.h reads what is in the equations. After an error the reader skips to
// the next `;` and goes on, counting brackets on the way, so that one run reports several errors. Both profiles are
// read by the same code, with different marks (docs/language.md R16, R17).
// More than 400 lines, because the grammar of nests is one class, and nobody else needs to see it.
#include "steptp/text/reader.h"

#include <charconv>
#include <utility>

#include "steptp/base/recycled.h"
#include "steptp/base/text.h"
#include "steptp/text/expression_reader.h"
#include "steptp/text/hints.h"
#include "steptp/text/scanner.h"
#include "steptp/text/spelling_cache.h"

namespace steptp {

namespace {

bool is_loop_letter(char c) { return std::string_view("LPVUBT").find(c) != std::string_view::npos; }

LoopKind kind_of(char letter) {
  switch (letter) {
    case 'P': return LoopKind::parallel;
    case 'V': return LoopKind::vectorized;
    case 'U': return LoopKind::unrolled;
    case 'B': return LoopKind::bound;
    case 'T': return LoopKind::tensorized;
    default: return LoopKind::serial;
  }
}

/// What stands in front of the cursor, blanks included.
std::string_view text_before(const Scanner& scan) { return scan.text().substr(0, scan.position()); }

}  // namespace

/// Loops, guards, bodies. After an error it skips to the next `;` and goes on, so that one run reports several errors;
/// brackets passed while skipping are counted, so that the rest of the text keeps its nesting.
class NestReader {
 public:
  NestReader(std::string_view text, Profile profile, SourceMap* map)
      : scan_(text), values_(scan_, profile, map), profile_(profile), map_(map) {}

  std::vector<NestPtr> read_program() {
    if (profile_ == Profile::compact) read_default_dtype();
    std::vector<NestPtr> nests;
    if (scan_.at_end()) scan_.expected("a nest of loops", "a program is one or more nests such as B^{16}_{tx=0}[...];");
    while (!scan_.at_end() && !scan_.too_many()) {
      if (NestPtr nest = read_top_level()) nests.push_back(std::move(nest));
    }
    return nests;
  }

  Scanner& scanner() { return scan_; }

 private:
  NestPtr read_top_level() {
    const char c = scan_.peek();
    if (c == close() || c == ';') {
      scan_.error({scan_.position(), 1}, concat("unbalanced '", c, "'"), c == ';' ? "" : "no nest is open here");
      scan_.take(c);
      if (c == ']') scan_.take(';');
      return nullptr;
    }
    if (begins_nest()) return read_nest();
    if (profile_ == Profile::compact) {
      scan_.expected("a loop", "a program is one or more nests such as tx16 a8 D(tx,a)=A(tx,a);");
      recover();
      return nullptr;
    }
    // As deep as in the nest that it gets.
    const ExpressionReader::Deeper deeper(values_);
    const std::uint32_t begin = scan_.position();
    Item item = read_equation();
    if (!std::get<EquationPtr>(item)) return nullptr;
    NestPtr nest = make_nest({Loop{LoopKind::bound, 1, "tx"}}, nullptr, {std::move(item)});
    if (map_) {
      map_->nodes.emplace(nest.get(), since(begin));
      map_->loops[nest.get()] = {Span{begin, 1}};
    }
    return nest;
  }

  [[nodiscard]] char close() const { return profile_ == Profile::paper ? ']' : '}'; }
  [[nodiscard]] char open() const { return profile_ == Profile::paper ? '[' : '{'; }
  [[nodiscard]] Span since(std::uint32_t begin) const { return {begin, scan_.end_of_last() - begin}; }
  [[nodiscard]] std::string_view spelling_since(std::uint32_t begin) const {
    return scan_.text().substr(begin, scan_.end_of_last() - begin);
  }

  bool begins_nest() {
    const char c = scan_.peek();
    return is_loop_letter(c) || (profile_ == Profile::compact && is_lower(c));
  }

  void read_default_dtype() {
    if (!scan_.take('^')) return;
    scan_.peek();
    const std::uint32_t begin = scan_.position();
    const std::string_view mark = scan_.take_code();
    const auto dtype = parse_dtype(mark);
    if (mark.empty()) {
      scan_.expected("the default dtype behind '^'", "a compact text may begin with its default dtype, such as ^f16;");
    } else if (!dtype || code(*dtype) != mark) {
      scan_.error(since(begin), concat("expected the default dtype behind '^', found '", mark, "'"),
                  "a compact text may begin with its default dtype, such as ^f16;");
    } else {
      values_.set_default_dtype(*dtype);
    }
    if (!scan_.take(';')) scan_.expected("';' after the default dtype");
  }

  bool read_extent(std::int64_t& extent) {
    scan_.peek();
    const std::uint32_t begin = scan_.position();
    const std::string_view digits = scan_.take_digits();
    if (digits.empty()) {
      scan_.expected("the number of iterations");
      return false;
    }
    if (std::from_chars(digits.data(), digits.data() + digits.size(), extent).ec != std::errc()) {
      scan_.report("number", Severity::error, since(begin), "this extent does not fit in 64 bits");
      extent = 1;
    } else if (extent < 1) {
      scan_.error(since(begin), "a loop runs at least once, found the extent 0");
      extent = 1;
    }
    return true;
  }

  bool read_paper_extent(Loop& loop) {
    return read_extent(loop.extent) && (scan_.take('}') || (scan_.expected("'}'"), false));
  }

  bool read_paper_range(Loop& loop) {
    if (!values_.read_index_name(loop.kind == LoopKind::bound, loop.index)) return false;
    if (!scan_.take('=')) {
      scan_.expected("'=0' after the index",
                     "loops begin at 0: " + concat(code(loop.kind), "^{N}_{", loop.index, "=0}"));
      return false;
    }
    scan_.peek();
    const std::uint32_t begin = scan_.position();
    const std::string_view start = scan_.take_digits();
    if (start.empty()) {
      scan_.expected("'0'");
      return false;
    }
    if (start != "0") {
      scan_.error(since(begin), concat("a loop starts at 0, found ", start),
                  concat("let the loop start at 0 and write ", loop.index, "+", start, " in its body"));
    }
    return scan_.take('}') || (scan_.expected("'}'"), false);
  }

  bool read_paper_loop(Loop& loop) {
    const char letter = scan_.peek();
    scan_.take(letter);
    loop.kind = kind_of(letter);
    if (scan_.take("^{")) {
      if (!read_paper_extent(loop)) return false;
      if (scan_.take("_{")) return read_paper_range(loop);
      scan_.expected("'_{' and the index of the loop", concat("a loop is written ", letter, "^{N}_{a=0}"));
      return false;
    }
    if (scan_.take("_{")) {
      if (!read_paper_range(loop)) return false;
      if (scan_.take("^{")) return read_paper_extent(loop);
      scan_.expected("'^{' and the number of iterations",
                     concat("a loop is written ", letter, "^{N}_{", loop.index, "=0}"));
      return false;
    }
    const std::uint32_t begin = scan_.position() - 1;
    if (is_lower(scan_.raw(0))) {
      scan_.report("reserved", Severity::error, {begin, 1}, concat("a tensor's name cannot begin with ", letter),
                   "the capitals L P V U B T begin loops");
      return false;
    }
    scan_.expected(concat("'^{' or '_{' after the loop kind ", letter),
                   concat("a loop is written ", letter, "^{N}_{a=0}"));
    return false;
  }

  bool read_compact_loop(Loop& loop) {
    const char c = scan_.peek();
    if (is_loop_letter(c) && (scan_.raw(1) == '(' || scan_.raw(1) == '=' || scan_.raw(1) == '+')) {
      static_cast<void>(values_.read_ref());  // which says that no tensor has such a name
      return false;
    }
    if (c == 'L' || c == 'B') {
      scan_.error({scan_.position(), 1}, concat("a compact loop has no letter ", c),
                  "L and B follow from the index: a16 is a serial loop, tx16 a bound one");
      return false;
    }
    if (c == 'P' || c == 'V' || c == 'U' || c == 'T') {
      scan_.take(c);
      loop.kind = kind_of(c);
    } else {
      loop.kind = axis_of(scan_.text().substr(scan_.position(), 2)) ? LoopKind::bound : LoopKind::serial;
    }
    return values_.read_index_name(loop.kind == LoopKind::bound, loop.index) && read_extent(loop.extent);
  }

  bool begins_loop() {
    const char c = scan_.peek();
    return profile_ == Profile::paper ? is_loop_letter(c) : is_lower(c) || is_loop_letter(c);
  }

  bool read_header(const std::shared_ptr<Nest>& nest, std::vector<Span>& spans) {
    const std::uint32_t begin = scan_.position();
    take_known_row(*nest);
    const bool known = !nest->loops.empty();
    if (!known && begins_loop()) nest->loops.reserve(4);
    while (begins_loop()) {
      const std::uint32_t loop_begin = scan_.position();
      if (!read_loop(*nest)) return false;
      if (map_) spans.push_back(since(loop_begin));
      if (++open_loops_ > kMaxLoops) {
        scan_.report("too-deep", Severity::error, since(loop_begin),
                     concat("more than ", kMaxLoops, " loops around one equation"), "split the nest");
        give_up();
        return false;
      }
    }
    if (!known && nest->loops.size() > 1 && !scan_.failed()) rows_.add(spelling_since(begin), nest);
    return scan_.peek() != '?' || read_guard(*nest);
  }

  bool read_loop(Nest& nest) {
    if (const auto* known = loops_.find(scan_)) {
      scan_.take_bytes(known->spelling.size());
      nest.loops.push_back(known->value);
      return true;
    }
    const std::uint32_t begin = scan_.position();
    Loop loop;
    if (!(profile_ == Profile::paper ? read_paper_loop(loop) : read_compact_loop(loop))) return false;
    if (!scan_.failed()) loops_.add(spelling_since(begin), loop);
    nest.loops.push_back(std::move(loop));
    return true;
  }

  /// The loops of an earlier nest, where the text repeats them. Not with a map, which wants the place of each loop.
  void take_known_row(Nest& nest) {
    const auto* known = map_ ? nullptr : rows_.find(scan_);
    if (!known || open_loops_ + known->value->loops.size() > kMaxLoops) return;
    scan_.take_bytes(known->spelling.size());
    nest.loops = known->value->loops;
    open_loops_ += nest.loops.size();
  }

  bool read_guard(Nest& nest) {
    const bool paper = profile_ == Profile::paper;
    if (!scan_.take(paper ? "?{" : "?(")) {
      scan_.expected(paper ? "'?{'" : "'?('", paper ? "a guard is written ?{a<3}[...]" : "a guard is written ?(a<3)");
      return false;
    }
    scan_.peek();
    const std::uint32_t begin = scan_.position();
    nest.guard = values_.read_condition();
    if (!nest.guard) return false;
    bool reads = false;
    for_each_ref(*nest.guard, [&reads](const RefPtr&) { reads = true; });
    if (reads) {
      scan_.error(since(begin), "a guard reads loop indices and integers only, found a tensor",
                  "use if_then_else for a condition on data");
    }
    if (scan_.take(paper ? '}' : ')')) return true;
    scan_.expected(paper ? "'}' after the guard" : "')' after the guard");
    return false;
  }

  NestPtr read_nest() {
    const ExpressionReader::Deeper deeper(values_);
    if (!deeper.ok()) {
      give_up();
      return nullptr;
    }
    const std::uint32_t begin = scan_.position();
    auto nest = make_recycled<Nest>();
    std::vector<Span> spans;
    if (!read_header(nest, spans)) {
      recover();
      return finish(std::move(nest), begin, std::move(spans), false);
    }
    if (profile_ == Profile::compact && scan_.peek() != '{') {
      Item item = read_equation();
      const bool good = std::get<EquationPtr>(item) != nullptr;
      if (good) nest->items.push_back(std::move(item));
      return finish(std::move(nest), begin, std::move(spans), good);
    }
    if (!scan_.take(open())) {
      scan_.expected(concat("a loop or '", open(), "'"), "every tensor is written Name^{dtype,scope}_{subscripts}");
      recover();
      return finish(std::move(nest), begin, std::move(spans), false);
    }
    read_body(*nest, begin);
    return finish(std::move(nest), begin, std::move(spans), true);
  }

  static constexpr std::size_t kMaxLoops = 1000;

  /// After a failure the skipped text may have opened bodies; their items are read (for their errors) and dropped.
  NestPtr finish(std::shared_ptr<Nest> nest, std::uint32_t begin, std::vector<Span> spans, bool good) {
    open_loops_ -= nest->loops.size();
    while (phantom_open_ > 0 && !scan_.at_end() && !scan_.too_many()) {
      --phantom_open_;
      Nest dropped;
      read_body(dropped, begin);
    }
    if (!good) return nullptr;
    if (map_) {
      map_->nodes.emplace(nest.get(), since(begin));
      map_->loops.emplace(nest.get(), std::move(spans));
    }
    return nest;
  }

  void read_body(Nest& nest, std::uint32_t begin) {
    ++open_bodies_;
    read_items(nest, begin);
    --open_bodies_;
  }

  void read_items(Nest& nest, std::uint32_t begin) {
    while (true) {
      if (pending_close_ > 0) {
        --pending_close_;
        return;
      }
      const char c = scan_.peek();
      if (c == close()) break;
      if (scan_.at_end()) {
        if (gave_up_) return;
        scan_.error({begin, 1}, concat("the body of this nest is never closed: expected '", close(), "'"),
                    "every '" + concat(open(), "' needs its '", close(), "'"));
        return;
      }
      if (scan_.too_many()) return;
      if (begins_nest()) {
        if (NestPtr inner = read_nest()) nest.items.emplace_back(std::move(inner));
      } else {
        Item item = read_equation();
        if (std::get<EquationPtr>(item)) nest.items.push_back(std::move(item));
      }
    }
    if (nest.items.empty() && !scan_.failed()) {
      scan_.expected("an equation or a nest", "a body holds at least one item");
    }
    scan_.take(close());
    if (profile_ == Profile::compact || scan_.take(';')) return;
    if (begins_nest()) {
      scan_.report("nested-by-missing-semicolon", Severity::warning, {scan_.position(), 1},
                   "no ';' after ']': this nest goes into the body just closed",
                   "write the nest inside the brackets, or put ';' after ']'");
      if (NestPtr inner = read_nest()) nest.items.emplace_back(std::move(inner));
      return;
    }
    scan_.expected("';' after ']'");
    if (scan_.peek() != close()) recover();
  }

  Item read_equation() {
    scan_.peek();
    const std::uint32_t begin = scan_.position();
    EquationPtr equation = read_sides();
    if (!equation) {
      recover();
      return EquationPtr();
    }
    if (map_) map_->nodes.emplace(equation.get(), since(begin));
    if (!scan_.take(';')) {
      const bool may_close = open_bodies_ > 0 && scan_.peek() == close();
      scan_.expected("an operator or ';' after the equation",
                     std::string(may_close ? "every equation ends with ';', also the last one of a body"
                                           : hint_after_equation(text_before(scan_), scan_.peek())));
      recover();
    }
    return equation;
  }

  EquationPtr read_sides() {
    RefPtr left = values_.read_ref();
    if (!left) return nullptr;
    if (profile_ == Profile::compact) {
      if (scan_.take("+=")) return accumulate(std::move(left));
      if (scan_.take("max=")) return extremum(std::move(left), true);
      if (scan_.take("min=")) return extremum(std::move(left), false);
    }
    if (scan_.peek() != '=' || scan_.raw(1) == '=' || !scan_.take('=')) {
      scan_.peek();
      const std::string_view next = scan_.text().substr(scan_.position());
      scan_.expected(concat("'=' after ", left->tensor),
                     std::string(hint_after_left(profile_, text_before(scan_), next)));
      return nullptr;
    }
    ExprPtr right = values_.read_condition();
    return right ? make_equation(std::move(left), std::move(right)) : nullptr;
  }

  ExprPtr copy_of(const RefPtr& left) {
    ExprPtr copy = values_.read_of(left);
    if (map_) map_->nodes.emplace(copy.get(), map_->nodes[left.get()]);
    return copy;
  }

  /// `X+=b-c` is the sum X+b-c; `X+=(b-c)` is X+(b-c).
  EquationPtr accumulate(RefPtr left) {
    // As deep as X=X+... in the other profile, so that what one profile can say the other can too.
    const ExpressionReader::Deeper equation(values_);
    if (!equation.ok()) return nullptr;
    scan_.peek();
    const std::uint32_t begin = scan_.position();
    Sum sum;
    sum.operands.reserve(2);
    sum.operands.push_back(copy_of(left));
    sum.operators.push_back(ArithmeticOp::add);
    if (!values_.read_summands(sum)) return nullptr;
    ExprPtr right = make_expr(std::move(sum));
    if (map_) map_->nodes.emplace(right.get(), since(begin));
    return make_equation(std::move(left), std::move(right));
  }

  EquationPtr extremum(RefPtr left, bool is_max) {
    const ExpressionReader::Deeper equation(values_);
    const ExpressionReader::Deeper call(values_);
    if (!equation.ok() || !call.ok()) return nullptr;
    scan_.peek();
    const std::uint32_t begin = scan_.position();
    ExprPtr other = values_.read_value();
    if (!other) return nullptr;
    ExprPtr right = make_expr(Extremum{is_max, copy_of(left), std::move(other)});
    if (map_) map_->nodes.emplace(right.get(), since(begin));
    return make_equation(std::move(left), std::move(right));
  }

  void recover() {
    while (!scan_.at_end()) {
      const char c = scan_.peek();
      scan_.take(c);
      if (c == ';') return;
      if (c == open()) ++phantom_open_;
      if (c == close()) {
        if (phantom_open_ > 0) {
          --phantom_open_;
        } else {
          ++pending_close_;
        }
        if (profile_ == Profile::compact || scan_.peek() != ';') return;
      }
    }
  }

  /// Skips the rest of the text, which is no longer looked at: what is open then is not an error of its own.
  void give_up() {
    scan_.advance(scan_.text().size() - scan_.position());
    gave_up_ = true;
  }

  Scanner scan_;
  ExpressionReader values_;
  SpellingCache<Loop, 8> loops_;
  SpellingCache<NestPtr, 8> rows_;  ///< the nests that were first with their loops
  Profile profile_;
  SourceMap* map_;
  int phantom_open_ = 0;
  int open_bodies_ = 0;
  std::size_t open_loops_ = 0;
  int pending_close_ = 0;
  bool gave_up_ = false;
};

Profile recognise_profile(std::string_view text) {
  Scanner scan(text);
  const char first = scan.peek();
  if (first == '^' || is_lower(first)) return Profile::compact;
  if (first == 'P' || first == 'V' || first == 'U' || first == 'T') {
    scan.take(first);
    if (is_lower(scan.peek())) return Profile::compact;
  }
  return Profile::paper;
}

ReadText read_text(std::string_view text, SourceMap* map) {
  ReadText result;
  result.profile = recognise_profile(text);
  NestReader reader(text, result.profile, map);
  result.nests = reader.read_program();
  for (const Scanner::Finding& finding : reader.scanner().findings()) {
    result.findings.push_back({finding.diagnostic, finding.span});
  }
  result.ok = !reader.scanner().failed();
  if (!result.ok) result.nests.clear();
  return result;
}

}  // namespace steptp
