// Where each move can be made on the programs of the zoo at their default shapes, and how long it takes to find that
// out: a line for each type with seconds of CPU, the number of places and of choices, and a hash of all that is listed,
// then a line for each move, and one for all. Two builds whose hashes are alike list the same, byte for byte.
//
//   move_listings [--offers FILE] [--recipes FILE] [--every N] [TYPE...]
//
// --offers writes every offer as a line of JSON, as `steptp choices --moves` prints it. --recipes makes a few choices
// of each move on each type, drawn with a seed, and writes their recipes. --every takes one type in N.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <set>
#include <string>

#include "steptp/base/hash.h"
#include "steptp/base/random.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/plans/listing.h"
#include "steptp/plans/registry.h"

namespace steptp::testing {
namespace {

struct Request {
  std::string offers;
  std::string recipes;
  std::size_t every = 1;
  std::set<std::string> types;

  [[nodiscard]] bool has(const std::string& type, std::size_t number) const {
    return types.empty() ? number % every == 0 : types.contains(type);
  }
};

struct Row {
  double seconds = 0;
  std::uint64_t places = 0;
  std::uint64_t choices = 0;
  Hash hash = 0;

  void add(const Row& other) {
    seconds += other.seconds;
    places += other.places;
    choices += other.choices;
    hash = combine(hash, other.hash);
  }
};

constexpr std::uint64_t kMade = 3;

/// Recipes of some of the choices.
void make_some(const Move& move, const std::string& type, const Program& program, const Listing& listing,
               std::ostream& recipes) {
  if (listing.sites.empty()) return;
  Random random(combine(hash_text(type), hash_text(move.name)));
  for (std::uint64_t i = 0; i < kMade; ++i) {
    const ChoiceSite& site = listing.sites[random.below(listing.sites.size())];
    const Choice choice = site.choice(random.below(site.count()));
    const auto made = apply(move, program, choice, Tracking::off);
    recipes << type << " " << move.name << " " << choice.to_json().dump() << " "
            << (made ? to_json(made->recipe) : to_json(made.error())).dump() << "\n";
  }
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

Row listed(const Move& move, const std::string& type, View& view, std::ostream& offers, std::ostream* recipes) {
  const double begin = cpu_seconds();
  const Listing listing = list_choices(move, view);
  Row row;
  row.seconds = cpu_seconds() - begin;
  for (const ChoiceSite& site : listing.sites) {
    const std::string text = to_json(type, MoveSite{&move, site}).dump();
    ++row.places;
    row.choices += site.count();
    row.hash = combine(row.hash, hash_text(text));
    offers << text << "\n";
  }
  if (recipes) make_some(move, type, view.program(), listing, *recipes);
  return row;
}

void print(const std::string& name, const Row& row) {
  std::cout << std::left << std::setw(56) << name << std::right << std::fixed << std::setprecision(3) << std::setw(9)
            << row.seconds << std::setw(8) << row.places << std::setw(12) << row.choices << "  " << std::hex
            << std::setfill('0') << std::setw(16) << row.hash << std::dec << std::setfill(' ') << std::endl;
}

int run(const Request& request) {
  std::ofstream offers;
  if (!request.offers.empty()) offers.open(request.offers);
  std::ofstream recipes;
  if (!request.recipes.empty()) recipes.open(request.recipes);
  std::map<std::string, Row> by_move;
  Row all;
  std::size_t number = 0;
  for (const zoo::ProgramType& type : zoo::all_types()) {
    if (!request.has(type.name, number++)) continue;
    Row whole;
    std::map<DType, Program> programs;
    for (const Move* move : all_moves()) {
      const auto [program, fresh] = programs.try_emplace(move->zoo_dtype);
      if (fresh) {
        const auto made = zoo_program(type.name, {}, move->zoo_dtype);
        if (!made) {
          std::cerr << type.name << " is not made\n";
          return EXIT_FAILURE;
        }
        program->second = made->program;
      }
      View view(program->second);
      const Row row = listed(*move, type.name, view, offers, recipes.is_open() ? &recipes : nullptr);
      by_move[std::string(move->name)].add(row);
      whole.add(row);
    }
    print(type.name, whole);
    all.add(whole);
  }
  for (const auto& [name, row] : by_move) print("the move " + name, row);
  print("all", all);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace steptp::testing

int main(int argc, char** argv) {
  steptp::testing::Request request;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--offers" && i + 1 < argc) {
      request.offers = argv[++i];
    } else if (word == "--recipes" && i + 1 < argc) {
      request.recipes = argv[++i];
    } else if (word == "--every" && i + 1 < argc) {
      request.every = static_cast<std::size_t>(std::max(1, std::atoi(argv[++i])));
    } else {
      request.types.insert(word);
    }
  }
  return steptp::testing::run(request);
}
