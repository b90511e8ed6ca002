#include "steptp/base/ordered_stream.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <string>

namespace steptp {
namespace {

using Stream = OrderedStream<int, int>;

TEST(OrderedStream, AnswersComeInOrderWhateverTheThreads) {
  for (const unsigned jobs : {1U, 2U, 7U}) {
    std::vector<int> out;
    Stream stream(
        jobs, 16,
        [](int item) {
          // Later items are faster, so that they are ready first.
          std::this_thread::sleep_for(std::chrono::microseconds(item % 5 == 0 ? 500 : 0));
          return item * item;
        },
        [&out](int&& answer) {
          out.push_back(answer);
          return true;
        });
    for (int i = 0; i < 500; ++i) ASSERT_TRUE(stream.push(i));
    EXPECT_TRUE(stream.finish());
    ASSERT_EQ(out.size(), 500U);
    for (int i = 0; i < 500; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], i * i);
  }
}

TEST(OrderedStream, AnAnswerDoesNotWaitForTheNextItem) {
  for (const unsigned jobs : {1U, 4U}) {
    std::promise<int> first;
    Stream stream(
        jobs, 16, [](int item) { return item + 1; },
        [&first](int&& answer) {
          first.set_value(answer);
          return true;
        });
    ASSERT_TRUE(stream.push(41));
    std::future<int> answer = first.get_future();
    ASSERT_EQ(answer.wait_for(std::chrono::seconds(60)), std::future_status::ready);
    EXPECT_EQ(answer.get(), 42);
    EXPECT_TRUE(stream.finish());
  }
}

TEST(OrderedStream, HoldsNoMoreThanItMay) {
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  Stream stream(
      3, 8, [](int item) { return item; },
      [&](int&&) {
        --inside;
        return true;
      });
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(stream.push(i));
    most = std::max<int>(most, ++inside);
  }
  EXPECT_TRUE(stream.finish());
  EXPECT_LE(most, 8 + 2);  // one that is being emitted, one that was counted late
}

TEST(OrderedStream, HeavyItemsWaitForOneAnother) {
  std::atomic<int> working = 0;
  std::atomic<int> most = 0;
  Stream stream(
      4, 10,
      [&](int item) {
        most = std::max<int>(most, ++working);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --working;
        return item;
      },
      [](int&&) { return true; });
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(stream.push(i, 100));
  EXPECT_TRUE(stream.finish());
  EXPECT_EQ(most, 1);
}

TEST(OrderedStream, StopsWhereNobodyListens) {
  for (const unsigned jobs : {1U, 3U}) {
    std::vector<int> out;
    Stream stream(
        jobs, 8, [](int item) { return item; },
        [&out](int&& answer) {
          out.push_back(answer);
          return answer < 5;
        });
    bool goes_on = true;
    for (int i = 0; i < 100'000 && goes_on; ++i) goes_on = stream.push(i);
    EXPECT_FALSE(goes_on);
    EXPECT_FALSE(stream.finish());
    EXPECT_EQ(out, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  }
}

TEST(OrderedStream, TheFirstExceptionByOrderIsRethrown) {
  Stream stream(
      4, 64,
      [](int item) -> int {
        if (item == 3) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (item >= 3) throw std::runtime_error(std::to_string(item));
        return item;
      },
      [](int&&) { return true; });
  for (int i = 0; i < 20; ++i) {
    if (!stream.push(i)) break;
  }
  try {
    stream.finish();
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "3");
  }
}

}  // namespace
}  // namespace steptp
