#include "steptp/cursor/program_words.h"

#include <array>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "steptp/base/text.h"

namespace steptp::cursor {

namespace {

/// Values and their words, both ways.
template <class Value>
class Table {
 public:
  void add(Value value, const std::string& word) { rows_.emplace_back(value, token_of(word)); }

  [[nodiscard]] Token word(Value value) const {
    for (const auto& [known, token] : rows_) {
      if (known == value) return token;
    }
    throw std::logic_error("a value without a word");
  }
  [[nodiscard]] std::optional<Value> value(Token token) const {
    for (const auto& [known, word] : rows_) {
      if (word == token) return known;
    }
    return std::nullopt;
  }

 private:
  std::vector<std::pair<Value, Token>> rows_;
};

template <class Value, class Values, class Word>
Table<Value> table_of(const Values& values, std::string_view mark, const Word& word) {
  Table<Value> out;
  for (const Value value : values) out.add(value, concat(mark, word(value)));
  return out;
}

const Table<Role>& roles() {
  static const auto kTable = table_of<Role>(std::array{Role::input, Role::constant, Role::param, Role::output},
                                            "role:", [](Role role) { return name_of(role); });
  return kTable;
}
const Table<DType>& dtypes() {
  static const auto kTable = table_of<DType>(kAllDTypes, "", [](DType dtype) { return code(dtype); });
  return kTable;
}
const Table<Placement>& placements() {
  static const auto kTable = [] {
    Table<Placement> out;
    for (const Scope scope : {Scope::global, Scope::shared, Scope::local, Scope::fragment}) {
      out.add(scope, std::string(code(Placement(scope))));
    }
    for (std::uint8_t depth = 2; depth <= kMostDepth; ++depth) {
      out.add({Scope::shared, depth}, std::string(code(Placement(Scope::shared, depth))));
    }
    return out;
  }();
  return kTable;
}
const Table<Function>& functions() {
  static const auto kTable = table_of<Function>(kAllFunctions, "fn:", [](Function function) {
    return function == Function::negate ? std::string_view("negate") : text_of(function);
  });
  return kTable;
}
const Table<ArithmeticOp>& arithmetic() {
  static const auto kTable =
      table_of<ArithmeticOp>(kAllArithmeticOps, "do:", [](ArithmeticOp op) { return text_of(op); });
  return kTable;
}
const Table<CompareOp>& compares() {
  static const auto kTable = table_of<CompareOp>(kAllCompareOps, "do:", [](CompareOp op) { return text_of(op); });
  return kTable;
}
const Table<LogicOp>& logics() {
  static const auto kTable = table_of<LogicOp>(std::array{LogicOp::conjunction, LogicOp::disjunction},
                                               "do:", [](LogicOp op) { return text_of(op); });
  return kTable;
}
const Table<LoopKind>& kinds() {
  static const auto kTable = table_of<LoopKind>(
      std::array{LoopKind::serial, LoopKind::parallel, LoopKind::vectorized, LoopKind::unrolled, LoopKind::tensorized},
      "", [](LoopKind kind) { return std::string(1, code(kind)); });
  return kTable;
}
const Table<Axis>& axes() {
  static const auto kTable = [] {
    Table<Axis> out;
    for (std::size_t i = 0; i < kAxes; ++i) {
      out.add(static_cast<Axis>(i), std::string(name_of(static_cast<Axis>(i))));
    }
    return out;
  }();
  return kTable;
}
const Table<Domain::Kind>& domains() {
  static const auto kTable = [] {
    Table<Domain::Kind> out;
    out.add(Domain::Kind::any, "domain:any");
    out.add(Domain::Kind::positive, "domain:positive");
    out.add(Domain::Kind::nonzero, "domain:nonzero");
    out.add(Domain::Kind::range, "domain:range");
    out.add(Domain::Kind::masked, "domain:masked");
    return out;
  }();
  return kTable;
}

}  // namespace

const ProgramWords& program_words() {
  static const ProgramWords kWords;
  return kWords;
}

Token word_of(Role role) { return roles().word(role); }
Token word_of(DType dtype) { return dtypes().word(dtype); }
Token word_of(Placement placement) { return placements().word(placement); }
Token word_of(Function function) { return functions().word(function); }
Token word_of(ArithmeticOp op) { return arithmetic().word(op); }
Token word_of(CompareOp op) { return compares().word(op); }
Token word_of(LogicOp op) { return logics().word(op); }
Token word_of(LoopKind kind) { return kinds().word(kind); }
Token word_of(Axis axis) { return axes().word(axis); }
Token word_of(Domain::Kind kind) { return domains().word(kind); }

std::optional<Role> role_of(Token token) { return roles().value(token); }
std::optional<DType> dtype_of(Token token) { return dtypes().value(token); }
std::optional<Placement> placement_of(Token token) { return placements().value(token); }
std::optional<Function> function_of(Token token) { return functions().value(token); }
std::optional<ArithmeticOp> arithmetic_of(Token token) { return arithmetic().value(token); }
std::optional<CompareOp> compare_of(Token token) { return compares().value(token); }
std::optional<LogicOp> logic_of(Token token) { return logics().value(token); }
std::optional<LoopKind> kind_of(Token token) { return kinds().value(token); }
std::optional<Axis> bound_axis_of(Token token) { return axes().value(token); }
std::optional<Domain::Kind> domain_of(Token token) { return domains().value(token); }

}  // namespace steptp::cursor
