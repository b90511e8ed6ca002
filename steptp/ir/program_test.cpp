// Types, signatures, addresses and programs as data.
#include "steptp/ir/program.h"

#include <gtest/gtest.h>

#include <set>

#include "steptp/ir/site.h"

namespace steptp {
namespace {

TEST(DType, TableIsConsistent) {
  std::set<std::string_view> names;
  for (const DType dtype : kAllDTypes) {
    const DTypeInfo& facts = info(dtype);
    EXPECT_EQ(facts.dtype, dtype);
    EXPECT_EQ(parse_dtype(facts.code), dtype);
    EXPECT_EQ(parse_dtype(facts.torch_name), dtype);
    names.insert(facts.code);
    names.insert(facts.torch_name);
    EXPECT_EQ(is_float(dtype), facts.code[0] == 'f' || facts.code.starts_with("bf")) << facts.code;
    EXPECT_EQ(is_float(dtype) + is_integer(dtype) + (dtype == DType::boolean), 1);
    if (is_integer(dtype)) {
      EXPECT_EQ(facts.precision, facts.bytes * 8 - (facts.least < 0 ? 1 : 0)) << facts.code;
    }
    if (is_float(dtype)) {
      EXPECT_LT(facts.precision, facts.bytes * 8) << facts.code;
    }
  }
  EXPECT_EQ(names.size(), 2 * kAllDTypes.size() - 1);  // bool is called so in both
  for (const char* no : {"", "f8", "F32", "float", "f32 ", "double"}) EXPECT_FALSE(parse_dtype(no)) << no;
}

TEST(DType, Promotion) {
  for (const DType a : kAllDTypes) {
    EXPECT_EQ(promote(a, a), a);
    EXPECT_EQ(promote(a, DType::boolean), a);
    EXPECT_EQ(promote(a, DType::f64), DType::f64);
    for (const DType b : kAllDTypes) {
      const DType joined = promote(a, b);
      EXPECT_EQ(joined, promote(b, a));
      EXPECT_EQ(promote(joined, a), joined);
      if (is_float(a) && !is_float(b)) {
        EXPECT_EQ(joined, a) << "any float beats any integer";
      }
      EXPECT_EQ(is_float(joined), is_float(a) || is_float(b));
      EXPECT_GE(info(joined).bytes, is_float(a) == is_float(b) ? std::max(info(a).bytes, info(b).bytes) : 0);
      if (is_integer(joined)) {
        EXPECT_LE(info(joined).least, std::min(info(a).least, info(b).least)) << info(a).code << info(b).code;
        EXPECT_GE(info(joined).greatest, std::max(info(a).greatest, info(b).greatest)) << info(a).code << info(b).code;
      }
    }
  }
  EXPECT_EQ(promote(DType::f16, DType::bf16), DType::f32);
  EXPECT_EQ(promote(DType::u8, DType::i8), DType::i16);
  EXPECT_EQ(promote(DType::u8, DType::i16), DType::i16);
  EXPECT_EQ(promote(DType::f16, DType::i64), DType::f16);
}

TEST(DType, Scopes) {
  for (const Scope scope : {Scope::global, Scope::shared, Scope::local, Scope::fragment}) {
    const char text = code(scope);
    EXPECT_EQ(parse_scope(std::string_view(&text, 1)), scope);
  }
  for (const char* no : {"", "F", "G", "gg", "s2"}) EXPECT_FALSE(parse_scope(no)) << no;
}

TEST(DType, Placements) {
  for (const char* text : {"g", "s", "l", "f", "s2", "s3", "s4", "s5"}) {
    const auto placement = parse_placement(text);
    ASSERT_TRUE(placement) << text;
    EXPECT_EQ(code(*placement), text);
    EXPECT_EQ(parse_scope(std::string_view(text, 1)), placement->scope);
  }
  EXPECT_EQ(parse_placement("s4")->depth, 4);
  EXPECT_TRUE(*parse_placement("s4") == Scope::shared);
  EXPECT_FALSE(*parse_placement("s4") == *parse_placement("s"));
  for (const char* no : {"", "s0", "s1", "s6", "s22", "g2", "l2", "f2"}) EXPECT_FALSE(parse_placement(no)) << no;
}

TEST(Signature, RolesAndLookup) {
  for (const Role role : {Role::input, Role::constant, Role::param, Role::output})
    EXPECT_EQ(parse_role(name_of(role)), role);
  EXPECT_EQ(parse_role("const"), Role::constant);
  EXPECT_FALSE(parse_role("inputs"));
  Signature signature;
  signature.variables.push_back({"A", Role::input, DType::f32, {4}, {}, {}});
  signature.variables.push_back({"Ac", Role::output, DType::f32, {}, {}, {}});
  EXPECT_EQ(signature.find("Ac"), &signature.variables[1]);
  EXPECT_EQ(signature.find("C"), nullptr);
  Signature other = signature;
  EXPECT_EQ(other, signature);
  other.variables[0].domain.kind = Domain::Kind::any;
  EXPECT_NE(other, signature);
}

TEST(Signature, ElementCount) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({3, 4, 5}), 60);
  EXPECT_EQ(element_count({INT64_MAX}), INT64_MAX);
  EXPECT_FALSE(element_count({INT64_MAX, 2}));
  EXPECT_FALSE(element_count({std::int64_t{1} << 32, std::int64_t{1} << 31}));
}

TEST(Program, Axes) {
  EXPECT_EQ(axis_of("tx"), Axis::tx);
  EXPECT_EQ(axis_of("bza"), Axis::bz);
  for (const char* no : {"t", "x", "ta", "a", "", "w", "wa", "xt"}) EXPECT_FALSE(axis_of(no)) << no;
  for (std::size_t number = 0; number < kAxes; ++number) {
    const auto axis = static_cast<Axis>(number);
    EXPECT_EQ(axis_of(name_of(axis)), axis);
    EXPECT_EQ(is_thread_axis(axis), name_of(axis)[0] != 'b');
    EXPECT_EQ(is_unit_axis(axis), name_of(axis)[0] == 'w');
  }
}

Program sample() {
  const RefPtr left = make_ref("D", DType::f32, Scope::global, {Index::variable("tx"), Index::variable("a")});
  const RefPtr right = make_ref("A", DType::f32, Scope::global, {Index::variable("a")});
  const ExprPtr sum = make_sum(read_expr(left), ArithmeticOp::add, make_call(Function::exp, read_expr(right)));
  const ExprPtr guard = make_expr(Compare{{make_expr(IndexValue{"a"}), integer_literal(3)}, {CompareOp::less}});
  NestPtr inner = make_nest({{LoopKind::serial, 4, "a"}}, guard, {make_equation(left, sum)});
  Program program;
  program.nests.push_back(
      make_nest({{LoopKind::bound, 2, "tx"}}, nullptr, {make_equation(right, integer_literal(1)), inner}));
  return program;
}

TEST(Site, TextForms) {
  for (const char* text : {"0", "2/0/1", "0/1:loop[0]", "0/1:guard", "0/1:guard.0.1", "0/0:left", "0/0:left[0]",
                           "0/1/0:right", "0/1/0:right.1.0", "0/1/0:right.0[1]", "4294967295"}) {
    const auto site = parse_site(text);
    ASSERT_TRUE(site) << text;
    EXPECT_EQ(to_text(*site), text);
  }
  for (const char* no : {"", "/", "a", "0/", "/0", "0:", "0:loop.1", "0:left.0", "0:right.", "0:right[", "0:right[0",
                         "0:right[]", "0:right[0]x", "0 ", " 0", "-1", "0:nest", "4294967296", "0:loop[0][1]"}) {
    EXPECT_FALSE(parse_site(no)) << no;
  }
}

TEST(Site, ResolvesToTheVeryPart) {
  const Program program = sample();
  const auto at = [&program](const char* text) { return resolve(program.nests, parse_site(text).value()); };
  const Nest* outer = program.nests[0].get();
  const Nest* inner = std::get<NestPtr>(outer->items[1]).get();
  const Equation* equation = std::get<EquationPtr>(inner->items[0]).get();
  EXPECT_EQ(std::get<const Nest*>(at("0")), outer);
  EXPECT_EQ(std::get<const Nest*>(at("0/1")), inner);
  EXPECT_EQ(std::get<const Equation*>(at("0/1/0")), equation);
  EXPECT_EQ(std::get<const Loop*>(at("0/1:loop[0]")), &inner->loops[0]);
  EXPECT_EQ(std::get<const Expr*>(at("0/1:guard")), inner->guard.get());
  EXPECT_EQ(std::get<const Expr*>(at("0/1:guard.1")), child(*inner->guard, 1).get());
  EXPECT_EQ(std::get<const Ref*>(at("0/1/0:left")), equation->left.get());
  EXPECT_EQ(std::get<const Index*>(at("0/1/0:left[1]")), &equation->left->subscripts[1]);
  EXPECT_EQ(std::get<const Expr*>(at("0/1/0:right.1.0")), child(*child(*equation->right, 1), 0).get());
  EXPECT_TRUE(std::holds_alternative<const Index*>(at("0/1/0:right.1.0[0]")));
  for (const char* no :
       {"1", "0/2", "0/1/1", "0/1/0/0", "0:guard", "0:loop[1]", "0/1:guard.2", "0/1/0:left[2]", "0/1/0:right.2",
        "0/1/0:right.1.0[1]", "0/1/0:right.1[0]", "0:left", "0:right", "0/1/0:guard", "0/1/0:loop[0]"}) {
    EXPECT_TRUE(std::holds_alternative<std::monostate>(at(no))) << no;
  }
}

TEST(Program, EqualityHashAndExtension) {
  const Program program = sample();
  const Program again = sample();
  EXPECT_TRUE(equal(program, again));
  EXPECT_EQ(hash_of(program), hash_of(again));
  EXPECT_TRUE(is_extended(program)) << "a guard";
  const Nest& outer = *program.nests[0];
  const auto with = [&](NestPtr nest) {
    Program changed = program;
    changed.nests[0] = std::move(nest);
    return changed;
  };
  const Program changes[] = {
      with(make_nest({{LoopKind::bound, 3, "tx"}}, outer.guard, outer.items)),
      with(make_nest({{LoopKind::bound, 2, "ty"}}, outer.guard, outer.items)),
      with(make_nest({{LoopKind::serial, 2, "tx"}}, outer.guard, outer.items)),
      with(make_nest(outer.loops, integer_literal(1), outer.items)),
      with(make_nest(outer.loops, outer.guard, {outer.items[0]})),
      with(make_nest(outer.loops, outer.guard, {outer.items[1], outer.items[0]})),
  };
  for (const Program& changed : changes) {
    EXPECT_FALSE(equal(program, changed)) << &changed - changes;
    EXPECT_NE(hash_of(program), hash_of(changed)) << &changed - changes;
  }
  EXPECT_FALSE(is_extended(changes[4]));
  Program renamed = program;
  renamed.name = "other";
  EXPECT_TRUE(equal(program, renamed)) << "the name plays no part";
  renamed.signature.variables.push_back({"A", Role::input, DType::f32, {4}, {}, {}});
  EXPECT_FALSE(equal(program, renamed));
  EXPECT_TRUE(equal_nests(program, renamed));
  EXPECT_NE(hash_of(program), hash_of(renamed));
  const RefPtr scalar = make_ref("D", DType::f32, Scope::global, {});
  for (const Function function : kAllFunctions) {
    Program call;
    call.nests.push_back(make_nest({{LoopKind::serial, 1, "a"}}, nullptr,
                                   {make_equation(scalar, make_call(function, integer_literal(1)))}));
    EXPECT_EQ(is_extended(call), is_extension(function)) << text_of(function);
  }
  std::vector<std::size_t> depths;
  for_each_equation(
      program, [&depths](const Equation&, const std::vector<const Nest*>& around) { depths.push_back(around.size()); });
  EXPECT_EQ(depths, (std::vector<std::size_t>{1, 2}));
}

}  // namespace
}  // namespace steptp
