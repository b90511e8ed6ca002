#include <algorithm>
#include <array>
#include <map>

#include "steptp/base/text.h"
#include "steptp/graph/einsum.h"
#include "steptp/graph/operator.h"

namespace steptp::graph {

namespace {

/// Letters for the dimensions that an ellipsis of an operand stands for: counted from the right, since they broadcast.
std::string ellipsis_letters(std::size_t dimensions) {
  std::string out;
  for (std::size_t left = dimensions; left > 0; --left) out += static_cast<char>(left);
  return out;
}

constexpr std::string_view kEllipsis = "...";

std::string letter_name(char letter) {
  return letter < ' ' ? std::string("a dimension of the ellipsis") : concat("'", letter, "'");
}

/// The letters of one operand of so many dimensions.
std::string expand_ellipsis(const Call& call, const std::string& operand, std::size_t rank) {
  const std::size_t place = operand.find(kEllipsis);
  if (place == std::string::npos) return operand;
  const std::size_t named = operand.size() - kEllipsis.size();
  if (named > rank) call.fail(concat("'", operand, "' has more letters than the operand has dimensions"));
  return operand.substr(0, place) + ellipsis_letters(rank - named) + operand.substr(place + kEllipsis.size());
}

}  // namespace

EinsumLetters parse_einsum(const Call& call, std::string_view equation) {
  std::string text;
  std::copy_if(equation.begin(), equation.end(), std::back_inserter(text), [](char c) { return c != ' '; });
  const std::vector<Value>& tensors = call.values("tensors");
  const std::size_t arrow = text.find("->");
  EinsumLetters out;
  std::map<char, int> uses;
  std::size_t widest = 0;
  std::string operand;
  for (const char c : text.substr(0, arrow) + ",") {
    if (c != ',') {
      operand += c;
      continue;
    }
    const std::size_t number = out.operands.size();
    const std::size_t rank = number < tensors.size() ? call.type(tensors[number]).shape.size() : 0;
    out.operands.push_back(expand_ellipsis(call, operand, rank));
    if (operand.find(kEllipsis) != std::string::npos)
      widest = std::max(widest, rank + kEllipsis.size() - operand.size());
    for (const char letter : out.operands.back()) ++uses[letter];
    operand.clear();
  }
  if (arrow != std::string::npos) {
    const std::string result = text.substr(arrow + 2);
    const std::size_t named = result.find(kEllipsis) == std::string::npos ? 0 : result.size() - kEllipsis.size();
    out.result = expand_ellipsis(call, result, named + widest);
  } else {
    out.result = ellipsis_letters(widest);
    for (const auto& [letter, number] : uses) {
      if (number == 1 && out.result.find(letter) == std::string::npos) out.result += letter;
    }
  }
  if (out.result.find('.') != std::string::npos || uses.contains('.')) call.fail("a dot is part of an ellipsis, '...'");
  for (std::size_t at = 0; at < out.result.size(); ++at) {
    if (!uses.contains(out.result[at])) call.fail(concat("'", out.result[at], "' occurs in the result only"));
    if (out.result.find(out.result[at], at + 1) != std::string::npos) call.fail("a letter occurs twice in the result");
  }
  return out;
}

namespace {

using Types = std::vector<TensorType>;

void agree(const Call& call, const TensorType& left, const TensorType& right) {
  if (left.dtype != right.dtype) call.fail(concat("the dtypes differ: ", to_text(left), " and ", to_text(right)));
}

void contract(const Call& call, std::int64_t left, std::int64_t right) {
  if (left != right) call.fail(concat("the inner dimensions differ: ", left, " and ", right));
}

Shape matmul_shape(const Call& call, Shape left, Shape right) {
  if (left.empty() || right.empty()) call.fail("a scalar cannot be multiplied like a matrix");
  const bool row = left.size() == 1;
  const bool column = right.size() == 1;
  if (row) left.insert(left.begin(), 1);
  if (column) right.push_back(1);
  contract(call, left.back(), right[right.size() - 2]);
  Shape out = broadcast(call, Shape(left.begin(), left.end() - 2), Shape(right.begin(), right.end() - 2));
  if (!row) out.push_back(left[left.size() - 2]);
  if (!column) out.push_back(right.back());
  return out;
}

Types matmul(const Call& call) {
  const TensorType& self = call.tensor("self");
  const TensorType& other = call.tensor("other");
  agree(call, self, other);
  return {{self.dtype, matmul_shape(call, self.shape, other.shape)}};
}

/// mm, bmm, mv, dot: matmul for certain numbers of dimensions only.
Types ranked(const Call& call, std::string_view second, std::size_t left_rank, std::size_t right_rank) {
  const TensorType& self = call.tensor("self");
  const TensorType& other = call.tensor(second);
  agree(call, self, other);
  if (self.shape.size() != left_rank || other.shape.size() != right_rank) {
    call.fail(concat("not for ", to_text(self), " and ", to_text(other)));
  }
  if (left_rank == 3) contract(call, self.shape[0], other.shape[0]);
  return {{self.dtype, matmul_shape(call, self.shape, other.shape)}};
}
Types mm(const Call& call) { return ranked(call, "mat2", 2, 2); }
Types bmm(const Call& call) { return ranked(call, "mat2", 3, 3); }
Types mv(const Call& call) { return ranked(call, "vec", 2, 1); }
Types dot(const Call& call) { return ranked(call, "tensor", 1, 1); }

Types outer(const Call& call) {
  const TensorType& self = call.tensor("self");
  const TensorType& other = call.tensor("vec2");
  if (self.shape.size() != 1 || other.shape.size() != 1) call.fail("two vectors are wanted");
  return {{promote(self.dtype, other.dtype), {self.shape[0], other.shape[0]}}};
}

Types linear(const Call& call) {
  const TensorType& input = call.tensor("input");
  const TensorType& weight = call.tensor("weight");
  agree(call, input, weight);
  if (input.shape.empty() || weight.shape.empty() || weight.shape.size() > 2) call.fail("the shapes do not fit");
  contract(call, input.shape.back(), weight.shape.back());
  Shape shape(input.shape.begin(), input.shape.end() - 1);
  if (weight.shape.size() == 2) shape.push_back(weight.shape[0]);
  if (call.has("bias")) {
    agree(call, input, call.tensor("bias"));
    if (broadcast(call, shape, call.shape("bias")) != shape) call.fail("'bias' does not fit");
  }
  return {{input.dtype, shape}};
}

Types product_and_sum(const Call& call, std::string_view left, std::string_view right) {
  const TensorType& a = call.tensor(left);
  const TensorType& b = call.tensor(right);
  agree(call, a, b);
  agree(call, a, call.tensor("self"));
  const Shape shape = matmul_shape(call, a.shape, b.shape);
  if (broadcast(call, shape, call.shape("self")) != shape) call.fail("'self' does not broadcast to the product");
  return {{a.dtype, shape}};
}
Types addmm(const Call& call) { return product_and_sum(call, "mat1", "mat2"); }
Types baddbmm(const Call& call) { return product_and_sum(call, "batch1", "batch2"); }
Types addmv(const Call& call) { return product_and_sum(call, "mat", "vec"); }

Types einsum(const Call& call) {
  const EinsumLetters letters = parse_einsum(call, call.text("equation"));
  const std::vector<Value>& tensors = call.values("tensors");
  if (letters.operands.size() != tensors.size()) {
    call.fail(concat("the equation has ", letters.operands.size(), " operands, the call ", tensors.size()));
  }
  std::map<char, std::int64_t> extents;
  DType dtype = call.type(tensors.front()).dtype;
  for (std::size_t number = 0; number < tensors.size(); ++number) {
    const TensorType& type = call.type(tensors[number]);
    const std::string& names = letters.operands[number];
    if (names.size() != type.shape.size()) {
      call.fail(concat("operand ", number + 1, " of '", call.text("equation"), "' does not fit ", to_text(type)));
    }
    dtype = promote(dtype, type.dtype);
    for (std::size_t at = 0; at < names.size(); ++at) {
      std::int64_t& extent = extents.emplace(names[at], type.shape[at]).first->second;
      if (extent == 1) extent = type.shape[at];
      if (type.shape[at] != extent && type.shape[at] != 1)
        call.fail(concat(letter_name(names[at]), " is both ", extent, " and ", type.shape[at]));
    }
  }
  Shape shape;
  for (const char letter : letters.result) shape.push_back(extents.at(letter));
  return {{dtype, shape}};
}

constexpr std::array kRows = {
    OperatorRow{"matmul(Tensor self, Tensor other) -> Tensor", matmul, "torch.matmul"},
    OperatorRow{"mm(Tensor self, Tensor mat2) -> Tensor", mm, "torch.mm"},
    OperatorRow{"bmm(Tensor self, Tensor mat2) -> Tensor", bmm, "torch.bmm"},
    OperatorRow{"mv(Tensor self, Tensor vec) -> Tensor", mv, "torch.mv"},
    OperatorRow{"dot(Tensor self, Tensor tensor) -> Tensor", dot, "torch.dot"},
    OperatorRow{"outer(Tensor self, Tensor vec2) -> Tensor", outer, "torch.outer"},
    OperatorRow{"linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor", linear, "F.linear"},
    OperatorRow{"addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", addmm,
                "torch.addmm({self}, {mat1}, {mat2}, beta={beta}, alpha={alpha})"},
    OperatorRow{"baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
                baddbmm, "torch.baddbmm({self}, {batch1}, {batch2}, beta={beta}, alpha={alpha})"},
    OperatorRow{"addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor", addmv,
                "torch.addmv({self}, {mat}, {vec}, beta={beta}, alpha={alpha})"},
    OperatorRow{"einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor", einsum,
                "torch.einsum({equation}, {tensors})"},
};

}  // namespace

std::span<const OperatorRow> matrix_operators() { return kRows; }

}  // namespace steptp::graph
