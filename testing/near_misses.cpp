// The judge's enemy by chance: expressions grow from smaller ones, and two of them that agree at some inputs and differ
// at others are a pair that the judge must not call equal. Nobody has to think of a law that fails; whatever agrees
// nearly everywhere is found because its values collide.
//
//   near_misses SEED COUNT [--world reals|masks|integers|folds|writes] [--judge-every N] [--out FILE]
//
// Prints how many pairs were asked. Each pair that is accepted is confirmed by the reference evaluator and printed as a
// line of testing/attacks. The exit status is 1 if there is one.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/prove/prove.h"
#include "steptp/safety/check.h"
#include "steptp/text/document.h"
#include "steptp/verify/verify.h"
#include "testing/attack_text.h"
#include "testing/attacker.h"
#include "testing/deep_stack.h"
#include "testing/near_miss_programs.h"

namespace steptp::testing {

namespace {

using namespace near_misses;

/// What an expression is at every element, as text.
using Values = std::vector<std::string>;

bool is_value(const std::string& text) { return text != "NaN" && text != "no value" && text != "unknown"; }

double number_of(const std::string& text) {
  char* end = nullptr;
  const double above = std::strtod(text.c_str(), &end);
  return *end == '/' ? above / std::strtod(end + 1, nullptr) : above;
}

bool is_apart(const std::string& one, const std::string& other) {
  if (one == other) return false;
  const double x = number_of(one);
  const double y = number_of(other);
  if (!std::isfinite(x) || !std::isfinite(y)) return true;
  return std::abs(x - y) > 1e-6 * std::max(std::abs(x), std::abs(y)) + 1e-300;
}

/// Whether `after` may not stand for `before`.
bool breaks(const Values& before, const Values& after) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (is_value(before[i]) && after[i] != "unknown" && is_apart(before[i], after[i])) return true;
  }
  return false;
}

struct Known {
  std::string text;
  Values values;
};

class Hunt {
 public:
  Hunt(const std::string& world, std::uint64_t seed, std::uint64_t judge_every, std::ofstream& out)
      : world_(world_of(world)), random_(seed), judge_every_(judge_every), out_(out) {
    set_inputs();
  }

  /// Programs that write in parts, and what one changed number makes of them.
  void run_written(std::uint64_t count) {
    is_written_ = true;
    inputs_.set.clear();
    while (looked_ < count) {
      const std::string text = WrittenProgram(random_).make();
      look_at_written(text);
      for (int i = 0; i < 3; ++i) {
        std::string changed = text;
        const std::size_t at = 5 + random_.below(changed.size() - 5);
        if (std::isdigit(static_cast<unsigned char>(changed[at])) == 0) continue;
        changed[at] = static_cast<char>('0' + (changed[at] - '0' + (random_.chance(1, 2) ? 1 : 9)) % 10);
        look_at_written(changed);
      }
    }
  }

  void run(std::uint64_t count) {
    for (const std::string& leaf : world_.reals)
      pool_[0].push_back({Sort::real, {}, leaf, 1, leaf == "c" || leaf.ends_with("(c)")});
    for (const std::string& leaf : world_.wholes) pool_[1].push_back({Sort::whole, {}, leaf});
    std::uint64_t total = 0;
    for (const Form& form : world_.forms) total += form.weight;
    while (looked_ < count) {
      std::uint64_t draw = random_.below(total);
      const Form* form = world_.forms.data();
      while (draw >= form->weight) draw -= form++->weight;
      std::vector<const Term*> parts;
      for (const Sort sort : form->parts) {
        const auto& pool = pool_[static_cast<std::size_t>(sort)];
        if (pool.empty()) break;
        // Small ones more often.
        const std::size_t most = random_.chance(1, 2) ? std::min<std::size_t>(pool.size(), 24) : pool.size();
        parts.push_back(&pool[random_.below(most)]);
      }
      if (parts.size() != form->parts.size()) continue;
      const auto term = made(*form, parts);
      constexpr std::size_t kMostSize = 12;
      if (term && term->size <= kMostSize && term->statements.size() < 20) take(*term);
    }
  }

  void report() const {
    std::cout << looked_ << " expressions, " << asked_ << " near misses, " << judged_ << " by the whole judge, "
              << accepted_ << " accepted, " << confirmed_ << " of them unequal, " << equal_
              << " equal ones met, of which " << shown_ << " were proved\n";
  }
  [[nodiscard]] bool failed() const { return confirmed_ > 0; }

 private:
  void set_inputs() {
    static constexpr double kSpecial[] = {0,  1,   -1, 0.5,   -0.5, 2, -2, 3,  1.5, 2.5,  -1.5, -2.5,  0.25, 4,
                                          10, -10, -3, -0.75, 0,    1, 0,  -1, 16,  1e-3, 2,    -0.25, 8,    5.5};
    static constexpr std::int64_t kWhole[] = {0,  1,   -1,  2,    -2,   3,     127,    -128, 128,    255,
                                              64, -64, 256, -255, 1000, -1000, 100000, 7,    -32768, 5};
    Random random(combine(random_.next(), 77));
    for (const char* name : {"A", "C", "M", "Q", "G", "H"}) {
      auto& values = inputs_.set[name];
      for (std::size_t i = 0; i < kElements; ++i) {
        double value = static_cast<double>(random.between(5, 60)) / 16;
        if (i >= kGeneric && random.chance(1, 2)) value = -value;
        if (i >= 2 * kGeneric || *name == 'G' || *name == 'H') value = kSpecial[random.below(std::size(kSpecial))];
        if (i >= 2 * kGeneric && *name == 'C' && random.chance(1, 4)) {
          value = inputs_.set["A"][static_cast<std::int64_t>(i)].real;
        }
        if (*name == 'Q') value = std::abs(value) + (value == 0 ? 1 : 0);
        const bool is_masked = *name == 'H' ? random.chance(1, 3) : *name == 'M' && i >= 2 * kGeneric;
        if (is_masked && random.chance(1, 2)) value = -std::numeric_limits<double>::infinity();
        values[static_cast<std::int64_t>(i)] = input_real(value);
      }
    }
    for (const char* name : {"I", "J", "N", "K"}) {
      auto& values = inputs_.set[name];
      const std::int64_t low = *name == 'I' ? -128 : *name == 'N' ? INT64_MIN : 0;
      const std::int64_t high = *name == 'I' ? 127 : *name == 'J' ? 255 : *name == 'N' ? INT64_MAX : 1;
      for (std::size_t i = 0; i < kElements; ++i) {
        std::int64_t value = random.between(2, 9);
        if (i >= kGeneric && random.chance(1, 2)) value = -value;
        if (i >= 2 * kGeneric) value = kWhole[random.below(std::size(kWhole))];
        if (i >= 2 * kGeneric && *name == 'N' && random.chance(1, 6)) value = random.chance(1, 2) ? low : high;
        if (*name == 'K') value = static_cast<std::int64_t>(random.below(2));
        values[static_cast<std::int64_t>(i)] = input_integer(std::min(std::max(value, low), high));
      }
    }
  }

  /// Those that the program has, in range.
  [[nodiscard]] MeaningInputs inputs_of(const Program& program) const {
    MeaningInputs out;
    out.seed = inputs_.seed;
    for (const auto& [name, values] : inputs_.set) {
      const Variable* variable = program.signature.find(name);
      if (!variable) continue;
      for (const auto& [position, value] : values) {
        if (position < variable->shape[0]) out.set[name][position] = value;
      }
    }
    return out;
  }

  [[nodiscard]] std::optional<Program> program_of(const std::string& text) const {
    Document document = read_document("near", concat(world_.signature, text, "\n"));
    if (!document.ok) return std::nullopt;
    return std::move(document.program);
  }

  void look_at_written(const std::string& text) {
    if (!texts_.insert(text).second) return;
    const auto program = program_of(text);
    if (!program || !is_legal(*program)) return;
    ++looked_;
    const auto places = static_cast<std::size_t>(WrittenProgram::kPlaces);
    Values values;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      inputs_.seed = seed;
      const auto some = values_of(*program, places);
      values.insert(values.end(), some->begin(), some->end());
    }
    inputs_.seed = 1;
    for (std::size_t part = 0; part < 4; ++part) {
      std::string key = concat(part, ":");
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (i % places % 4 == part || i % places == part + 2) key += values[i] + ";";
      }
      file_under(key, text, values);
    }
  }

  static bool is_legal(const Program& program) {
    bool out = false;
    on_deep_stack([&] { out = check_program(program).verdict == CheckReport::Verdict::ok; });
    return out;
  }

  [[nodiscard]] std::optional<Values> values_of(const Program& program, std::size_t places) const {
    const MeaningInputs inputs = inputs_of(program);
    Values out;
    on_deep_stack([&] {
      Reals reals;
      Meaning meaning(program, inputs, reals, 60'000);
      for (std::size_t i = 0; i < places; ++i) {
        const Meant value = meaning.element("D", {static_cast<std::int64_t>(i)});
        switch (value.kind) {
          case Meant::Kind::number:
          case Meant::Kind::plus_infinity:
          case Meant::Kind::minus_infinity: out.push_back(meaning.arithmetic().text(value)); break;
          case Meant::Kind::nan: out.emplace_back("NaN"); break;
          case Meant::Kind::none: out.emplace_back("no value"); break;
          case Meant::Kind::unknown: out.emplace_back("unknown"); break;
        }
      }
    });
    return out;
  }

  void take(const Term& term) {
    if (term.sort == Sort::condition) {
      if (pool_[2].size() < 400) pool_[2].push_back(term);
      return;
    }
    // A term about the round of a fold has no value outside of it; it waits until a fold takes it.
    if (term.is_of_round) {
      if (pool_[0].size() < 3000) pool_[0].push_back(term);
      return;
    }
    const std::string text = text_of(term);
    if (!texts_.insert(text).second) return;
    const auto program = program_of(text);
    if (!program) return;
    const auto values = values_of(*program, kElements);
    ++looked_;
    std::string all;
    for (const std::string& value : *values) all += value + ";";
    auto& pool = pool_[static_cast<std::size_t>(term.sort)];
    if (++known_values_[all] <= 2 && pool.size() < 3000) pool.push_back(term);
    for (const std::size_t from : {std::size_t{0}, kGeneric}) {
      std::string key = concat(from, ":");
      bool has_value = false;
      for (std::size_t i = from; i < from + kGeneric; ++i) {
        key += (*values)[i] + ";";
        has_value = has_value || is_value((*values)[i]);
      }
      if (has_value) file_under(key, text, *values);
    }
  }

  /// Asks of it and those that have the key, both ways round.
  void file_under(const std::string& key, const std::string& text, const Values& values) {
    auto& bucket = buckets_[key];
    const Known own{text, values};
    for (const Known& other : bucket) {
      ask(other, own);
      ask(own, other);
    }
    constexpr std::size_t kMostOfBucket = 8;
    if (bucket.size() < kMostOfBucket) {
      bucket.push_back(own);
    } else if (random_.chance(1, 4)) {
      bucket[random_.below(kMostOfBucket)] = own;
    }
  }

  void ask(const Known& before, const Known& after) {
    const bool is_unequal = breaks(before.values, after.values);
    if (!is_unequal && !random_.chance(1, 20)) return;
    const auto one = program_of(before.text);
    const auto other = program_of(after.text);
    if (!one || !other) return;
    bool is_accepted = false;
    if (!is_unequal) {
      const Proof proof = prove(*one, *other);
      ++equal_;
      shown_ += proof.proved || proof.shown ? 1 : 0;
      return;
    }
    if (++asked_ % judge_every_ == 0) {
      ++judged_;
      VerifyOptions options;
      options.seed = asked_;
      options.budget = 2'000'000;
      options.safety_budget = 1;
      const Judgement judgement = verify(*one, *other, options);
      is_accepted = judgement.verdict == Grade::proved || judgement.verdict == Grade::exact;
    } else {
      const Proof proof = prove(*one, *other);
      is_accepted = proof.proved || proof.shown;
    }
    if (!is_accepted) return;
    ++accepted_;
    Attack attack;
    attack.name = "near miss";
    attack.before = *one;
    attack.after = *other;
    attack.inputs = inputs_of(*one);
    auto difference = first_difference(attack.before, attack.after, attack.inputs);
    for (attack.inputs.seed = 1; !difference && is_written_ && attack.inputs.seed < kSeeds; ++attack.inputs.seed) {
      difference = first_difference(attack.before, attack.after, attack.inputs);
    }
    if (!difference) return;
    VerifyOptions options;
    options.safety_budget = 1;
    const Judgement judgement = verify(*one, *other, options);
    if (judgement.verdict != Grade::proved && judgement.verdict != Grade::exact) return;
    ++confirmed_;
    const std::string line = to_json(attack, *difference, &judgement).dump();
    std::cout << line << std::endl;
    if (out_.is_open()) out_ << line << std::endl;
  }

  static constexpr std::uint64_t kSeeds = 4;

  World world_;
  Random random_;
  bool is_written_ = false;
  std::uint64_t judge_every_;
  std::ofstream& out_;
  MeaningInputs inputs_;
  std::vector<Term> pool_[3];
  std::set<std::string> texts_;
  std::map<std::string, std::size_t> known_values_;
  std::map<std::string, std::vector<Known>> buckets_;
  std::uint64_t looked_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t judged_ = 0;
  std::uint64_t accepted_ = 0;
  std::uint64_t confirmed_ = 0;
  std::uint64_t equal_ = 0;
  std::uint64_t shown_ = 0;
};

}  // namespace

}  // namespace steptp::testing

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "near_misses SEED COUNT [--world reals|masks|integers|folds|writes] [--judge-every N] [--out FILE]\n";
    return 2;
  }
  std::string world = "reals";
  std::uint64_t judge_every = 10;
  std::ofstream out;
  for (int i = 3; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--world") world = argv[i + 1];
    if (option == "--judge-every") judge_every = std::max<std::uint64_t>(1, std::strtoull(argv[i + 1], nullptr, 10));
    if (option == "--out") out.open(argv[i + 1]);
  }
  steptp::testing::Hunt hunt(world, std::strtoull(argv[1], nullptr, 10), judge_every, out);
  const std::uint64_t count = std::strtoull(argv[2], nullptr, 10);
  if (world == "writes") {
    hunt.run_written(count);
  } else {
    hunt.run(count);
  }
  hunt.report();
  return hunt.failed() ? 1 : 0;
}
