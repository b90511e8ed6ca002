#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "steptp/base/hash.h"

namespace steptp {

struct Ref;
using RefPtr = std::shared_ptr<const Ref>;

class Index;

/// What a product of subscripts is made of. Quotient and remainder floor; a divisor that is the constant zero cannot
/// be built.
struct LoopVariable {
  std::string name;
};
struct FloorQuotient {
  std::shared_ptr<const Index> dividend;
  std::shared_ptr<const Index> divisor;
};
struct FloorRemainder {
  std::shared_ptr<const Index> dividend;
  std::shared_ptr<const Index> divisor;
};
struct IndirectRead {
  RefPtr ref;
};
using IndexAtom = std::variant<LoopVariable, FloorQuotient, FloorRemainder, IndirectRead>;

/// coefficient * factor * factor ...: the coefficient is not zero, there is at least one factor, factors are sorted.
struct IndexTerm {
  std::int64_t coefficient = 1;
  std::vector<IndexAtom> factors;
};

/// An exact integer: a subscript, an extent, a bound. Always in normal form, a sum of products with like terms
/// combined and products distributed over sums, so that equal polynomials are equal objects. There is no overflow: an
/// operation whose result does not fit in 64-bit coefficients, would have more than kMaxTerms terms, or would nest
/// quotients and remainders deeper than kMaxNesting, gives nothing.
/// The order of terms is the order in which they were written, kept for printing; equality and hash ignore it.
class Index {
 public:
  static constexpr std::size_t kMaxTerms = 4096;
  static constexpr int kMaxNesting = 64;

  Index() = default;
  [[nodiscard]] static Index constant(std::int64_t value);
  [[nodiscard]] static Index variable(std::string name);
  [[nodiscard]] static Index read(RefPtr ref);

  [[nodiscard]] static std::optional<Index> add(const Index& left, const Index& right);
  [[nodiscard]] static std::optional<Index> subtract(const Index& left, const Index& right);
  /// All of them at once: a long sum built by adding one by one would be copied each time.
  [[nodiscard]] static std::optional<Index> sum(const Index& first, const std::vector<Index>& others);
  [[nodiscard]] static std::optional<Index> multiply(const Index& left, const Index& right);
  /// Nothing also where the divisor is the constant zero.
  [[nodiscard]] static std::optional<Index> floor_divide(const Index& dividend, const Index& divisor);
  [[nodiscard]] static std::optional<Index> modulo(const Index& dividend, const Index& divisor);

  [[nodiscard]] std::int64_t constant_term() const { return constant_; }
  [[nodiscard]] const std::vector<IndexTerm>& terms() const { return body_ ? body_->terms : no_terms(); }
  [[nodiscard]] bool is_constant() const { return !body_; }
  /// The name, where the index is one loop variable and nothing else.
  [[nodiscard]] const std::string* as_variable() const;

  /// How deep brackets may nest in the text: two levels for a quotient or a remainder (its own and those of its
  /// operands), one for an indirect read.
  [[nodiscard]] int nesting() const { return body_ ? body_->nesting : 0; }

  [[nodiscard]] bool operator==(const Index& other) const;
  [[nodiscard]] Hash hash() const { return mix((body_ ? body_->hash : 0) + mix(static_cast<Hash>(constant_))); }

  /// The same index with its terms in the order of compare(), so that equal indices also print alike.
  [[nodiscard]] Index sorted() const;

 private:
  /// The terms are shared by copies: most subscripts are one variable, and the same few all over a program.
  struct Body {
    std::vector<IndexTerm> terms;
    Hash hash = 0;
    int nesting = 0;
  };
  [[nodiscard]] static Index from_terms(std::vector<IndexTerm> terms, std::int64_t constant);
  [[nodiscard]] static std::optional<Index> combine_terms(std::vector<IndexTerm> terms, std::int64_t constant);
  [[nodiscard]] static std::optional<Index> scaled_sum(const Index& left, const Index& right, std::int64_t scale);
  [[nodiscard]] static const std::vector<IndexTerm>& no_terms();

  std::shared_ptr<const Body> body_;  ///< null: no terms
  std::int64_t constant_ = 0;
};

/// A total order that depends on the content only.
[[nodiscard]] int compare(const Index& left, const Index& right);
[[nodiscard]] int compare(const IndexAtom& left, const IndexAtom& right);

/// Floor division and remainder of integers; the divisor is not zero.
[[nodiscard]] std::int64_t floor_quotient(std::int64_t dividend, std::int64_t divisor);
[[nodiscard]] std::int64_t floor_remainder(std::int64_t dividend, std::int64_t divisor);

/// Calls `visit` for each loop variable that occurs, also inside indirect reads; in order, with repetitions.
void for_each_variable(const Index& index, const std::function<void(const std::string&)>& visit);
/// Calls `visit` for each indirect read of this index, outermost first; the visitor descends where it wants to.
void for_each_read(const Index& index, const std::function<void(const RefPtr&)>& visit);

/// Replaces variables and reads. `variable` returns nothing to keep the variable; `read` returns the reference to put
/// (null means failure), and where it is not set the subscripts of indirect reads are rewritten like any other.
struct IndexRewriter {
  std::function<std::optional<Index>(const std::string&)> variable;
  std::function<RefPtr(const RefPtr&)> read;
};
/// Nothing on overflow.
[[nodiscard]] std::optional<Index> rewrite(const Index& index, const IndexRewriter& rewriter);
/// The same reference where nothing changed; null on overflow.
[[nodiscard]] RefPtr rewrite(const RefPtr& ref, const IndexRewriter& rewriter);

}  // namespace steptp
