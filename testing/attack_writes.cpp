// Partial and in-place writes: a few nests write boxes of one tensor one after the other, and one number of one of them
// is changed, or two of them change places.

#include <algorithm>

#include "steptp/base/text.h"
#include "testing/attack_text.h"

namespace steptp::testing {

namespace {

/// D(stride*a + offset) for a below extent, along one dimension.
struct Reach {
  std::int64_t extent = 1;
  std::int64_t stride = 1;
  std::int64_t offset = 0;
};

struct Write {
  Reach rows;
  Reach columns;
  int value = 0;  ///< what is written: one of kValues
  std::int64_t constant = 1;
};

// $r and $c are the subscripts of the element, $k a number.
constexpr std::string_view kValues[] = {
    "A($r,$c)",        "A($r,$c)*$k",      "D($r,$c)+$k", "D($r,$c)*A($r,$c)",        "$k",
    "D($r,$c)-A(0,0)", "max(D($r,$c),$k)", "A($R-$r,$c)", "D($r,$c)+D($R-$r,$c)*0.5",
};

Reach random_reach(Random& random, std::int64_t size) {
  Reach reach;
  reach.stride = random.chance(1, 4) ? random.between(2, 3) : 1;
  const std::int64_t most = (size - 1) / reach.stride + 1;
  reach.extent = random.chance(1, 3) ? most : random.between(1, most);
  const std::int64_t slack = size - 1 - (reach.extent - 1) * reach.stride;
  reach.offset = random.between(0, slack);
  return reach;
}

bool fits(const Reach& reach, std::int64_t size) {
  return reach.extent >= 1 && reach.stride >= 1 && reach.offset >= 0 &&
         (reach.extent - 1) * reach.stride + reach.offset < size;
}

std::string subscript_of(const Reach& reach, std::string_view index) {
  std::string text(index);
  if (reach.stride > 1) append(text, "*", reach.stride);
  if (reach.offset > 0) append(text, "+", reach.offset);
  return text;
}

std::string text_of(const Write& write, std::int64_t rows) {
  const std::string r = subscript_of(write.rows, "a");
  const std::string c = subscript_of(write.columns, "c");
  const ShorthandValues names = {
      {"r", concat("(", r, ")")}, {"c", c}, {"k", std::to_string(write.constant)}, {"R", std::to_string(rows - 1)}};
  return concat("a", write.rows.extent, " c", write.columns.extent, " D(", r, ",", c,
                ")=", replace_names(kValues[static_cast<std::size_t>(write.value)], names), ";");
}

/// One number of one write moves by one; the first write, which fills the tensor, keeps its box.
bool change(std::vector<Write>& writes, Random& random) {
  const std::size_t at = random.below(writes.size());
  Write& write = writes[at];
  Reach& reach = random.chance(1, 2) ? write.rows : write.columns;
  switch (random.below(6)) {
    case 0: reach.extent += at > 0 ? random.between(-1, 1) : 0; return at > 0;
    case 1: reach.offset += at > 0 ? random.between(-1, 1) : 0; return at > 0;
    case 2: reach.stride += at > 0 ? random.between(-1, 1) : 0; return at > 0;
    case 3: write.constant += 1; return true;
    case 4:
      if (at == 0 || at + 1 == writes.size()) return false;
      std::swap(writes[at], writes[at + 1]);
      return true;
    default:
      if (at == 0) return false;
      writes.erase(writes.begin() + static_cast<std::ptrdiff_t>(at));
      return true;
  }
}

std::string program_of(const std::vector<Write>& writes, std::int64_t rows, bool behind) {
  std::string text;
  for (const Write& write : writes) text += text_of(write, rows);
  if (!behind) return text;
  std::string renamed;
  for (const char c : text) renamed += c == 'D' ? 'E' : c;
  return renamed;
}

std::optional<Attack> make(Random& random) {
  const std::int64_t rows = random.chance(1, 3) ? 1 : random.between(3, 24);
  const std::int64_t columns = rows == 1 ? random.between(70, 300) : random.between(6, 40);
  std::vector<Write> writes = {{{rows, 1, 0}, {columns, 1, 0}, 0, 1}};
  for (std::int64_t more = random.between(1, 4); more > 0; --more) {
    writes.push_back({random_reach(random, rows), random_reach(random, columns),
                      static_cast<int>(random.below(std::size(kValues))), random.between(2, 9)});
  }
  std::vector<Write> altered = writes;
  bool done = false;
  for (int attempt = 0; attempt < 10 && !done; ++attempt) done = change(altered, random);
  if (!done) return std::nullopt;
  for (const Write& write : altered) {
    if (!fits(write.rows, rows) || !fits(write.columns, columns)) return std::nullopt;
  }
  AttackNumbers numbers(random);
  const bool behind = random.chance(1, 3);
  const std::string end =
      behind ? concat("a", rows, " c", columns, " D(a,c)=E(", rows - 1, "-a,", columns - 1, "-c);") : "";
  const std::string shape = concat("[", rows, ",", columns, "]\n");
  const std::string type = numbers.fill("$T");
  auto attack = attack_from("writes", concat("@input A ", type, shape, "@output D ", type, shape),
                            concat("^", type, ";", program_of(writes, rows, behind), end),
                            concat("^", type, ";", program_of(altered, rows, behind), end));
  if (attack) attack->inputs.seed = random.below(1000000);
  return attack;
}

}  // namespace

const std::vector<AttackClass>& write_attacks() {
  static const std::vector<AttackClass> kClasses = {{"writes", make, 3}};
  return kClasses;
}

}  // namespace steptp::testing
