// Most reads see one statement's write, at an iteration that can be read off the subscripts. Knowing it when compiling
// saves the search at every read; and where that statement only copies, the read can go to what it copies.
// docs/decisions/0013-windows-and-lanes.md.
#include "steptp/machine/origin.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace steptp::certify {

namespace {

const IndexCode& subscript(const Access& access, std::size_t number) {
  const std::size_t rank = access.subscripts.size();
  return number < rank ? access.subscripts[number] : access.hidden[number - rank];
}

/// A constant subscript of the writer is another one than the reader's.
bool never_meet(const StatementCode& writer, const Access& access) {
  return std::any_of(writer.direct.begin(), writer.direct.end(), [&](const DirectSubscript& direct) {
    const IndexCode& value = subscript(access, direct.number);
    return direct.slot == kNone && value.is_linear && value.linear.empty() && value.constant != direct.constant;
  });
}

/// The loops of a direct writer that writes what is read; nothing where that takes more than reading off subscripts.
std::optional<std::vector<IndexCode>> loops_of(const StatementCode& writer, const Access& access) {
  std::vector<std::optional<IndexCode>> loops(writer.extents.size());
  for (const DirectSubscript& direct : writer.direct) {
    if (direct.is_digit) return std::nullopt;
    IndexCode value = subscript(access, direct.number);
    value.constant -= direct.constant;
    if (direct.slot == kNone) {
      if (!value.linear.empty() || value.constant != 0) return std::nullopt;
    } else {
      if (loops[direct.slot]) return std::nullopt;
      loops[direct.slot] = std::move(value);
    }
  }
  std::vector<IndexCode> out;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    IndexCode at_last;
    at_last.constant = writer.extents[i] - 1;
    out.push_back(loops[i] ? std::move(*loops[i]) : std::move(at_last));
  }
  return out;
}

bool is_inside(const IndexCode& index, const std::vector<const Loop*>& loops, std::int64_t extent) {
  __extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): only a typedef can be marked an extension
  Wide low = index.constant;
  Wide high = index.constant;
  for (const LinearPart& part : index.linear) {
    const Wide reach = static_cast<Wide>(part.coefficient) * (loops[part.slot]->extent - 1);
    (reach < 0 ? low : high) += reach;
  }
  return low >= 0 && high < extent;
}

/// constant + parts, in terms of loops that are themselves linear; false where that overflows.
bool composed(std::int64_t constant, const std::vector<LinearPart>& parts, const std::vector<IndexCode>& loops,
              IndexCode& out) {
  out = {};
  out.constant = constant;
  for (const LinearPart& part : parts) {
    const IndexCode& loop = loops[part.slot];
    std::int64_t product = 0;
    if (__builtin_mul_overflow(part.coefficient, loop.constant, &product)) return false;
    if (__builtin_add_overflow(out.constant, product, &out.constant)) return false;
    for (const LinearPart& inner : loop.linear) {
      if (__builtin_mul_overflow(part.coefficient, inner.coefficient, &product)) return false;
      const auto same = std::find_if(out.linear.begin(), out.linear.end(),
                                     [&](const LinearPart& old) { return old.slot == inner.slot; });
      if (same == out.linear.end()) {
        out.linear.push_back({product, inner.slot});
      } else if (__builtin_add_overflow(same->coefficient, product, &same->coefficient)) {
        return false;
      }
    }
  }
  return true;
}

/// The number of an origin's iteration; false where that overflows.
bool number_of(const StatementCode& writer, const std::vector<IndexCode>& loops, IndexCode& out) {
  std::vector<LinearPart> digits;
  std::int64_t stride = 1;  // at most the number of iterations, which fits
  for (std::uint32_t i = static_cast<std::uint32_t>(loops.size()); i-- > 0;) {
    digits.push_back({stride, i});
    stride *= writer.extents[i];
  }
  return composed(0, digits, loops, out);
}

/// Of a writer that only copies: what it copies, seen from the reader.
std::shared_ptr<const Access> source_of(const Code& code, const StatementCode& writer, const Access& access) {
  const Node& right = code.nodes[writer.right];
  if (writer.accumulates || right.op != Op::real_read) return nullptr;
  const Access& copied = code.accesses[right.payload];
  const Access& target = copied.source ? *copied.source : copied;
  auto out = std::make_shared<Access>();
  out->number = access.number + 1;
  out->tensor = target.tensor;
  if (code.tensors[target.tensor].known) {
    IndexCode position;
    if (!target.is_flat || !composed(target.flat_constant, target.flat, access.origin_loops, position)) return nullptr;
    out->is_flat = true;
    out->flat_constant = position.constant;
    out->flat = std::move(position.linear);
    return out;
  }
  if (target.origin == kNone) return nullptr;
  out->origin = target.origin;
  for (const IndexCode& loop : target.origin_loops) {
    if (!composed(loop.constant, loop.linear, access.origin_loops, out->origin_loops.emplace_back())) return nullptr;
  }
  out->is_certain = target.is_certain && number_of(code.statements[out->origin], out->origin_loops, out->origin_number);
  return out;
}

}  // namespace

std::uint32_t shared_loops(const Statement& left, const Statement& right) {
  std::size_t loops = 0;
  for (std::size_t i = 0; i < left.nests.size() && i < right.nests.size(); ++i) {
    if (left.items[i] != right.items[i]) break;
    loops += left.nests[i]->loops.size();
  }
  return static_cast<std::uint32_t>(loops);
}

/// Of writers in other nests, the last one before the reader that can write the element hides all the others. Where it
/// writes one loop per subscript, the iteration is read off the subscripts; whether there is one is seen at run time.
void find_origin(const Code& code, const AccessTable& table, std::uint32_t reader, Access& access) {
  if (!access.is_linear) return;
  std::vector<std::uint32_t> before;
  for (const Writer& writer : access.writers) {
    if (writer.shared_loops != 0) return;
    if (writer.statement < reader) before.push_back(writer.statement);
  }
  access.is_settled = true;
  std::sort(before.begin(), before.end());
  const auto is_direct = [&](const StatementCode& writer) {
    return writer.is_direct && writer.left.subscripts.size() == access.subscripts.size() &&
           writer.left.hidden.size() == access.hidden.size();
  };
  while (!before.empty() && is_direct(code.statements[before.back()]) &&
         never_meet(code.statements[before.back()], access)) {
    before.pop_back();
  }
  if (before.empty()) return;
  const std::uint32_t last = before.back();
  const StatementCode& writer = code.statements[last];
  for (const std::uint32_t other : before) {
    if (other != last && shared_loops(table.statements[last], table.statements[other]) != 0) return;
  }
  if (!is_direct(writer)) return;
  auto loops = loops_of(writer, access);
  if (!loops) return;
  access.origin = last;
  access.origin_loops = std::move(*loops);
  const auto& readers_loops = table.statements[reader].loops;
  for (std::size_t i = 0; i < writer.extents.size(); ++i) {
    if (!is_inside(access.origin_loops[i], readers_loops, writer.extents[i])) return;
  }
  access.is_certain = number_of(writer, access.origin_loops, access.origin_number);
  access.source = source_of(code, writer, access);
}

}  // namespace steptp::certify
