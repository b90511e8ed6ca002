// Properties of the tree that need the reader, the printer and generated programs: addresses, canonical form,
// subscripts.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "steptp/base/text.h"
#include "steptp/ir/canonical.h"
#include "steptp/ir/names.h"
#include "steptp/ir/site.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "steptp/text/reader.h"
#include "testing/generator.h"
#include "testing/mutator.h"
#include "testing/soak.h"
#include "testing/tree_editor.h"

namespace steptp::testing {
namespace {

Program generated(std::uint64_t seed) {
  Random random(seed);
  return generate_program(random, {.affine_only = seed % 4 == 1, .published_only = seed % 4 == 2});
}

Program read(const std::string& text, const Signature& signature = {}) {
  const Document document = read_program_text("text", text, signature);
  EXPECT_TRUE(document.ok) << text << render(document.diagnostics, *document.source);
  return document.program;
}

/// Walks a program and asks of every part whether its address leads back to it.
class SiteWalk {
 public:
  explicit SiteWalk(const Program& program) : program_(program) {}

  std::size_t run() {
    for (std::uint32_t i = 0; i < program_.nests.size(); ++i) nest(*program_.nests[i], {i});
    return parts_;
  }

 private:
  template <typename Part>
  void expect(const Site& site, const Part* part) {
    ++parts_;
    const std::string text = to_text(site);
    ASSERT_TRUE(texts_.insert(text).second) << text << " twice";
    const auto parsed = parse_site(text);
    ASSERT_TRUE(parsed) << text;
    ASSERT_EQ(*parsed, site) << text;
    const SitePart found = resolve(program_.nests, *parsed);
    ASSERT_TRUE(std::holds_alternative<const Part*>(found)) << text;
    ASSERT_EQ(std::get<const Part*>(found), part) << text;
  }
  void nest(const Nest& nest, const std::vector<std::uint32_t>& items) {
    expect({items, Site::Part::item, {}, {}}, &nest);
    for (std::uint32_t i = 0; i < nest.loops.size(); ++i) expect({items, Site::Part::loop, {}, i}, &nest.loops[i]);
    if (nest.guard) expr(*nest.guard, {items, Site::Part::guard, {}, {}});
    for (std::uint32_t i = 0; i < nest.items.size(); ++i) {
      std::vector<std::uint32_t> inner = items;
      inner.push_back(i);
      if (const auto* equation = std::get_if<EquationPtr>(&nest.items[i])) {
        expect({inner, Site::Part::item, {}, {}}, equation->get());
        const Ref& left = *(*equation)->left;
        expect({inner, Site::Part::left, {}, {}}, &left);
        for (std::uint32_t d = 0; d < left.subscripts.size(); ++d)
          expect({inner, Site::Part::left, {}, d}, &left.subscripts[d]);
        expr(*(*equation)->right, {inner, Site::Part::right, {}, {}});
      } else {
        this->nest(*std::get<NestPtr>(nest.items[i]), inner);
      }
    }
  }
  void expr(const Expr& expr, Site site) {
    expect(site, &expr);
    if (const auto* read = std::get_if<Read>(&expr.node)) {
      for (std::uint32_t d = 0; d < read->ref->subscripts.size(); ++d) {
        site.number = d;
        expect(site, &read->ref->subscripts[d]);
      }
      return;
    }
    std::uint32_t number = 0;
    for (const ExprPtr* place : children(expr)) {
      site.path.push_back(number++);
      this->expr(**place, site);
      site.path.pop_back();
    }
  }
  const Program& program_;
  std::size_t parts_ = 0;
  std::set<std::string> texts_;
};

TEST(IrProperty, EveryPartHasAnAddress) {
  std::size_t parts = 0;
  for (std::uint64_t seed = 0; seed < soaked(300); ++seed) parts += SiteWalk(generated(seed)).run();
  EXPECT_GT(parts, 10'000u);
}

/// Other names for plain loops (per nest, siblings may reuse them), bound loops and intermediates; terms in any order.
Program renamed(const Program& program, Random& random) {
  std::map<std::string, std::string> tensors;
  std::set<std::string> taken;
  for (const Variable& variable : program.signature.variables) taken.insert(variable.name);
  TreeHooks hooks;
  hooks.ref = [&](const RefPtr& ref, bool) {
    if (program.signature.find(ref->tensor)) return ref;
    auto known = tensors.find(ref->tensor);
    if (known == tensors.end()) {
      std::string name;
      do name = tensor_name(random.below(5000));
      while (!taken.insert(name).second);
      known = tensors.emplace(ref->tensor, name).first;
    }
    return make_ref(known->second, ref->dtype, ref->scope, ref->subscripts);
  };
  // Loops are visited inside out: a name that does not occur yet in the program clashes with nothing.
  std::uint64_t fresh = 400 + random.below(100);
  hooks.nest = [&](Nest& nest) {
    for (Loop& loop : nest.loops) {
      const auto axis = axis_of(loop.index);
      const std::string name = axis ? concat(name_of(*axis), index_name(fresh++)) : index_name(fresh++);
      for (Item& item : nest.items) item = rename_index(item, loop.index, name);
      if (nest.guard) {
        const Item wrapped =
            rename_index(make_equation(make_ref("A", DType::f32, Scope::global, {}), nest.guard), loop.index, name);
        nest.guard = std::get<EquationPtr>(wrapped)->right;
      }
      loop.index = name;
    }
  };
  return edit(program, hooks);
}

TEST(IrProperty, CanonicalFormIgnoresNames) {
  std::size_t changed = 0;
  for (std::uint64_t seed = 0; seed < soaked(400); ++seed) {
    const Program program = generated(seed);
    Random random = Random(seed).fork(5);
    const Program other = renamed(program, random);
    changed += equal(program, other) ? 0 : 1;
    ASSERT_TRUE(same_up_to_renaming(program, other)) << "seed " << seed << "\n"
                                                     << print(program) << "\n"
                                                     << print(other);
    ASSERT_EQ(canonical_hash(program), canonical_hash(other)) << seed;
    const Program once = canonical(program);
    ASSERT_EQ(print(once), print(canonical(other))) << seed;
    ASSERT_TRUE(equal(canonical(once), once)) << "seed " << seed << ": canonical is its own canonical form";
    ASSERT_TRUE(equal(read(print(once), once.signature), once)) << seed;
  }
  EXPECT_GT(changed, soaked(400) * 9 / 10);
}

TEST(IrProperty, CanonicalFormsOfDifferentProgramsDiffer) {
  std::size_t mutants = 0;
  for (std::uint64_t seed = 0; seed < soaked(400); ++seed) {
    const Program program = generated(seed);
    Random random = Random(seed).fork(6);
    const auto mutant = mutate(program, random);
    // These change names only, or may.
    if (!mutant || mutant->label == "axis rebound" || mutant->label == "tensor renamed" ||
        mutant->label == "index duplicated")
      continue;
    ++mutants;
    if (!same_up_to_renaming(program, mutant->program)) continue;
    // Swapping two loops of equal kind and extent, say, is a renaming: then the canonical texts agree as well.
    ASSERT_EQ(print(canonical(program)), print(canonical(mutant->program))) << seed << mutant->label;
    ASSERT_TRUE(mutant->label == "loops swapped" || mutant->label == "items swapped" ||
                mutant->label == "expressions swapped")
        << "seed " << seed << " " << mutant->label << "\n"
        << print(program) << "\n"
        << print(mutant->program);
  }
  EXPECT_GT(mutants, soaked(400) / 2);
}

TEST(Canonical, TextBeforeAndAfter) {
  Signature signature;
  signature.variables.push_back({"A", Role::input, DType::f32, {4}, {}, {}});
  signature.variables.push_back({"D", Role::output, DType::f32, {4}, {}, {}});
  const std::pair<const char*, const char*> pairs[] = {
      // known variables keep their names, intermediates are named in order of occurrence, left side first
      {"q4 Zz(q)=A(q);q4 D(q)=Zz(q);", "a4 C(a)=A(a);a4 D(a)=C(a);"},
      {"a4{F(a)=A(a);E(a)=F(a);D(a)=E(a);}", "a4{C(a)=A(a);E(a)=C(a);D(a)=E(a);}"},
      // loops in order, restarting in each top-level nest; siblings go on counting
      {"k4{k2 w3 D(k)=A(w);}", "a4{c2 d3 D(c)=A(d);}"},
      {"w4{k2 D(k)=A(w);}k2 D(k)=1;", "a4{c2 D(c)=A(a);}a2 D(a)=1;"},
      {"w4{k2 D(k)=A(w);k3 D(k)=A(k);}", "a4{c2 D(c)=A(a);d3 D(d)=A(d);}"},
      {"bxq4 txw2 D(txw)=A(bxq);", "bx4 tx2 D(tx)=A(bx);"},
      // terms of subscripts are sorted
      {"c2 a2 D(a+c)=A(c+a);", "a2 c2 D(a+c)=A(a+c);"},
      // an index that no loop binds keeps its name
      {"q4 D(q)=A(w);", "a4 D(a)=A(w);"},
  };
  for (const auto& [before, after] : pairs) {
    EXPECT_EQ(print(canonical(read(before, signature)), Profile::compact), after) << before;
  }
}

/// A random subscript as text with its value: read, normalised, printed, read again, it keeps the value.
class RandomSubscript {
 public:
  RandomSubscript(Random& random, std::int64_t a, std::int64_t c) : random_(random), a_(a), c_(c) {}
  std::pair<std::string, std::int64_t> draw(int depth) {
    if (depth == 0 || random_.chance(1, 6)) {
      switch (random_.below(3)) {
        case 0: return {"a", a_};
        case 1: return {"c", c_};
        default: break;
      }
      const std::int64_t value = random_.between(0, 9);
      return {std::to_string(value), value};
    }
    const auto [left, x] = draw(depth - 1);
    const auto [right, y] = draw(depth - 1);
    const std::int64_t by = random_.between(1, 6);
    switch (random_.below(5)) {
      case 0: return {concat("(", left, ")+(", right, ")"), x + y};
      case 1: return {concat("(", left, ")-(", right, ")"), x - y};
      case 2: return {concat("(", left, ")*(", right, ")"), x * y};
      case 3: return {concat("(", left, ")//", by), floor_quotient(x, by)};
      default: return {concat("(", left, ")%", by), floor_remainder(x, by)};
    }
  }

 private:
  Random& random_;
  std::int64_t a_;
  std::int64_t c_;
};

TEST(IrProperty, SubscriptsKeepTheirValueThroughText) {
  for (std::uint64_t seed = 0; seed < soaked(3000); ++seed) {
    Random random(seed);
    const std::int64_t a = random.between(0, 7);
    const std::int64_t c = random.between(0, 7);
    const auto [text, value] = RandomSubscript(random, a, c).draw(4);
    std::string current = concat("L^{8}_{a=0}L^{8}_{c=0}[D^{f32,g}_{", text, "}=1;];");
    for (int round = 0; round < 3; ++round) {
      const Program program = read(current);
      ASSERT_FALSE(program.nests.empty()) << current;
      const Index& subscript = std::get<EquationPtr>(program.nests[0]->items[0])->left->subscripts[0];
      const auto at =
          rewrite(subscript,
                  {[&](const std::string& name) { return std::optional(Index::constant(name == "a" ? a : c)); }, {}});
      ASSERT_TRUE(at && at->is_constant()) << current;
      ASSERT_EQ(at->constant_term(), value) << "seed " << seed << ": " << text << " as " << current;
      const std::string printed = print(program);
      if (round > 0) {
        ASSERT_EQ(printed, current) << "seed " << seed;
      }
      current = printed;
    }
  }
}

}  // namespace
}  // namespace steptp::testing
