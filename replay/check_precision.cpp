// Differences by precision: read off the types between a source and an output, tensor by tensor.
#include <cstdlib>
#include <functional>
#include <map>
#include <set>

#include "replay/check.h"
#include "steptp/base/text.h"

namespace steptp::replayer {

namespace {

using Width = std::pair<std::int64_t, std::int64_t>;

bool holds(const Width& one, const Width& other) { return one.first >= other.first && one.second >= other.second; }

Width width_of(DType dtype) {
  switch (dtype) {
    case DType::f64: return {53, 1023};
    case DType::f32: return {24, 127};
    case DType::f16: return {11, 15};
    case DType::bf16: return {8, 127};
    default: break;
  }
  std::int64_t bits = 0;
  for (std::int64_t left = info(dtype).greatest; left > 0; left >>= 1) ++bits;
  return {bits, bits};
}

/// "literal 0.1", whether it is written as an integer or not.
bool is_named(const Literal& literal, const std::string& source) {
  constexpr std::string_view kWord = "literal ";
  if (!source.starts_with(kWord)) return false;
  const double named = std::strtod(source.c_str() + kWord.size(), nullptr);
  return named == (literal.is_integer ? static_cast<double>(literal.integer) : literal.real);
}

/// Which tensors read which, through values, conditions and subscripts alike.
class Ways {
 public:
  Ways(const Layout& layout, const std::string& source) : layout_(layout) {
    for (const Statement& statement : layout.statements()) {
      const std::string& target = statement.equation->left->tensor;
      const auto note = [&](const RefPtr& ref) {
        readers_[ref->tensor].insert(target);
        sources_[target].insert(ref->tensor);
        if (ref->tensor == source) starts_.insert(target);
      };
      for_each_ref(*statement.equation->right, note);
      for_each_ref(statement.equation->left, note);
      const std::function<void(const Expr&)> walk = [&](const Expr& expr) {
        const auto* literal = std::get_if<Literal>(&expr.node);
        if (literal && is_named(*literal, source)) starts_.insert(target);
        if (source == "index" && std::holds_alternative<IndexValue>(expr.node)) starts_.insert(target);
        for (const ExprPtr* child : children(expr)) walk(**child);
      };
      walk(*statement.equation->right);
      for (const ExprPtr& guard : statement.guards) {
        for_each_ref(*guard, note);
        walk(*guard);
      }
    }
  }

  [[nodiscard]] bool has_source() const { return !starts_.empty(); }

  /// Tensors between the source and the output whose type does not hold this; `of_all`: whatever the source.
  [[nodiscard]] std::vector<std::string> narrow(const std::string& output, const Width& wanted, bool of_all) const {
    const std::set<std::string> behind = reached(starts_, readers_);
    const std::set<std::string> ahead = reached({output}, sources_);
    std::vector<std::string> out;
    for (const std::string& name : ahead) {
      const Tensor& tensor = layout_.tensor(name);
      if ((tensor.known && tensor.known->role != Role::output) || name == output) continue;
      if (!of_all && !behind.contains(name)) continue;
      if (!holds(width_of(tensor.dtype), wanted)) out.push_back(name);
    }
    return out;
  }

 private:
  using Graph = std::map<std::string, std::set<std::string>>;
  static std::set<std::string> reached(const std::set<std::string>& from, const Graph& next) {
    std::set<std::string> out = from;
    std::vector<std::string> open(from.begin(), from.end());
    while (!open.empty()) {
      const auto found = next.find(open.back());
      open.pop_back();
      if (found == next.end()) continue;
      for (const std::string& name : found->second) {
        if (out.insert(name).second) open.push_back(name);
      }
    }
    return out;
  }

  const Layout& layout_;
  Graph readers_;
  Graph sources_;
  std::set<std::string> starts_;  ///< tensors written by statements that read the source
};

}  // namespace

void check_precision(Context& context) {
  const Loss& loss = *context.certificate.loss;
  const Variable* output = context.certificate.before.signature.find(loss.output);
  if (!output || output->role != Role::output) throw Refused{concat(loss.output, " is no output")};
  if (holds(loss.found, loss.expected)) throw Refused{"the type that is said to be too narrow is wide enough"};
  const Ways before(context.before, loss.source);
  const Ways after(context.after, loss.source);
  if (!after.has_source()) throw Refused{concat("after does not use ", loss.source)};
  const auto narrow = after.narrow(loss.output, loss.expected, false);
  if (narrow.empty()) throw Refused{concat("after keeps nothing of ", loss.source, " in a narrow type")};
  const auto were_narrow = before.narrow(loss.output, loss.expected, !before.has_source());
  if (!were_narrow.empty()) {
    throw Undecided{concat("before keeps ", were_narrow[0], " in a narrow type too, perhaps on another way")};
  }
  context.report.reproved.push_back(concat("after keeps ", narrow[0], ", made of ", loss.source, " and part of ",
                                           loss.output, ", in a type that is too narrow; before has none such"));
}

}  // namespace steptp::replayer
