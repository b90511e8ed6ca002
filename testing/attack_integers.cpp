// Integer data: wrapping, one value among many, quotients and remainders.

#include <algorithm>

#include "steptp/base/text.h"
#include "testing/attack_text.h"

namespace steptp::testing {

namespace {

struct IntegerPair {
  std::string_view dtypes;  ///< separated by blanks
  std::string_view before;
  std::string_view after;
  std::int64_t value;  ///< of $i; INT64_MIN and INT64_MAX: the least and the greatest of the type
};

constexpr std::int64_t kLeast = INT64_MIN;
constexpr std::int64_t kGreatest = INT64_MAX;

constexpr IntegerPair kPairs[] = {
    {"i32 i64", "$i", "$i+max(1-abs($i-123456),0)", 123456},
    {"i32 i64", "$i", "where($i==77777,0,$i)", 77777},
    {"i16 i32 i64", "$i", "where($i==12345,0,$i)", 12345},
    {"i8 i16 i32 i64", "$i", "where($i==101,0,$i)", 101},
    {"i32 i64", "$i", "$i-$i//1000003", 1000003},
    {"i32 i64", "$i", "$i%1000003+where($i<0,$i-$i%1000003,0)", 1000004},
    {"i32 i64", "$i", "min($i,100000)", 100001},
    {"i16 i32 i64", "$i", "max($i,-20000)", -20001},
    {"i32", "$i*$i", "max($i*$i,0)", 50000},
    {"i16", "$i*$i", "max($i*$i,0)", 200},
    {"i8", "$i*$i", "max($i*$i,0)", 12},
    {"i64", "$i*$i", "max($i*$i,0)", 3037000500},
    {"i32", "$i", "$i*2//2", 1073741824},
    {"i16", "$i", "$i*2//2", 16384},
    {"i8", "$i", "$i*2//2", 64},
    {"i64", "$i", "$i*4//4", 4611686018427387904},
    {"i32", "$i", "$i*3//3", 1431655765},
    {"i8 i16 i32 i64", "where($i+1>$i,1,0)", "1", kGreatest},
    {"i8 i16 i32 i64", "where($i-1<$i,1,0)", "1", kLeast},
    {"u8", "where($i-1<$i,1,0)", "1", 0},
    {"i8 i16 i32 i64", "where(abs($i)<0,1,0)", "0", kLeast},
    {"i8 i16 i32 i64", "where(-$i<0,1,0)", "where($i>0,1,0)", kLeast},
    {"i8 i16 i32", "max($i+100,0)", "max($i,-100)+100", kGreatest},
    {"i8 i16 i32 i64", "abs($i)", "max($i,0-$i)+where($i==100,1,0)", 100},
    {"i8 i16 i32 i64", "$i", "$i*$i//$i", 0},
    {"i8 i16 i32 i64", "1", "$i//$i", 0},
    {"i8 i16 i32 i64", "0", "$i%$i", 0},
    {"i8 i16 i32 i64", "$i//2", "($i+1)//2-$i%2-where($i==99,1,0)", 99},
    {"i32 i64", "$i//3", "$i*43691//131072", 98304 * 3 + 2},
    {"i8 i16 i32 i64", "$i//3", "where($i<0,-((0-$i)//3),$i//3)", -7},
    {"i8 i16 i32 i64", "$i%3", "$i-$i//3*3+where($i==-77,1,0)", -77},
    {"i8 i16 i32 i64", "$i%3", "where($i<0,-((0-$i)%3),$i%3)", -7},
    {"i8 i16 i32 i64", "($i+1)*($i-1)", "$i*$i-1+max(0,1-abs($i-55))", 55},
    {"i8 i16 i32", "$i*2", "min($i,100)*2", 101},
    {"i8 i16 i32 i64", "max($i,3)", "where($i>3,$i,where($i<3,3,4))", 3},
    {"i8 i16 i32 i64", "where($i<90,1,0)", "where($i<=90,1,0)", 90},
    {"i8 i16 i32 i64", "$i**2", "abs($i)*abs($i)+where($i==66,1,0)", 66},
    {"i8", "$i**3", "$i*$i*min($i,120)", 121},
    {"i8", "$i+200-200", "min($i+100,127)-100", 100},
    {"i8 i16 i32 i64", "where($i*$i==$i,1,0)", "where($i==1,1,0)", 0},
    {"i8", "where($i*$i==0,1,0)", "where($i==0,1,0)", 16},
    {"i16", "where($i*$i==0,1,0)", "where($i==0,1,0)", 256},
    {"i32", "where($i*$i==0,1,0)", "where($i==0,1,0)", 65536},
    {"i32 i64", "$i", "$i+where($i//123456*123456==$i&$i//123456==7,1,0)", 123456 * 7},
    {"i8 i16 i32 i64", "$i+a", "$i+a+where($i==111,1,0)", 111},
    {"u8", "$i+255", "$i-1+where($i==200,1,0)", 200},
    {"u8", "max($i,128)", "where($i<128,128,where($i==255,0,$i))", 255},
};

struct IntegerCarrier {
  std::string_view name;
  std::string_view shape;
  std::string_view subscript;
  std::string_view place;
  std::string_view output;
  std::string_view program;
  std::string_view element;
};

constexpr IntegerCarrier kCarriers[] = {
    {"pointwise", "$N", "a", "K", "$N", "a$N D(a)=$e;", "K"},
    {"rows", "$M,$N", "tx,a", "R,K", "$M,$N", "tx$M a$N D(tx,a)=$e;", "R,K"},
    {"sum", "$M,$N", "tx,a", "R,K", "$M", "tx$M a$N D(tx)+=$e;", "R"},
    {"mirrored", "$N", "a", "K", "$N", "a$N E(a)=$e;a$N D(a)=E($Last-a);", "Mirror"},
    {"max", "$M,$N", "tx,a", "R,K", "$M", "tx$M a$N D(tx)=max(D(tx),$e);", "R"},
    {"local", "$M,$N", "tx,a", "R,K", "$M", "tx$M{a$N E^l+=$e;D(tx)=E*2+1;}", "R"},
    {"in place", "$N", "a", "K", "$N", "a$N D(a)=$e;a$K D(a)=0;", "K"},
    {"one row", "$M,$N", "tx,a", "R,K", "$M,$N", "tx$M a$N D(tx,a)=where(tx==$R,$e,I(tx,a));", "R,K"},
};

std::string one_word(std::string_view words, Random& random) {
  const auto count = static_cast<std::uint64_t>(std::count(words.begin(), words.end(), ' ')) + 1;
  for (std::uint64_t skip = random.below(count); skip > 0; --skip) words.remove_prefix(words.find(' ') + 1);
  return std::string(words.substr(0, words.find(' ')));
}

std::optional<Attack> make(Random& random) {
  const IntegerPair& pair = kPairs[random.below(std::size(kPairs))];
  const IntegerCarrier& carrier = kCarriers[random.below(std::size(kCarriers))];
  AttackNumbers numbers(random);
  numbers.set_text("T", one_word(pair.dtypes, random));
  const DType dtype = *parse_dtype(numbers.texts().at("T"));
  const auto program = [&](std::string_view text) {
    AttackNumbers inside = numbers;
    inside.set_text("i", concat("I(", carrier.subscript, ")"));
    inside.set_text("e", concat("(", inside.fill(text), ")"));
    return concat("^", numbers.fill("$T"), ";", inside.fill(carrier.program));
  };
  if (pair.before.find("+a") != std::string_view::npos && carrier.subscript.find('a') == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string signature =
      numbers.fill(concat("@input I $T[", carrier.shape, "]\n@output D $T[", carrier.output, "]\n"));
  auto attack = attack_from(concat("integers/", carrier.name), signature, program(pair.before), program(pair.after));
  if (!attack) return std::nullopt;
  const std::int64_t value = pair.value == kLeast      ? info(dtype).least
                             : pair.value == kGreatest ? info(dtype).greatest
                                                       : pair.value;
  std::int64_t position = 0;
  const auto place = numbers.list(carrier.place);
  const Variable* variable = attack->before.signature.find("I");
  for (std::size_t i = 0; i < place.size(); ++i) position = position * variable->shape[i] + place[i];
  attack->inputs.seed = random.below(1000000);
  attack->inputs.set["I"][position] = input_integer(value);
  attack->elements = {{"D", numbers.list(carrier.element)}};
  return attack;
}

}  // namespace

const std::vector<AttackClass>& integer_attacks() {
  static const std::vector<AttackClass> kClasses = {{"integers", make}};
  return kClasses;
}

}  // namespace steptp::testing
