// What a machine remembers is paid for, forgotten where there is no room, and given back at the end.
#include "steptp/machine/value_store.h"

#include <gtest/gtest.h>

namespace steptp::certify {
namespace {

/// A code with so many statements of which the first accumulates.
Code code_of(std::size_t statements) {
  Code code;
  code.statements.resize(statements);
  code.statements[0].accumulates = true;
  return code;
}

TEST(ValueStore, PaysAndGivesBack) {
  const Code code = code_of(2);
  Budget budget{0, 1'000'000};
  {
    ValueStore<double> store(code, budget);
    store.put(1, 7, 2.5, 100);
    store.put_integer(0, 3, -4, true);
    EXPECT_EQ(budget.bytes, 1'000'000 - 100 - Memo<double>::bytes_per_value() - Memo<std::int64_t>::bytes_per_value());
    ASSERT_NE(store.find(1, 7), nullptr);
    EXPECT_EQ(*store.find(1, 7), 2.5);
    EXPECT_EQ(store.find(0, 7), nullptr);
    EXPECT_EQ(store.find(1, 8), nullptr);
    EXPECT_EQ(*store.find_integer(0, 3), -4);
    EXPECT_TRUE(store.is_open(0, 3));
    EXPECT_FALSE(store.is_open(0, 4));
  }
  EXPECT_EQ(budget.bytes, 1'000'000U);
}

TEST(ValueStore, ForgetsWhatIsCheapestFirst) {
  const Code code = code_of(2);
  const std::size_t room = 9U << 20;
  Budget budget{0, room};
  ValueStore<double> store(code, budget);
  store.put(0, 1, 1.0, 0);
  store.put(1, 1, 2.0, 0);
  // The values of the accumulation stay as long as forgetting the others makes room enough.
  const std::size_t left = budget.bytes;
  store.reserve(left);
  store.give_back(left);
  EXPECT_NE(store.find(0, 1), nullptr);
  EXPECT_NE(store.find(1, 1), nullptr);
  store.reserve(left + 1);
  store.give_back(left + 1);
  EXPECT_NE(store.find(0, 1), nullptr);
  EXPECT_EQ(store.find(1, 1), nullptr);
  store.reserve(room);
  store.give_back(room);
  EXPECT_EQ(store.find(0, 1), nullptr);
  EXPECT_THROW(store.reserve(room + 1), Failure);
}

TEST(ValueStore, SharesWhatIsTheSame) {
  const Code first = code_of(2);
  const Code second = code_of(3);
  Budget budget{0, 1'000'000};
  ValueStore<double> one(first, budget);
  ValueStore<double> other(second, budget);
  other.share_with(one, {kNone, 1, kNone});
  other.put(1, 5, 3.0, 0);
  other.put(2, 5, 4.0, 0);
  ASSERT_NE(one.find(1, 5), nullptr);
  EXPECT_EQ(*one.find(1, 5), 3.0);
  EXPECT_EQ(one.find(0, 5), nullptr);
}

}  // namespace
}  // namespace steptp::certify
