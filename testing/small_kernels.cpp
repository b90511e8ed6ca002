#include "testing/small_kernels.h"

#include <algorithm>
#include <vector>

#include "steptp/base/text.h"

namespace steptp::testing {

namespace {

class KernelText {
 public:
  explicit KernelText(Random& random) : random_(random) {}

  std::string program() {
    std::string text;
    if (random_.chance(1, 4)) append(text, "a", random_.between(1, 2), " ");
    host_ = !text.empty();
    switch (random_.below(7)) {
      case 0: open(text, "tx", 4); break;
      case 1:
        append(text, "P");
        open(text, "f", 3);
        break;
      case 2:  // threads outside blocks: fine in a perfect nest
        open(text, "tx", 3);
        if (random_.chance(1, 2)) open(text, "d", 2);
        open(text, "bx", 2);
        break;
      case 3:
        open(text, "bx", 2);
        open(text, "tx", 3);
        break;
      default: open(text, "bx", 2); break;
    }
    local_ = std::find(opened_.begin(), opened_.end(), "tx") != opened_.end();
    shared_ = std::find(opened_.begin(), opened_.end(), "bx") != opened_.end();
    if (host_) opened_.push_back("a");
    if (random_.chance(1, 5)) append(text, " c", random_.between(1, 3)), opened_.push_back("c");
    append(text, guard(), "{");
    for (std::int64_t items = random_.between(1, 3); items > 0; --items) append(text, item(2));
    // Written somewhere, so that structure has nothing to say.
    return concat("a1 D(a,a)=0;a1 E(a,a)=0;", text, "}");
  }

 private:
  void open(std::string& text, const std::string& index, std::int64_t most) {
    if (!opened_.empty()) append(text, " ");
    append(text, index, random_.between(1, most));
    opened_.push_back(index);
  }

  std::string guard() { return random_.chance(1, 5) ? concat(" ?(", condition(), ")") : std::string(); }

  std::string item(int depth) {
    if (depth == 0 || random_.chance(1, 4)) return equation();
    const std::vector<std::string> before = opened_;
    std::string text;
    for (std::int64_t loops = random_.between(1, 2); loops > 0; --loops) {
      const char* const all[] = {"tx", "tx", "ty", "ga", "Pha", "Via", "ja"};
      const std::string name = all[random_.below(7)];
      const std::string index = name.substr(name[0] == 'P' || name[0] == 'V' ? 1 : 0);
      if (std::find(opened_.begin(), opened_.end(), index) != opened_.end()) continue;
      append(text, text.empty() ? "" : " ", name, random_.between(1, 4));
      opened_.push_back(index);
    }
    if (text.empty()) return equation();
    append(text, guard(), "{");
    for (std::int64_t items = random_.between(1, 2); items > 0; --items) append(text, item(depth - 1));
    opened_ = before;
    return text + "}";
  }

  std::string equation() {
    const std::string left = access();
    switch (random_.below(4)) {
      case 0: return concat(left, "+=", access(left), ";");
      case 1: return concat(left, "=", random_.below(9), ";");
      case 2: return concat(left, "=where(", condition(), ",", access(), ",0);");
      default: return concat(left, "=", access(), ";");
    }
  }

  /// Of D and E in g, F in s and H in l; another tensor than that of `other`.
  std::string access(const std::string& other = {}) {
    std::string_view name = random_.chance(1, 3) ? "D" : random_.chance(1, 2) ? "E" : shared_ ? "F^s" : "E";
    if (local_ && random_.chance(1, 5)) name = "H^l";
    if (!other.empty() && other[0] == name[0]) name = name[0] == 'D' ? "E" : "D";
    return concat(name, "(", subscript(), ",", subscript(), ")");
  }
  std::string index() { return opened_[random_.below(opened_.size())]; }
  std::string subscript() {
    switch (random_.below(9)) {
      case 0: return std::to_string(random_.below(3));
      case 1: return concat(index(), "*", random_.between(2, 4), "+", index());
      case 2: return concat("(", index(), "+", index(), ")//2");
      case 3: return concat("(", index(), "*3+", index(), ")%", random_.between(2, 4));
      case 4: return concat(index(), "+1");
      case 5: return concat("4-", index());
      default: return index();
    }
  }
  std::string condition() {
    const char* const operators[] = {"<", "<=", ">", "==", "!="};
    return concat(subscript(), operators[random_.below(5)], random_.between(0, 3));
  }

  Random& random_;
  std::vector<std::string> opened_;
  bool host_ = false;
  bool shared_ = false;
  bool local_ = false;
};

}  // namespace

std::string small_kernel(Random& random) { return KernelText(random).program(); }

}  // namespace steptp::testing
