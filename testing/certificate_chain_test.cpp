// Certificates of chains: what the judge writes is confirmed, and what was changed in one is refused.
#include <functional>

#include "steptp/documents/judged_chain.h"
#include "testing/certificate_support.h"

namespace steptp::testing {
namespace {

constexpr const char* kHeader = "@input A f32[6,8]\n@output D f32[6]\n";
constexpr const char* kPrograms[] = {"tx6 a8 D(tx)+=A(tx,a)*2;", "tx6 a4 c2 D(tx)+=A(tx,a*2+c)*2;",
                                     "tx6 c2 a4 D(tx)+=(A(tx,a*2+c)+A(tx,a*2+c));"};

JudgedLink link_of(const char* before, const char* after) {
  const Pair pair = pair_of({"proved", kHeader, before, after});
  ApartOptions how;
  how.with_certificate = true;
  JudgedLink link;
  link.answer = verify_apart(pair, how);
  EXPECT_EQ(link.answer.verdict, Grade::proved) << link.answer.reason;
  return link;
}

Json honest_chain() {
  JudgedChain chain;
  chain.links = {link_of(kPrograms[0], kPrograms[1]), link_of(kPrograms[1], kPrograms[2])};
  return parse_json(chain.certificate("chain")).value();
}

/// The object with another value for a key, or with one more.
void put(Json& object, const std::string& key, Json value) {
  Json::Object fields = *object.as_object();
  std::erase_if(fields, [&](const auto& field) { return field.first == key; });
  fields.emplace_back(key, std::move(value));
  object = Json(std::move(fields));
}

replayer::Report replayed(const Json& chain) { return replayer::replay_certificate(chain.dump()); }

Json::Array links_of(const Json& chain) { return *chain.find("links")->as_array(); }

TEST(ChainCertificate, IsConfirmed) {
  const auto report = replayed(honest_chain());
  EXPECT_EQ(report.outcome, Outcome::confirmed) << report.reason;
  EXPECT_EQ(report.verdict, "proved");
  EXPECT_EQ(report.reproved.front(), "2 links from the root to the end, without gaps");
}

struct Lie {
  const char* name;
  std::function<void(Json&)> tell;
  Outcome outcome;
  const char* reason;
};

TEST(ChainCertificate, LiesAreFoundOut) {
  const Json honest = honest_chain();
  const Json other = parse_json(link_of(kPrograms[1], kPrograms[0]).answer.certificate).value();
  const auto with_links = [](Json& chain, Json::Array links) { put(chain, "links", std::move(links)); };
  const std::vector<Lie> lies = {
      {"a link is left out", [&](Json& c) { with_links(c, {links_of(c)[0]}); }, Outcome::unusable,
       "a chain of 1 links"},
      {"links in another order",
       [&](Json& c) {
         with_links(c, {links_of(c)[1], links_of(c)[0]});
       },
       Outcome::refused, "link 1 does not begin where the chain begins"},
      {"a gap",
       [&](Json& c) {
         with_links(c, {links_of(c)[0], links_of(c)[0], links_of(c)[1]});
       },
       Outcome::refused, "link 2 does not begin where the one before ends"},
      {"another end", [&](Json& c) { put(c, "after", *c.find("before")); }, Outcome::refused,
       "the last link does not end where the chain ends"},
      {"a link that goes back",
       [&](Json& c) {
         with_links(c, {links_of(c)[0], other});
       },
       Outcome::refused, "the last link does not end where the chain ends"},
      {"another root", [&](Json& c) { put(c, "before", *c.find("after")); }, Outcome::refused,
       "link 1 does not begin where the chain begins"},
      {"another verdict", [&](Json& c) { put(c, "verdict", "exact"); }, Outcome::refused,
       "the verdict is not that of the links"},
      {"a verdict that is none", [&](Json& c) { put(c, "verdict", "numeric"); }, Outcome::unusable, "verdict"},
      {"a chance that no link has", [&](Json& c) { put(c, "bound_log2", -60); }, Outcome::refused,
       "the chance of an error is not that of the links"},
      {"another signature", [&](Json& c) { put(c, "signature", Json::Array()); }, Outcome::refused,
       "link 1 has another signature than the chain"},
      {"an unknown field", [&](Json& c) { put(c, "seal", true); }, Outcome::unusable, "seal"},
      {"a link that is no certificate",
       [&](Json& c) {
         Json::Array links = links_of(c);
         put(links[1], "hash", Json());
         with_links(c, std::move(links));
       },
       Outcome::unusable, "link 2 of 2"},
  };
  for (const Lie& lie : lies) {
    Json chain = honest;
    lie.tell(chain);
    const auto report = replayed(chain);
    EXPECT_EQ(report.outcome, lie.outcome) << lie.name << ": " << report.reason;
    EXPECT_NE(report.reason.find(lie.reason), std::string::npos) << lie.name << ": " << report.reason;
  }
}

/// A program in a link that is not equal to the one before it: the link, not the chain, is refused.
TEST(ChainCertificate, ALinkThatIsWrongIsRefused) {
  Json chain = honest_chain();
  const std::string text = chain.dump();
  const std::string from = "A^{f32,g}_{tx,a*2+c}+A^{f32,g}_{tx,a*2+c}";
  ASSERT_NE(text.find(from), std::string::npos) << text;
  std::string wrong = text;
  for (std::size_t at = wrong.find(from); at != std::string::npos; at = wrong.find(from, at)) {
    wrong.replace(at, from.size(), "A^{f32,g}_{tx,a*2+c}+A^{f32,g}_{tx,a*2}  ");
  }
  const auto report = replayer::replay_certificate(wrong);
  EXPECT_NE(report.outcome, Outcome::confirmed);
  EXPECT_EQ(report.reason.substr(0, 11), "link 2 of 2");
}

/// Chances of links are added; what is stated may be more, never less, and never above 2^-40.
TEST(ChainCertificate, ChancesAreAdded) {
  const auto chain_with = [](double chance) {
    Json chain = honest_chain();
    Json::Array links = links_of(chain);
    for (Json& link : links) {
      Json cover;
      put(link, "verdict", "exact");
      put(link, "cover", cover.set("by", "elements").set("count", 6).set("bound_log2", -60));
    }
    put(chain, "links", std::move(links));
    put(chain, "verdict", "exact");
    put(chain, "bound_log2", chance);
    return chain;
  };
  EXPECT_EQ(replayed(chain_with(-59.5)).reason, "the chance of an error is less than that of the links");
  EXPECT_EQ(replayed(chain_with(-39)).reason, "the chance of an error is above 2^-40");
  // The sum is right; that these links show nothing is found when they are replayed.
  EXPECT_EQ(replayed(chain_with(-59)).reason.substr(0, 11), "link 1 of 2");
}

}  // namespace
}  // namespace steptp::testing
