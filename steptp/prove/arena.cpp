#include "steptp/prove/arena.h"

namespace steptp::forms {

Room::Room(Arena& arena)
    : arena_(arena),
      store_(arena),
      budget_(store_.budget),
      atoms_(store_.atoms_),
      affines_(store_.affines_),
      conditions_(store_.conditions_),
      generators_(store_.generators_),
      monomials_(store_.monomials_),
      polynomials_(store_.polynomials_),
      nonnegative_(store_.nonnegative_),
      nonnegative_anywhere_(store_.nonnegative_anywhere_),
      laws_(store_.laws()),
      with_algebra_(store_.with_algebra()) {}

Arena::Arena(std::uint64_t work_limit, Laws laws)
    : Store(work_limit, laws),
      trait_rules(*this),
      known(*this),
      affines(*this),
      conditions(*this),
      polynomials(*this),
      signs(*this),
      quotients(*this),
      products(*this),
      functions(*this),
      choices(*this),
      masks(*this),
      maxima(*this),
      reductions(*this),
      substitute(*this),
      occurrences(*this) {
  rules_ = &trait_rules;
}

}  // namespace steptp::forms
