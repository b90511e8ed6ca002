#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "steptp/ir/expr.h"
#include "steptp/text/name_table.h"
#include "steptp/text/profile.h"
#include "steptp/text/ref_cache.h"
#include "steptp/text/scanner.h"
#include "steptp/text/source_map.h"
#include "steptp/text/variable_table.h"

namespace steptp {

/// Reads references, subscripts, values and conditions; the nests around them are the reader's business.
/// A failed read returns null (or false) after it has reported why.
/// More than thirty functions, because each rule of the grammar is one.
class ExpressionReader {
 public:
  static constexpr int kMaxDepth = 250;

  ExpressionReader(Scanner& scanner, Profile profile, SourceMap* map) : scan_(scanner), profile_(profile), map_(map) {}

  [[nodiscard]] RefPtr read_ref();
  /// The value of a reference just read.
  [[nodiscard]] ExprPtr read_of(const RefPtr& ref) { return map_ ? read_expr(ref) : refs_.read_of(ref); }
  /// A value or a condition.
  [[nodiscard]] ExprPtr read_condition();
  [[nodiscard]] ExprPtr read_value();
  /// Appends what follows as operands of a sum whose first operand and operator are there already.
  [[nodiscard]] bool read_summands(Sum& sum);
  /// The loop index after which a header continues; the kind decides which names fit.
  [[nodiscard]] bool read_index_name(bool bound, std::string& name);

  /// The default dtype of a compact text.
  void set_default_dtype(DType dtype) { default_dtype_ = dtype; }

  /// Guards against texts that would overflow the stack; used by the nests too.
  class Deeper {
   public:
    explicit Deeper(ExpressionReader& reader) : reader_(reader), ok_(++reader.depth_ <= kMaxDepth) {
      if (!ok_) reader.report_depth();
    }
    ~Deeper() { --reader_.depth_; }
    [[nodiscard]] bool ok() const { return ok_; }

   private:
    ExpressionReader& reader_;
    bool ok_;
  };

 private:
  [[nodiscard]] ExprPtr read_conjunction();
  [[nodiscard]] ExprPtr read_comparison();
  [[nodiscard]] ExprPtr read_sum();
  [[nodiscard]] ExprPtr read_product();
  [[nodiscard]] ExprPtr read_unary();
  [[nodiscard]] ExprPtr read_power();
  [[nodiscard]] ExprPtr read_atom();
  [[nodiscard]] ExprPtr read_number();
  [[nodiscard]] ExprPtr read_word();
  [[nodiscard]] ExprPtr read_call(std::string_view word, std::uint32_t begin);
  [[nodiscard]] bool read_arguments(std::string_view word, std::uint32_t begin, std::span<ExprPtr> arguments);
  [[nodiscard]] bool require_value(const ExprPtr& expr, std::uint32_t begin) {
    return !is_condition(*expr) || refuse_condition(begin);
  }
  [[nodiscard]] bool refuse_condition(std::uint32_t begin);
  void report_depth();

  [[nodiscard]] bool read_superscript(DType& dtype, Placement& scope);
  [[nodiscard]] bool read_subscripts(std::vector<Index>& subscripts, std::vector<Span>& spans, char close);
  [[nodiscard]] bool read_compact_marks(std::string_view name, DType& dtype, Placement& scope);
  [[nodiscard]] bool read_paper_ref(std::string_view name, Ref& ref, std::vector<Span>& spans);
  [[nodiscard]] bool read_compact_ref(std::string_view name, Ref& ref, std::vector<Span>& spans);
  [[nodiscard]] RefPtr known_ref();
  [[nodiscard]] bool parse_scope_code(std::string_view text, std::uint32_t begin, Placement& scope);

  [[nodiscard]] bool read_index(Index& index);
  [[nodiscard]] bool read_index_term(Index& index);
  [[nodiscard]] bool read_index_factor(Index& index);
  [[nodiscard]] bool index_result(std::optional<Index> value, std::uint32_t begin, std::string_view what, Index& index);
  [[nodiscard]] const Index* take_plain_variable(char close);
  [[nodiscard]] bool read_natural(std::int64_t& value);
  [[nodiscard]] bool check_index_word(std::string_view word, std::uint32_t begin);

  [[nodiscard]] ExprPtr placed(ExprPtr expr, std::uint32_t begin) {
    if (map_ && expr) map_->nodes.emplace(expr.get(), since(begin));
    return expr;
  }
  [[nodiscard]] Span since(std::uint32_t begin) const { return {begin, scan_.end_of_last() - begin}; }

  Scanner& scan_;
  Profile profile_;
  SourceMap* map_;
  int depth_ = 0;
  DType default_dtype_ = DType::f32;
  /// Compact text: what the first occurrence of a name said.
  NameTable<std::pair<DType, Placement>> declared_;
  std::string_view last_superscript_;  ///< with its closing brace
  std::pair<DType, Placement> last_marks_;
  RefCache refs_;
  VariableTable variables_;

  friend class Deeper;
};

/// Letters that a plain index may consist of.
[[nodiscard]] constexpr bool is_index_letter(char c) {
  return is_lower(c) && c != 'b' && c != 'e' && c != 't' && c != 'v' && c < 'x';
}
/// Function names and `inf`: no index is called so.
[[nodiscard]] bool is_reserved_word(std::string_view word);

}  // namespace steptp
