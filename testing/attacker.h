#pragma once

// The judge's enemy: pairs of programs that are unequal by construction, each with a witness that the reference
// evaluator (testing/meaning.h) confirms. A judge that accepts one of them as equal has a bug.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/random.h"
#include "steptp/ir/program.h"
#include "steptp/verify/verify.h"
#include "testing/meaning.h"

namespace steptp::testing {

/// Why a pair is unequal.
enum class AttackReason : std::uint8_t {
  value,      ///< an element has another value at the given inputs
  precision,  ///< a value on its way to an output is kept in a narrower float type
};

struct Attack {
  std::string name;  ///< the class, and what of it: "poles/rows"
  Program before;
  Program after;
  MeaningInputs inputs;
  /// The elements at which the difference is expected; empty: every element of every output is looked at.
  std::vector<OutputElement> elements;
  AttackReason reason = AttackReason::value;
};

/// One way to make unequal pairs. Nothing where this draw came to nothing.
struct AttackClass {
  std::string name;
  std::function<std::optional<Attack>(Random& random)> make;
  unsigned weight = 1;  ///< how often it has its turn
};
[[nodiscard]] const std::vector<AttackClass>& attack_classes();

// The parts of the list, by file.
[[nodiscard]] const std::vector<AttackClass>& scalar_attacks();       // attack_scalars.cpp
[[nodiscard]] const std::vector<AttackClass>& template_attacks();     // attack_templates.cpp
[[nodiscard]] const std::vector<AttackClass>& integer_attacks();      // attack_integers.cpp
[[nodiscard]] const std::vector<AttackClass>& host_attacks();         // attack_hosts.cpp
[[nodiscard]] const std::vector<AttackClass>& law_attacks();          // attack_laws.cpp
[[nodiscard]] const std::vector<AttackClass>& integer_law_attacks();  // attack_integer_laws.cpp
[[nodiscard]] const std::vector<AttackClass>& index_attacks();        // attack_indices.cpp
[[nodiscard]] const std::vector<AttackClass>& write_attacks();        // attack_writes.cpp
[[nodiscard]] const std::vector<AttackClass>& matrix_attacks();       // attack_matrix.cpp

/// The difference, where the witness shows one. By precision: text only.
[[nodiscard]] std::optional<MeaningDifference> confirm(const Attack& attack);

/// Steps that keep programs equal, on `after`, so that the change does not stand in the open.
void disguise(Attack& attack, Random& random);

/// What became of the pairs of a class.
struct AttackCounts {
  std::uint64_t made = 0;
  std::uint64_t confirmed = 0;
  std::map<Grade, std::uint64_t> grades;
  [[nodiscard]] std::uint64_t accepted() const;
};

struct AttackOptions {
  std::uint64_t seed = 1;
  std::uint64_t count = 1000;  ///< confirmed pairs, over all classes
  std::string only;            ///< classes whose name contains this
  std::uint64_t budget = 4'000'000;
  /// Called with every pair and its judgement.
  std::function<void(const Attack&, const MeaningDifference&, const Judgement&)> seen;
  /// Called with every pair whose witness shows nothing.
  std::function<void(const Attack&)> unconfirmed;
};
[[nodiscard]] std::map<std::string, AttackCounts> attack(const AttackOptions& options);

/// {"id","class","signature","before","after","inputs","difference":{...},"verdict","reason"}
[[nodiscard]] Json to_json(const Attack& attack, const MeaningDifference& difference, const Judgement* judgement);
[[nodiscard]] std::string to_table(const std::map<std::string, AttackCounts>& counts);

/// A pair from compact texts under one signature; nothing where a text cannot be read, which is a bug of the attack.
[[nodiscard]] std::optional<Attack> attack_from(std::string name, const std::string& signature,
                                                const std::string& before, const std::string& after);

}  // namespace steptp::testing
