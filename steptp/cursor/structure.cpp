#include "steptp/cursor/structure.h"

#include <algorithm>
#include <stdexcept>

#include "steptp/base/text.h"

namespace steptp::cursor {

Structure::Structure(std::string_view kind, std::vector<std::string_view> parameters) : kind_(token_of(kind)) {
  for (const std::string_view parameter : parameters) opcodes_.push_back(token_of(concat("op:", parameter)));
}

ListedStructure::ListedStructure(std::string_view kind, std::vector<std::string_view> parameters,
                                 std::vector<Form> forms)
    : Structure(kind, std::move(parameters)), forms_(std::move(forms)) {
  std::sort(forms_.begin(), forms_.end(),
            [](const Form& left, const Form& right) { return left.values < right.values; });
}

std::span<const Form> ListedStructure::beginning_with(std::span<const Token> chosen) const {
  std::span<const Form> left = forms_;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto from =
        std::partition_point(left.begin(), left.end(), [&](const Form& form) { return form.values[i] < chosen[i]; });
    const auto to =
        std::partition_point(from, left.end(), [&](const Form& form) { return form.values[i] == chosen[i]; });
    left = {from, to};
  }
  return left;
}

void ListedStructure::legal(std::span<const Token> chosen, std::vector<Token>& out) const {
  std::span<const Form> left = beginning_with(chosen);
  const std::size_t next = chosen.size();
  while (!left.empty()) {
    const Token value = left.front().values[next];
    out.push_back(value);
    const auto behind =
        std::partition_point(left.begin(), left.end(), [&](const Form& form) { return form.values[next] == value; });
    left = {behind, left.end()};
  }
}

std::vector<PlannedMove> ListedStructure::moves(std::span<const Token> chosen) const {
  const std::span<const Form> found = beginning_with(chosen);
  if (found.size() != 1) throw std::logic_error("the choice is not complete");
  return found.front().moves;
}

std::vector<PlannedMove> moves_at(std::uint32_t first, std::vector<PlannedMove> moves) {
  for (PlannedMove& move : moves) move.choice.at.items[0] += first;
  return moves;
}

std::optional<Token> value_token(const Json& value) {
  if (value.as_integer()) return number_token(*value.as_integer());
  return value.as_string() ? find_token(*value.as_string()) : std::nullopt;
}

}  // namespace steptp::cursor
