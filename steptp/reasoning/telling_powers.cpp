// powsimp, expand_powsimp, logsimp, expand_log
#include "steptp/reasoning/scalar_telling.h"
#include "steptp/reasoning/tellings.h"

namespace steptp {

namespace {

std::string power_law(const std::string& law) {
  if (law == "exponents") return "powers of one base add their exponents";
  if (law == "exponentials") return "a product of exponentials is the exponential of the sum";
  if (law == "bases") return "powers with one exponent multiply their bases";
  if (law == "roots") return "a product of roots is the root of the product";
  return "a power of a power multiplies the exponents";
}

void tell_powsimp(Teller& teller) {
  teller.bind("law_words", power_law(teller.word("law")));
  tell_scalar(teller);
}

std::string expansion_law(const std::string& law) {
  if (law == "power") return "a power with a larger exponent is a product of powers with smaller ones";
  if (law == "product") return "a whole power of a product is the product of the powers";
  if (law == "exponential") return "the exponential of a sum is the product of the exponentials";
  if (law == "multiple") return "the exponential of a multiple is a power of the exponential";
  return "the root of a product is the product of the roots where no factor is negative";
}

void tell_expand_powsimp(Teller& teller) {
  teller.bind("law_words", expansion_law(teller.word("law")));
  tell_scalar(teller);
}

constexpr Telling kTellings[] = {
    {"powsimp", tell_powsimp},
    {"expand_powsimp", tell_expand_powsimp},
};

}  // namespace

std::span<const Telling> power_tellings() { return kTellings; }

}  // namespace steptp
