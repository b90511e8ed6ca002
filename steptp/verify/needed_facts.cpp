#include "steptp/verify/needed_facts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "steptp/base/text.h"

namespace steptp {

namespace {

bool depends_on_sign(const Expr& expr) {
  if (const auto* product = std::get_if<Product>(&expr.node)) {
    for (const ArithmeticOp op : product->operators) {
      if (op != ArithmeticOp::multiply) return true;
    }
  }
  if (const auto* call = std::get_if<Call>(&expr.node)) {
    const bool is_one = call->function == Function::log || call->function == Function::rsqrt ||
                        call->function == Function::sqrt || call->function == Function::abs;
    if (is_one) return true;
  }
  const bool is_one = std::holds_alternative<Power>(expr.node) || std::holds_alternative<Extremum>(expr.node) ||
                      std::holds_alternative<Compare>(expr.node) || std::holds_alternative<Select>(expr.node);
  if (is_one) return true;
  for (const ExprPtr* child : children(expr)) {
    if (depends_on_sign(**child)) return true;
  }
  return false;
}

/// Something that is made of them divides, takes roots, magnitudes, logarithms or powers, compares, or converts.
std::set<std::string> tensors_whose_signs_matter(const Program& program) {
  std::set<std::string> out;
  std::vector<std::pair<std::string, std::set<std::string>>> made_of;  // target, and what it is made of
  for_each_equation(program, [&](const Equation& equation, const std::vector<const Nest*>& nests) {
    std::set<std::string> sources;
    bool matters = depends_on_sign(*equation.right) || !is_float(equation.left->dtype);
    const auto read = [&](const RefPtr& ref) {
      sources.insert(ref->tensor);
      matters = matters || !is_float(ref->dtype);
    };
    for_each_ref(*equation.right, read);
    for (const Nest* nest : nests) {
      if (!nest->guard) continue;
      matters = true;
      for_each_ref(*nest->guard, read);
    }
    if (matters) out.insert(sources.begin(), sources.end());
    made_of.emplace_back(equation.left->tensor, std::move(sources));
  });
  for (std::size_t before = out.size() + 1; before != out.size();) {
    before = out.size();
    for (const auto& [target, sources] : made_of) {
      if (out.contains(target)) out.insert(sources.begin(), sources.end());
    }
  }
  return out;
}

/// Splits a form at the names in it: calls `visit` with each text between names and each name ("A", "#7", "$3").
template <typename Text, typename Name>
void for_each_name(std::string_view form, const Text& text, const Name& name) {
  std::size_t start = 0;
  for (std::size_t at = 0; at < form.size();) {
    const char first = form[at];
    const bool is_input = first >= 'A' && first <= 'Z';
    if (!is_input && first != '#' && first != '$') {
      ++at;
      continue;
    }
    const auto goes_on = [&](char c) { return is_input ? c >= 'a' && c <= 'z' : c >= '0' && c <= '9'; };
    std::size_t end = at + 1;
    while (end < form.size() && goes_on(form[end])) ++end;
    text(form.substr(start, at - start));
    name(form.substr(at, end - at));
    start = at = end;
  }
  text(form.substr(start));
}

std::size_t number_of(std::string_view name) {
  std::size_t out = 0;
  for (const char c : name.substr(1)) out = out * 10 + static_cast<std::size_t>(c - '0');
  return out;
}

class Needed {
 public:
  Needed(ProofRecord& proof, const Program& before, const Program& after)
      : proof_(proof), before_(tensors_whose_signs_matter(before)), after_(tensors_whose_signs_matter(after)) {}

  void run() {
    for (ProofRecord::Value& value : proof_.values) {
      if (signs_matter(value)) {
        sensitive_.insert(concat("#", value.number));
      } else {
        value.nonnegative = value.nonpositive = value.nonzero = false;
      }
    }
    sensitive_.insert(before_.begin(), before_.end());
    sensitive_.insert(after_.begin(), after_.end());
    std::set<std::pair<std::string, std::string>> met;
    std::erase_if(proof_.conditions, [&](const ProofRecord::Condition& condition) {
      return !is_needed(condition) || !met.emplace(condition.needs, condition.of).second;
    });
    drop_parts();
  }

 private:
  [[nodiscard]] bool signs_matter(const ProofRecord::Value& value) const {
    const auto any = [](const std::vector<ProofRecord::Version>& versions, const std::set<std::string>& tensors) {
      return std::any_of(versions.begin(), versions.end(),
                         [&](const ProofRecord::Version& version) { return tensors.contains(version.tensor); });
    };
    return any(value.before, before_) || any(value.after, after_);
  }

  /// The inputs and value numbers that a form is made of, through its parts; parts are marked as used.
  void add_sources(std::string_view form, std::set<std::string>& out, std::set<std::size_t>& parts) const {
    for_each_name(
        form, [](std::string_view) {},
        [&](std::string_view name) {
          if (name[0] != '$') {
            out.emplace(name);
          } else if (parts.insert(number_of(name)).second) {
            add_sources(proof_.parts[number_of(name)], out, parts);
          }
        });
  }

  [[nodiscard]] bool is_needed(const ProofRecord::Condition& condition) const {
    std::set<std::string> sources;
    std::set<std::size_t> parts;
    add_sources(condition.of, sources, parts);
    if (condition.needs == "finite") return !sources.empty() || !condition.variables.empty();
    return std::any_of(sources.begin(), sources.end(),
                       [&](const std::string& source) { return sensitive_.contains(source); });
  }

  template <typename Visit>
  void for_each_form(const Visit& visit) {
    const auto all = [&](std::vector<ProofRecord::Region>& regions) {
      for (ProofRecord::Region& region : regions) {
        for (std::string* form :
             {&region.where, &region.form, &region.after, &region.no_value_before, &region.no_value_after}) {
          visit(*form);
        }
      }
    };
    for (ProofRecord::Value& value : proof_.values) all(value.regions);
    for (ProofRecord::Output& output : proof_.outputs) all(output.regions);
    for (ProofRecord::Condition& condition : proof_.conditions) visit(condition.of);
  }

  void drop_parts() {
    std::set<std::string> sources;
    std::set<std::size_t> used;
    for_each_form([&](const std::string& form) { add_sources(form, sources, used); });
    std::map<std::size_t, std::size_t> numbers;
    for (const std::size_t part : used) numbers.emplace(part, numbers.size());
    const auto renumber = [&](std::string& form) {
      std::string out;
      for_each_name(
          form, [&](std::string_view text) { out += text; },
          [&](std::string_view name) {
            name[0] == '$' ? append(out, "$", numbers.at(number_of(name))) : append(out, name);
          });
      form = std::move(out);
    };
    std::vector<std::string> parts;
    for (const std::size_t part : used) {
      renumber(proof_.parts[part]);
      parts.push_back(std::move(proof_.parts[part]));
    }
    proof_.parts = std::move(parts);
    for_each_form(renumber);
  }

  ProofRecord& proof_;
  std::set<std::string> before_;
  std::set<std::string> after_;
  std::set<std::string> sensitive_;  ///< tensors, and value numbers, whose signs matter
};

}  // namespace

ProofRecord what_is_needed(ProofRecord proof, const Program& before, const Program& after) {
  Needed(proof, before, after).run();
  return proof;
}

}  // namespace steptp
