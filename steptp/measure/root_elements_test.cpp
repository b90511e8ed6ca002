// Many candidates of one root: its elements are evaluated once and kept, what is equal to it gets a time without an
// evaluation of its own, and what is not gets none.
#include "steptp/measure/root_elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "built_files.h"
#include "steptp/base/file.h"
#include "steptp/base/hash.h"
#include "steptp/base/process.h"
#include "steptp/base/text.h"
#include "steptp/execution/llvm_program.h"
#include "steptp/measure/machine_load.h"
#include "steptp/measure/time_programs.h"
#include "steptp/text/document.h"

namespace steptp::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kOperations = 30'000'000;

constexpr const char* kHead = "@input A f32[64,96]\n@input C f32[96]\n@output D f32[64]\n";
constexpr const char* kRoot =
    "B^{64}_{tx=0}L^{96}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a}*C^{f32,g}_{a};];";

/// The same function in other orders, in tiles, and with its parts in shared memory.
constexpr const char* kEqual[] = {
    kRoot,
    "B^{64}_{tx=0}L^{96}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,95-a}*C^{f32,g}_{95-a};];",
    "B^{8}_{bx=0}B^{8}_{tx=0}L^{12}_{c=0}L^{8}_{a=0}[D^{f32,g}_{bx*8+tx}=D^{f32,g}_{bx*8+tx}"
    "+A^{f32,g}_{bx*8+tx,a*12+c}*C^{f32,g}_{a*12+c};];",
    "B^{3}_{bx=0}[B^{30}_{tx=0}?{bx*30+tx<64}[L^{96}_{a=0}[D^{f32,g}_{bx*30+tx}=D^{f32,g}_{bx*30+tx}"
    "+A^{f32,g}_{bx*30+tx,a}*C^{f32,g}_{a};];];];",
    "B^{64}_{bx=0}[B^{32}_{tx=0}L^{3}_{a=0}[D^{f32,g}_{bx}=D^{f32,g}_{bx}+A^{f32,g}_{bx,a*32+tx}*C^{f32,g}_{a*32+tx};];"
    "];",
};

Program program_of(const std::string& text) {
  Document document = read_document("test", text);
  EXPECT_TRUE(document.ok) << text << (document.diagnostics.empty() ? "" : document.diagnostics[0].message);
  return document.program;
}
Program matvec(const std::string& text) { return program_of(kHead + text); }

class Root : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryFolder::make();
    ASSERT_TRUE(made.ok());
    folder_.emplace(std::move(made).value());
  }
  void TearDown() override {
    for (const char* name : {"STEPTP_CUDA_DRIVER", "STEPTP_NVRTC", "FAKE_CUDA_SKIP", "FAKE_CUDA_REVERSED"})
      unsetenv(name);
  }
  [[nodiscard]] std::string cache() const { return folder_->file("cache"); }

  [[nodiscard]] CandidateOptions options(DeviceKind device) const {
    CandidateOptions out;
    out.worker = {STEPTP_BINARY, "worker"};
    out.device = device;
    out.cache = cache();
    out.seconds = 60;
    return out;
  }

  /// One candidate of a root, on the CPU or on the emulation of CUDA.
  Timing measured(const RootElements& root, const Program& candidate, DeviceKind device) {
    if (device == DeviceKind::cuda) {
      setenv("STEPTP_CUDA_DRIVER", FAKE_CUDA_DRIVER, 1);
      setenv("STEPTP_NVRTC", FAKE_CUDA_NVRTC, 1);
    }
    // What a CPU does at most takes seconds to find out, once for a pool. A new driver wants a new worker.
    if (!pool_ || device == DeviceKind::cuda || pool_->options().device != device) pool_.emplace(options(device), 1);
    TimeRequest request;
    request.programs = {&candidate};
    request.root = &root;
    request.budget_seconds = 0.05;
    request.check_operations = operations_;
    auto answer = time_programs(*pool_, request);
    EXPECT_TRUE(answer.ok()) << answer.error().diagnostic.message;
    return answer.ok() ? answer->timings[0] : Timing();
  }
  Timing measured(const Program& root, const Program& candidate, DeviceKind device) {
    return measured(RootElements(root, 3, kOperations, cache()), candidate, device);
  }
  void expect_wrong(const Timing& timing, const std::string& what) {
    EXPECT_EQ(timing.status, Timing::Status::wrong) << what;
    EXPECT_TRUE(timing.samples.empty()) << what;
    EXPECT_EQ(timing.failure.diagnostic.id, "wrong-result") << what << timing.failure.diagnostic.message;
  }
  [[nodiscard]] static bool has_engine() { return find_llvm_engine().ok(); }

  std::optional<TemporaryFolder> folder_;
  std::optional<CandidatePool> pool_;
  std::uint64_t operations_ = kOperations;  ///< for the evaluation of a candidate itself
};

std::vector<fs::path> files_below(const std::string& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) out.push_back(entry.path());
  }
  return out;
}

std::string dumped(const RootElements& root) { return to_json(root.expectations()).dump(); }

TEST_F(Root, ElementsAreEvaluatedOnceForARootAndASeed) {
  const Program root = matvec(kRoot);
  const RootElements first(root, 3, kOperations, cache());
  EXPECT_FALSE(first.is_from_cache());
  EXPECT_EQ(first.cache_problem(), "");
  ASSERT_EQ(first.expectations().elements.size(), RootElements::kElements);
  std::size_t each_run = 0;
  for (const ExpectedElement& element : first.expectations().elements) each_run += element.each_run ? 1 : 0;
  EXPECT_EQ(each_run, RootElements::kEachRun);
  EXPECT_EQ(first.expectations().elements[0].position, 0);
  EXPECT_EQ(first.expectations().elements[1].position, 63);
  const RootElements again(root, 3, kOperations, cache());
  EXPECT_TRUE(again.is_from_cache());
  EXPECT_EQ(dumped(again), dumped(first));
  // Without a folder they are the same, and so they are in another one.
  EXPECT_EQ(dumped(RootElements(root, 3, kOperations, "")), dumped(first));
  EXPECT_FALSE(RootElements(root, 3, kOperations, "").is_from_cache());
  // Another seed, another budget, another program: other elements.
  const RootElements other(root, 4, kOperations, cache());
  EXPECT_FALSE(other.is_from_cache());
  EXPECT_NE(dumped(other), dumped(first));
  EXPECT_FALSE(RootElements(root, 3, kOperations / 2, cache()).is_from_cache());
  EXPECT_FALSE(RootElements(matvec(kEqual[1]), 5, 1000, cache()).is_from_cache());
}

TEST_F(Root, DamagedEntriesAreMadeAgain) {
  const Program root = matvec(kRoot);
  const std::string wanted = dumped(RootElements(root, 3, kOperations, cache()));
  const auto files = files_below(cache());
  ASSERT_EQ(files.size(), 1U);
  const std::string whole = read_file(files[0]).value();
  for (std::size_t at = 0; at < whole.size(); at += whole.size() / 23) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    ASSERT_TRUE(write_file(files[0], at % 2 == 0 ? damaged : whole.substr(0, at)).ok());
    const RootElements again(root, 3, kOperations, cache());
    EXPECT_FALSE(again.is_from_cache()) << at;
    EXPECT_EQ(dumped(again), wanted) << at;
  }
  EXPECT_TRUE(RootElements(root, 3, kOperations, cache()).is_from_cache());
}

/// An entry that is whole, and is none of this root: with another element, or without what an entry has.
TEST_F(Root, EntriesOfNoUseAreMadeAgain) {
  const Program root = matvec(kRoot);
  const std::string wanted = dumped(RootElements(root, 3, kOperations, cache()));
  const fs::path file = files_below(cache()).at(0);
  const std::string whole = read_file(file).value();
  constexpr std::size_t kHeader = 48;
  const auto store = [&](std::string content) {
    const std::uint64_t sizes[] = {content.size(), hash_bytes(content)};
    std::string head = whole.substr(0, kHeader);
    std::memcpy(head.data() + kHeader - sizeof sizes, sizes, sizeof sizes);
    ASSERT_TRUE(write_file(file, head + content).ok());
  };
  const std::string content = whole.substr(kHeader);
  store(content);
  ASSERT_TRUE(RootElements(root, 3, kOperations, cache()).is_from_cache());
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string out = content;
    const std::size_t at = out.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return out.replace(at, from.size(), to);
  };
  for (const std::string& text :
       {changed("\"position\":63", "\"position\":64"), changed("\"position\":0", "\"position\":-1"),
        changed("\"output\":\"D\"", "\"output\":\"A\""), changed("\"problem\"", "\"trouble\""),
        changed("\"elements\"", "\"parts\""), changed("\"allowed\"", "\"granted\""), std::string("[]"),
        std::string()}) {
    store(text);
    const RootElements again(root, 3, kOperations, cache());
    EXPECT_FALSE(again.is_from_cache()) << text.substr(0, 200);
    EXPECT_EQ(dumped(again), wanted);
  }
}

/// Elements that are not compared after each run are compared after the first.
TEST_F(Root, OneWrongElementIsFound) {
  const std::string head = "@input A f32[4096]\n@output D f32[4096]\nB^{8}_{bx=0}B^{512}_{tx=0}[D^{f32,g}_{bx*512+tx}=";
  const Program program = program_of(head + "A^{f32,g}_{bx*512+tx};];");
  const RootElements root(program, 3, kOperations, cache());
  for (const ExpectedElement& element : root.expectations().elements) {
    const std::string wrong = concat("if_then_else(bx*512+tx<", element.position, ",1,if_then_else(bx*512+tx>",
                                     element.position, ",1,2))*A^{f32,g}_{bx*512+tx};];");
    if (!element.each_run) {
      expect_wrong(measured(root, program_of(head + wrong), DeviceKind::cuda), wrong);
      return;
    }
  }
  FAIL() << "all elements are of each run";
}

TEST_F(Root, WhatIsNoListOfElementsIsRefused) {
  const RootElements root(matvec(kRoot), 3, kOperations, "");
  const Json whole = to_json(root.expectations());
  ASSERT_TRUE(expectations_from_json(whole).has_value());
  EXPECT_EQ(to_json(Expectations{*expectations_from_json(whole), ""}).dump(), whole.dump());
  EXPECT_FALSE(expectations_from_json(Json("elements")).has_value());
  const Json::Object& element = *whole.as_array()->front().as_object();
  for (const auto& [lost, value] : element) {
    if (lost == "any_order") continue;  // an infinite one is not written
    Json::Object shorter = element;
    std::erase_if(shorter, [&lost](const auto& entry) { return entry.first == lost; });
    EXPECT_FALSE(expectations_from_json(Json::Array{Json(shorter)}).has_value()) << lost;
    Json::Object other = element;
    for (auto& [name, content] : other) {
      if (name == lost) content = Json::Array();
    }
    const Json changed(other);
    EXPECT_FALSE(expectations_from_json(Json::Array{changed}).has_value()) << lost;
  }
}

TEST_F(Root, EqualCandidatesNeedNoEvaluation) {
  const RootElements root(matvec(kRoot), 3, kOperations, cache());
  operations_ = 0;
  for (const DeviceKind device : {DeviceKind::cpu, DeviceKind::cuda}) {
    if (device == DeviceKind::cpu && !has_engine()) continue;
    for (const char* text : kEqual) {
      const Timing timing = measured(root, matvec(text), device);
      EXPECT_EQ(timing.status, Timing::Status::ok) << text << timing.failure.diagnostic.message;
      EXPECT_EQ(timing.checked_elements, RootElements::kElements);
      EXPECT_GE(timing.samples.size(), 1U);
      for (const std::string& note : timing.notes) EXPECT_EQ(note.find("of its own"), std::string::npos) << note;
      EXPECT_GT(timing.cost.preparing, 0);
      EXPECT_GT(timing.cost.running, 0);
    }
  }
}

/// Each is wrong in some elements only, or by little: a term less, a tile that ends one too early, a row that is not
/// its own, a factor, a write that comes too late.
constexpr const char* kWrong[] = {
    "B^{64}_{tx=0}L^{95}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a}*C^{f32,g}_{a};];",
    "B^{64}_{tx=0}L^{96}_{a=0}?{a!=17}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a}*C^{f32,g}_{a};];",
    "B^{3}_{bx=0}[B^{30}_{tx=0}?{bx*30+tx<63}[L^{96}_{a=0}[D^{f32,g}_{bx*30+tx}=D^{f32,g}_{bx*30+tx}"
    "+A^{f32,g}_{bx*30+tx,a}*C^{f32,g}_{a};];];];",
    "B^{8}_{bx=0}[B^{8}_{tx=0}?{tx<7}[L^{96}_{a=0}[D^{f32,g}_{bx*8+tx}=D^{f32,g}_{bx*8+tx}"
    "+A^{f32,g}_{bx*8+tx,a}*C^{f32,g}_{a};];];];",
    "B^{8}_{bx=0}B^{8}_{tx=0}L^{96}_{a=0}[D^{f32,g}_{bx*8+tx}=D^{f32,g}_{bx*8+tx}"
    "+A^{f32,g}_{bx*8+tx-tx//7,a}*C^{f32,g}_{a};];",
    "B^{64}_{tx=0}L^{96}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a}*C^{f32,g}_{a}*1.0001;];",
    "B^{64}_{tx=0}L^{96}_{a=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx,a}*C^{f32,g}_{a};];",
};

TEST_F(Root, WrongCandidatesHaveNoTimes) {
  const RootElements root(matvec(kRoot), 3, kOperations, cache());
  for (const DeviceKind device : {DeviceKind::cpu, DeviceKind::cuda}) {
    if (device == DeviceKind::cpu && !has_engine()) continue;
    for (const char* text : kWrong) expect_wrong(measured(root, matvec(text), device), text);
  }
}

/// What holds in the order of the text only: threads that read what others write, with nothing between.
TEST_F(Root, RacesHaveNoTimes) {
  const std::string head = "@input A f32[32]\n@output D f32[32]\n";
  const std::string sums = "[D^{f32,g}_{I}=if_then_else(I>0,D^{f32,g}_{I-1},0)+A^{f32,g}_{I};];";
  const auto over = [&](const std::string& loops, const std::string& index) {
    std::string text = sums;
    for (std::size_t at = 0; (at = text.find('I', at)) != std::string::npos; at += index.size()) {
      text.replace(at, 1, index);
    }
    return program_of(head + loops + text);
  };
  const Program root = over("B^{1}_{tx=0}L^{32}_{a=0}", "a");
  const Program racing = over("B^{32}_{tx=0}", "tx");
  EXPECT_EQ(measured(root, root, DeviceKind::cuda).status, Timing::Status::ok);
  EXPECT_EQ(measured(root, racing, DeviceKind::cuda).status, Timing::Status::ok)
      << "threads run in the order of the text";
  setenv("FAKE_CUDA_REVERSED", "0", 1);
  EXPECT_EQ(measured(root, root, DeviceKind::cuda).status, Timing::Status::ok);
  expect_wrong(measured(root, racing, DeviceKind::cuda), "threads run last first");
  // Right at first, and wrong later: its own certified values, which are right, are no excuse. There are two runs at
  // least, however slow the machine is: one to warm up, and one that counts.
  setenv("FAKE_CUDA_REVERSED", "1", 1);
  const Timing later = measured(root, racing, DeviceKind::cuda);
  expect_wrong(later, "the second run");
  EXPECT_TRUE(later.notes.empty());
  // Wrong at first, and right later: what is compared with its own values is the run that was wrong.
  setenv("FAKE_CUDA_REVERSED", "-1", 1);
  const Timing first = measured(root, racing, DeviceKind::cuda);
  expect_wrong(first, "the first run");
  EXPECT_TRUE(first.notes.empty());
  unsetenv("FAKE_CUDA_REVERSED");
  // A launch that does not happen leaves out a term.
  const Program two = program_of(head +
                                 "B^{32}_{tx=0}[E^{f32,g}_{tx}=A^{f32,g}_{tx}*0.5;];B^{32}_{tx=0}[D^{f32,g}_{tx}=E^{"
                                 "f32,g}_{tx}+E^{f32,g}_{tx};];");
  const Program copy = program_of(head + "B^{32}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx};];");
  EXPECT_EQ(measured(copy, two, DeviceKind::cuda).status, Timing::Status::ok);
  setenv("FAKE_CUDA_SKIP", "kernel_0", 1);
  expect_wrong(measured(copy, two, DeviceKind::cuda), "the first kernel is left out");
}

/// What cancels has larger errors than the root: then the candidate's own certified values decide.
TEST_F(Root, BoundsOfACandidateMayBeWider) {
  const std::string head = "@input A f32[64] positive\n@input C f32[64] positive\n@output D f32[64]\n";
  const Program root = program_of(head + "B^{64}_{tx=0}[D^{f32,g}_{tx}=C^{f32,g}_{tx};];");
  const std::string cancels =
      head + "B^{64}_{tx=0}[D^{f32,g}_{tx}=(A^{f32,g}_{tx}*777.7+C^{f32,g}_{tx})-A^{f32,g}_{tx}*777.7";
  const Timing timing = measured(root, program_of(cancels + ";];"), DeviceKind::cuda);
  EXPECT_EQ(timing.status, Timing::Status::ok) << timing.failure.diagnostic.message;
  EXPECT_EQ(timing.checked_elements, RootElements::kElements);
  ASSERT_FALSE(timing.notes.empty());
  EXPECT_NE(timing.notes[0].find("values of its own"), std::string::npos) << timing.notes[0];
  expect_wrong(measured(root, program_of(cancels + "+0.02;];"), DeviceKind::cuda), "a hundredth more");
  // Where nothing is certain any more, nothing is accepted.
  std::string lost = cancels;
  for (std::size_t at = 0; (at = lost.find("777.7", at)) != std::string::npos; at += 5) lost.replace(at, 5, "9e+09");
  expect_wrong(measured(root, program_of(lost + ";];"), DeviceKind::cuda), "no digit is left");
}

/// Long sums of halves have no digit that is certain in every order; there a candidate is compared in its own.
TEST_F(Root, HalvesWithoutCertainDigitsAreEvaluated) {
  const std::string text =
      "@input A f16[4,3000] positive\n@output D f16[4]\n"
      "B^{4}_{tx=0}L^{3000}_{a=0}[D^{f16,g}_{tx}=D^{f16,g}_{tx}+exp(A^{f16,g}_{tx,a});];";
  const RootElements root(program_of(text), 3, kOperations, cache());
  EXPECT_FALSE(root.covers("D"));
  if (!has_engine()) GTEST_SKIP() << "no engine";
  const Timing timing = measured(root, program_of(text), DeviceKind::cpu);
  EXPECT_EQ(timing.status, Timing::Status::ok) << timing.failure.diagnostic.message;
  EXPECT_EQ(timing.checked_elements, 8U);
  EXPECT_GT(timing.cost.certified_values, 0);
}

TEST_F(Root, OtherVariablesAreRefused) {
  const RootElements root(matvec(kRoot), 3, kOperations, cache());
  const Program other = program_of(
      "@input A f32[64,96]\n@input E f32[96]\n@output D f32[64]\n"
      "B^{64}_{tx=0}L^{96}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a}*E^{f32,g}_{a};];");
  const Timing timing = measured(root, other, DeviceKind::cuda);
  EXPECT_EQ(timing.status, Timing::Status::failed);
  EXPECT_EQ(timing.failure.diagnostic.id, "root-mismatch");
  EXPECT_NE(timing.failure.diagnostic.message.find("@input C f32[96], which the program lacks"), std::string::npos)
      << timing.failure.diagnostic.message;
}

TEST(MachineLoads, TasksOfOthersAreCounted) {
  EXPECT_EQ(runnable_tasks("5.08 8.41 7.45 4/119 2260\n"), 4);
  EXPECT_EQ(runnable_tasks("0.00 0.00 0.00 1/2 3"), 1);
  for (const char* text : {"", "1 2 3", "1 2 3 4", "1 2 3 x/5 6", "1 2 3 -4/5 6"}) {
    EXPECT_FALSE(runnable_tasks(text).has_value()) << text;
  }
  auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  LoadWatch watch(folder->file("load"));
  watch.look();
  EXPECT_EQ(watch.load().looks, 0) << "a system that does not tell";
  EXPECT_FALSE(watch.load().disturbs(1000));
  ASSERT_TRUE(write_file(folder->file("load"), "1 1 1 1/9 9").ok());
  watch.look();
  ASSERT_TRUE(write_file(folder->file("load"), "1 1 1 4/9 9").ok());
  watch.look();
  EXPECT_EQ(watch.load().looks, 2);
  EXPECT_DOUBLE_EQ(watch.load().others, 1.5) << "nobody, then three";
  MachineLoad load{4, 1.5, 2};
  EXPECT_FALSE(load.disturbs(2));
  EXPECT_FALSE(load.disturbs(3)) << "half a task is no load";
  EXPECT_TRUE(load.disturbs(4));
}

}  // namespace
}  // namespace steptp::testing
