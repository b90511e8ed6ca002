#include "steptp/recipe/places_by_name.h"

#include <charconv>
#include <set>
#include <utility>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/ir/site.h"

namespace steptp {

namespace {

/// The addresses of the equations that write a tensor, in the order of the text, and all names that are written.
class Writers {
 public:
  Writers(const Program& program, std::string_view tensor) : tensor_(tensor) {
    for (std::size_t i = 0; i < program.nests.size(); ++i) {
      Site site;
      site.items.push_back(static_cast<std::uint32_t>(i));
      visit(*program.nests[i], site);
    }
  }
  std::vector<Site> found;
  std::set<std::string> names;

 private:
  void visit(const Nest& nest, Site& site) {
    for (std::size_t i = 0; i < nest.items.size(); ++i) {
      site.items.push_back(static_cast<std::uint32_t>(i));
      if (const auto* inner = std::get_if<NestPtr>(&nest.items[i])) {
        visit(**inner, site);
      } else {
        const Equation& equation = *std::get<EquationPtr>(nest.items[i]);
        names.insert(equation.left->tensor);
        if (equation.left->tensor == tensor_) found.push_back(site);
      }
      site.items.pop_back();
    }
  }
  std::string_view tensor_;
};

}  // namespace

bool is_place_name(std::string_view place) { return !place.empty() && place[0] >= 'A' && place[0] <= 'Z'; }

Result<std::string, Diagnostic> place_by_name(const Program& program, std::string_view place) {
  if (!is_place_name(place)) return std::string(place);
  const std::size_t colon = std::min(place.find(':'), place.size());
  std::string_view name = place.substr(0, colon);
  const std::string_view part = place.substr(colon);
  std::size_t number = 1;
  if (const std::size_t sign = name.find('#'); sign != name.npos) {
    const char* end = name.data() + name.size();
    const auto read = std::from_chars(name.data() + sign + 1, end, number);
    if (read.ec != std::errc() || read.ptr != end || number == 0) {
      return make_error("usage", concat("'", name, "': behind # stands a number from 1"));
    }
    name = name.substr(0, sign);
  }
  const Writers writers(program, name);
  if (writers.found.size() < number) {
    const std::string count =
        writers.found.empty() ? "no equation writes" : concat("only ", writers.found.size(), " equations write");
    return make_error("usage", concat("there is no place '", place, "': ", count, " ", name),
                      concat("a place is an address, or a tensor that is written: ",
                             join(writers.names, " ", [](const std::string& one) { return one; })));
  }
  Site site = writers.found[number - 1];
  const bool is_of_equation = part.starts_with(":left") || part.starts_with(":right");
  if (!is_of_equation) site.items.pop_back();
  return concat(to_text(site), part);
}

Json with_place(const Json& choice, std::string place) {
  Json::Object out = *choice.as_object();
  for (auto& [key, value] : out) {
    if (key == "at") value = Json(place);
  }
  return Json(std::move(out));
}

Result<Json, Diagnostic> with_address(const Program& program, Json choice) {
  const Json* at = choice.as_object() ? choice.find("at") : nullptr;
  if (!at || !at->as_string()) return choice;
  auto address = place_by_name(program, *at->as_string());
  if (!address) return address.error();
  return with_place(choice, std::move(address).value());
}

}  // namespace steptp
