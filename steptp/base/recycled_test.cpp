#include "steptp/base/recycled.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace steptp {
namespace {

struct Node {
  std::size_t number = 0;
  std::shared_ptr<const Node> next;
};

TEST(Recycled, ObjectsAreWholeAfterManyComeAndGo) {
  for (int round = 0; round < 3; ++round) {
    std::vector<std::shared_ptr<const Node>> nodes;
    for (std::size_t i = 0; i < 5000; ++i)
      nodes.push_back(make_recycled<const Node>(Node{i, i ? nodes[i / 2] : nullptr}));
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      ASSERT_EQ(nodes[i]->number, i);
      ASSERT_EQ(nodes[i]->next, nodes[i / 2]);
    }
  }
}

TEST(Recycled, ObjectsMayOutliveTheirThreadAndDieInAnother) {
  std::vector<std::shared_ptr<const Node>> nodes(1000);
  std::thread maker([&nodes] {
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = make_recycled<const Node>(Node{i, nullptr});
  });
  maker.join();
  std::thread dropper([&nodes] {
    for (std::size_t i = 0; i < nodes.size(); i += 2) nodes[i] = nullptr;
  });
  dropper.join();
  for (std::size_t i = 1; i < nodes.size(); i += 2) ASSERT_EQ(nodes[i]->number, i);
}

}  // namespace
}  // namespace steptp
