#include "steptp/base/process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>

namespace steptp {
namespace {

TEST(Process, OutputAndStatus) {
  const auto done = run_process({"sh", "-c", "echo one; echo two >&2; exit 3"}, 20);
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->output, "one\ntwo\n");
  EXPECT_EQ(done->status, 3);
  EXPECT_FALSE(done->timed_out);
}

TEST(Process, ASignalIsAStatus) {
  const auto done = run_process({"sh", "-c", "kill -9 $$"}, 20);
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->status, 137);
}

TEST(Process, EndsWithAllItStarted) {
  const auto begin = std::chrono::steady_clock::now();
  const auto done = run_process({"sh", "-c", "echo before; sleep 100 & sleep 100"}, 0.3);
  ASSERT_TRUE(done.ok());
  EXPECT_TRUE(done->timed_out);
  EXPECT_EQ(done->output, "before\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(Process, KeepsTheEndOfALongOutput) {
  const auto done = run_process({"sh", "-c", "yes | head -c 200000; echo last"}, 20);
  ASSERT_TRUE(done.ok());
  EXPECT_LE(done->output.size(), 16384U);
  EXPECT_TRUE(done->output.ends_with("last\n"));
}

TEST(Process, AProgramThatIsNotThere) {
  const auto done = run_process({"steptp-no-such-program"}, 20);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().id, "process");
  EXPECT_EQ(done.error().message, "cannot start steptp-no-such-program: No such file or directory");
}

TEST(Conversation, LineByLine) {
  auto other =
      Conversation::start({"sh", "-c", "echo ready; while read line; do echo \"<$line>\"; echo lost >&2; done"});
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(other->ask("", 20).value(), "ready");
  EXPECT_EQ(other->ask("one two", 20).value(), "<one two>");
  EXPECT_EQ(other->ask("three", 20).value(), "<three>");
}

TEST(Conversation, AnswersThatDoNotCome) {
  std::signal(SIGPIPE, SIG_IGN);  // as in steptp
  auto slow = Conversation::start({"sh", "-c", "sleep 60"});
  ASSERT_TRUE(slow.ok());
  const auto late = slow->ask("", 0.05);
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().message, "no answer after 0 s");
  auto gone = Conversation::start({"sh", "-c", "printf half"});
  ASSERT_TRUE(gone.ok());
  ASSERT_FALSE(gone->ask("", 20).ok());
  EXPECT_EQ(gone->ask("more", 20).error().message, "the program that was asked has ended");
  EXPECT_EQ(Conversation::start({"steptp-no-such-program"}).error().message,
            "cannot start steptp-no-such-program: No such file or directory");
}

TEST(Process, FoldersAreRemoved) {
  std::string file;
  {
    const auto folder = TemporaryFolder::make();
    ASSERT_TRUE(folder.ok());
    file = folder->file("x");
    EXPECT_TRUE(std::filesystem::is_directory(std::filesystem::path(file).parent_path()));
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(file).parent_path()));
}

}  // namespace
}  // namespace steptp
