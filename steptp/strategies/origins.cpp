#include "steptp/strategies/origins.h"

#include <algorithm>

#include "steptp/strategies/rewrite.h"

namespace steptp {

namespace {

thread_local OriginLog* current = nullptr;

/// The references that are read as values, in the order of the text.
std::vector<RefPtr> values_read(const ExprPtr& expr) {
  std::vector<RefPtr> out;
  const auto visit = [&out](const auto& self, const Expr& part) -> void {
    if (const auto* read = std::get_if<Read>(&part.node)) out.push_back(read->ref);
    for (std::size_t i = 0; i < child_count(part); ++i) self(self, *child(part, i));
  };
  visit(visit, *expr);
  return out;
}

/// The expression with each reference that is read as a value exchanged, in the order of the text.
template <typename Exchange>
ExprPtr with_reads(const ExprPtr& expr, Exchange& exchange) {
  if (const auto* read = std::get_if<Read>(&expr->node)) return read_expr(exchange(read->ref));
  std::vector<ExprPtr> parts;
  for (std::size_t i = 0; i < child_count(*expr); ++i) parts.push_back(with_reads(child(*expr, i), exchange));
  return parts.empty() ? expr : with_children(expr, parts);
}

RefPtr copy_of(const RefPtr& ref) { return make_ref(ref->tensor, ref->dtype, ref->scope, ref->subscripts); }

}  // namespace

OriginLog::OriginLog() { current = this; }
OriginLog::~OriginLog() { current = nullptr; }

void OriginLog::note(std::shared_ptr<const void> made, const void* old) {
  const auto known = numbers_.find(old);
  if (known == numbers_.end() || made.get() == old) return;
  const std::vector<std::uint32_t> more = known->second;
  std::vector<std::uint32_t>& numbers = numbers_[made.get()];
  numbers.insert(numbers.end(), more.begin(), more.end());
  alive_.push_back(std::move(made));
}

void OriginLog::note_names(const void* made, const void* old, const std::map<std::string, std::string>& names) {
  for (const std::uint32_t number : numbers(old)) names_.push_back({made, number, names});
}

std::vector<std::uint32_t> OriginLog::numbers(const void* part) const {
  const auto known = numbers_.find(part);
  if (known == numbers_.end()) return {};
  std::vector<std::uint32_t> out = known->second;
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

const std::string* OriginLog::name_in(const void* made, std::uint32_t nest, const std::string& name) const {
  for (const Names& entry : names_) {
    if (entry.made != made || entry.nest != nest) continue;
    const auto found = entry.names.find(name);
    if (found != entry.names.end()) return &found->second;
  }
  return nullptr;
}

NestPtr stands_for(NestPtr made, const Nest& old) {
  if (current) current->note(made, &old);
  return made;
}

EquationPtr stands_for(EquationPtr made, const Equation& old) {
  if (current) current->note(made, &old);
  return made;
}

RefPtr stands_for(RefPtr made, const Ref& old) {
  if (!current || !made) return made;
  RefPtr copy = copy_of(made);
  current->note(copy, made.get());
  current->note(copy, &old);
  return copy;
}

NestPtr stands_for(NestPtr made, const Nest& old, const std::map<std::string, std::string>& names) {
  if (!current) return made;
  current->note_names(made.get(), &old, names);
  return stands_for(std::move(made), old);
}

ExprPtr reads_stand_for(const ExprPtr& made, std::span<const ExprPtr> old) {
  if (!current || !made) return made;
  const std::vector<RefPtr> now = values_read(made);
  std::vector<std::vector<RefPtr>> before;
  for (const ExprPtr& expr : old) {
    std::vector<RefPtr> refs = values_read(expr);
    if (refs.size() == now.size()) before.push_back(std::move(refs));
  }
  std::size_t number = 0;
  auto exchange = [&](const RefPtr& ref) {
    RefPtr copy = copy_of(ref);
    for (const std::vector<RefPtr>& refs : before) current->note(copy, refs[number].get());
    ++number;
    return copy;
  };
  return with_reads(made, exchange);
}

ExprPtr reads_of_stand_for(const ExprPtr& made, const std::string& tensor, const ExprPtr& old, const Ref& spelled) {
  if (!current || !made) return made;
  const std::vector<RefPtr> before = values_read(old);
  auto exchange = [&](const RefPtr& ref) {
    if (ref->tensor != tensor) return ref;
    RefPtr copy = copy_of(ref);
    for (const RefPtr& other : before) {
      if (equal(*other, spelled)) current->note(copy, other.get());
    }
    return copy;
  };
  return with_reads(made, exchange);
}

ExprPtr reads_stand_for_alike(const ExprPtr& made, const ExprPtr& old) {
  if (!current || !made) return made;
  const std::vector<RefPtr> before = values_read(old);
  auto exchange = [&](const RefPtr& ref) {
    RefPtr copy = copy_of(ref);
    for (const RefPtr& other : before) {
      if (equal(*other, *ref)) current->note(copy, other.get());
    }
    return copy;
  };
  return with_reads(made, exchange);
}

}  // namespace steptp
