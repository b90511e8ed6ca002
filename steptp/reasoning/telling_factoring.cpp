// factorization, expand_factorization, collect, expand_collect
#include "steptp/reasoning/scalar_telling.h"
#include "steptp/reasoning/tellings.h"

namespace steptp {

namespace {

void tell_factorization(Teller& teller) {
  teller.bind("form_words", teller.word("form") == "full" ? "irreducible factors" : "square-free factors");
  tell_scalar(teller);
}

constexpr Telling kTellings[] = {
    {"factorization", tell_factorization},
};

}  // namespace

std::span<const Telling> factoring_tellings() { return kTellings; }

}  // namespace steptp
