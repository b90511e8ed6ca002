// Candidates in worker processes: values, limits, times; a timing of a wrong result does not exist.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "built_files.h"
#include "steptp/base/process.h"
#include "steptp/base/text.h"
#include "steptp/execution/llvm_program.h"
#include "steptp/lowering/arrangement.h"
#include "steptp/measure/candidate_pool.h"
#include "steptp/measure/candidates.h"
#include "steptp/measure/expected.h"
#include "steptp/measure/time_programs.h"
#include "steptp/oracle/machine.h"
#include "steptp/text/document.h"
#include "testing/lowering_support.h"

namespace steptp::testing {
namespace {

constexpr const char* kMatvec =
    "@program Matvec\n@input A f32[64,96]\n@input C f32[96]\n@output D f32[64]\n"
    "B^{64}_{tx=0}L^{96}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a}*C^{f32,g}_{a};];";
/// The same sum, from the other end.
constexpr const char* kReversed =
    "@program Reversed\n@input A f32[64,96]\n@input C f32[96]\n@output D f32[64]\n"
    "B^{64}_{tx=0}L^{96}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,95-a}*C^{f32,g}_{95-a};];";
/// Another function: one summand is missing.
constexpr const char* kShort =
    "@program Short\n@input A f32[64,96]\n@input C f32[96]\n@output D f32[64]\n"
    "B^{64}_{tx=0}L^{95}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a}*C^{f32,g}_{a};];";
/// Months of additions, of which none may be left out.
constexpr const char* kEndless =
    "@program Endless\n@input A f32[1]\n@output D f32[1]\n"
    "B^{1}_{tx=0}L^{100000}_{a=0}L^{100000}_{c=0}L^{100000}_{d=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx};];";
constexpr const char* kLarge =
    "@program Large\n@input A f32[1]\n@output D f32[600000000]\n"
    "B^{600000000}_{bx=0}[D^{f32,g}_{bx}=A^{f32,g}_{0};];";

Program program_of(const char* text) {
  Document document = read_document("test", text);
  EXPECT_TRUE(document.ok) << text;
  return document.program;
}

class Measure : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto engine = find_llvm_engine();
    if (!engine) GTEST_SKIP() << engine.error().message;
    auto made = TemporaryFolder::make();
    ASSERT_TRUE(made.ok());
    folder_.emplace(std::move(made).value());
  }
  [[nodiscard]] CandidateOptions options() const {
    CandidateOptions out;
    out.worker = {STEPTP_BINARY, "worker"};
    out.cache = folder_->file("cache");
    out.seconds = 60;
    return out;
  }
  std::optional<TemporaryFolder> folder_;
};

TEST_F(Measure, WorkersGiveTheValuesOfTheOracle) {
  CandidatePool pool(options(), 2);
  std::size_t compared = 0;
  for (const Judged& one : written_kernels()) {
    if (++compared > 12) break;
    const auto ran = pool.run(one.program, one.inputs);
    ASSERT_TRUE(ran.ok()) << one.name << ": " << ran.error().diagnostic.message;
    EXPECT_EQ(compare_outputs(ran->outputs, one.outputs, 1e-6).first, "") << one.name;
  }
  EXPECT_EQ(pool.workers().started(), 1U);
}

TEST_F(Measure, TrapsComeBackAsTraps) {
  CandidatePool pool(options(), 1);
  const Program program = program_of(
      "@input A f32[4]\n@input C i32[4]\n@output D f32[4]\nB^{4}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{C^{i32,g}_{tx}};];");
  Tensors inputs;
  inputs["A"] = Tensor{DType::f32, {4}, std::vector<std::byte>(16)};
  inputs["C"] = Tensor{DType::i32, {4}, std::vector<std::byte>(16, std::byte{9})};
  const auto ran = pool.run(program, inputs);
  ASSERT_FALSE(ran.ok());
  ASSERT_TRUE(ran.error().trap.has_value()) << ran.error().diagnostic.message;
  EXPECT_EQ(ran.error().trap->kind, TrapKind::out_of_range);
  inputs.erase("A");
  const auto missing = pool.run(program, inputs);
  ASSERT_FALSE(missing.ok());
  ASSERT_TRUE(missing.error().trap.has_value());
  EXPECT_EQ(missing.error().trap->kind, TrapKind::input_missing);
  EXPECT_EQ(missing.error().trap->tensor, "A");
  EXPECT_EQ(pool.workers().started(), 1U) << "a trap is no reason to end a worker";
}

TEST_F(Measure, AKernelThatRunsAwayIsEnded) {
  CandidateOptions how = options();
  how.seconds = 1.5;
  CandidatePool pool(how, 1);
  const Program endless = program_of(kEndless);
  const auto ran = pool.run(endless, drawn_inputs(endless, 1).value());
  ASSERT_FALSE(ran.ok());
  EXPECT_EQ(ran.error().diagnostic.id, "worker-timed-out") << ran.error().diagnostic.message;
  const Program matvec = program_of(kMatvec);
  EXPECT_TRUE(pool.run(matvec, drawn_inputs(matvec, 1).value()).ok());
}

#ifndef __SANITIZE_ADDRESS__
TEST_F(Measure, TooMuchMemoryIsAResult) {
  CandidateOptions how = options();
  how.memory_bytes = std::uint64_t{1} << 30;
  CandidatePool pool(how, 1);
  const Program large = program_of(kLarge);
  const auto ran = pool.run(large, drawn_inputs(large, 1).value());
  ASSERT_FALSE(ran.ok());
  EXPECT_EQ(ran.error().diagnostic.id, "worker-failed");
  EXPECT_NE(ran.error().diagnostic.message.find("out of memory"), std::string::npos) << ran.error().diagnostic.message;
  const Program matvec = program_of(kMatvec);
  EXPECT_TRUE(pool.run(matvec, drawn_inputs(matvec, 1).value()).ok());
}
#endif

TEST_F(Measure, ObjectsAreTakenFromTheCache) {
  const Program program = program_of(kMatvec);
  const ObjectCache cache(folder_->file("objects"));
  const auto first = LlvmProgram::compile(program, cache);
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(first->times().from_cache);
  const auto second = LlvmProgram::compile(program, cache);
  ASSERT_TRUE(second.ok());
  EXPECT_TRUE(second->times().from_cache);
  EXPECT_EQ(second->times().compile_milliseconds, 0);
  const Tensors inputs = drawn_inputs(program, 1).value();
  EXPECT_EQ(first->run(inputs).value().at("D"), second->run(inputs).value().at("D"));
  std::printf("compile %.2f ms, load %.2f ms; from the cache %.2f ms\n", first->times().compile_milliseconds,
              first->times().load_milliseconds, second->times().load_milliseconds);
}

/// What a warm worker adds to compiling and running.
TEST_F(Measure, AWarmWorkerCostsLittle) {
  CandidatePool pool(options(), 1);
  const Program program = program_of(kMatvec);
  const Tensors inputs = drawn_inputs(program, 1).value();
  Message request;
  request.head.set("op", "run").set("device", "cpu").set("threads", 1).set("cache", folder_->file("cache"));
  request.head.set("program", to_json(program, Profile::paper));
  request.tensors = inputs;
  const std::string packed = pack(request);
  std::vector<double> extra;
  for (int i = 0; i < 30; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const WorkerOutcome outcome = pool.workers().call(packed, pool.call_options());
    const double whole = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    ASSERT_TRUE(outcome.ok()) << outcome.reason;
    const auto answer = unpack(outcome.answer);
    ASSERT_TRUE(answer.has_value());
    const Json& times = *answer->head.find("times");
    const double own = times.find("lower")->number() + times.find("compile")->number() + times.find("load")->number() +
                       1e3 * answer->head.find("seconds")->number();
    if (i > 0) extra.push_back(whole - own);
  }
  std::sort(extra.begin(), extra.end());
  std::printf("a warm worker adds %.3f ms in the median, %.3f ms at most\n", extra[extra.size() / 2], extra.back());
  // The least: on a machine with other work the rest is theirs.
  EXPECT_LT(extra.front(), 5);
}

TEST_F(Measure, DrawnInputsAndExpectedElementsBelongTogether) {
  for (const Judged& one : small_zoo(DType::f32, 9, 2)) {
    const auto inputs = drawn_inputs(one.program, 5);
    ASSERT_TRUE(inputs.ok()) << one.name;
    const Expectations expected = expected_elements(one.program, one.program, 5);
    const auto ran = run(one.program, *inputs);
    if (!ran) continue;  // a draw at which the oracle traps
    for (const ExpectedElement& element : expected.elements) {
      const Tensor& tensor = ran->outputs.at(element.output);
      const Scalar value = load(tensor.dtype, tensor.data.data() + element.position * info(tensor.dtype).bytes);
      EXPECT_TRUE(is_expected(element, value)) << one.name << " " << element.output << " " << element.position << ": "
                                               << element.value << " within " << element.allowed;
    }
  }
}

TEST_F(Measure, ExpectationsRefuseWhatIsWrong) {
  const Program program = program_of(kMatvec);
  const Expectations expected = expected_elements(program, program, 1);
  ASSERT_GE(expected.elements.size(), 8U);
  EXPECT_EQ(expected.problem, "");
  const Program other = program_of(kShort);
  const auto ran = run(other, drawn_inputs(program, 1).value());
  ASSERT_TRUE(ran.ok());
  std::size_t refused = 0;
  for (const ExpectedElement& element : expected.elements) {
    refused += is_expected(element, load(DType::f32, ran->outputs.at("D").data.data() + element.position * 4)) ? 0 : 1;
    EXPECT_FALSE(is_expected(element, Scalar::real(DType::f32, std::nan(""))));
    EXPECT_FALSE(is_expected(element, Scalar::integer(DType::i32, 0)));
  }
  EXPECT_EQ(refused, expected.elements.size());
  // They survive their way to the worker.
  Expectations special;
  special.elements = {expected.elements[0]};
  special.elements[0].value = -std::numeric_limits<double>::infinity();
  const auto back = expectations_from_json(to_json(special));
  ASSERT_TRUE(back.has_value());
  ASSERT_EQ(back->size(), 1U);
  EXPECT_EQ((*back)[0].value, special.elements[0].value);
}

TEST_F(Measure, ProgramsAreMeasuredByTurns) {
  const Program first = program_of(kMatvec);
  const Program second = program_of(kReversed);
  CandidatePool pool(options(), 1);
  TimeRequest request;
  request.programs = {&first, &second};
  request.budget_seconds = 0.5;
  const auto answer = time_programs(pool, request);
  ASSERT_TRUE(answer.ok()) << answer.error().diagnostic.message;
  EXPECT_GT(answer->machine.bytes_per_second, 1e8);
  EXPECT_GT(answer->machine.flops_of(DType::f32), 1e8);
  for (const Timing& timing : answer->timings) {
    EXPECT_EQ(timing.status, Timing::Status::ok) << timing.failure.diagnostic.message;
    EXPECT_GE(timing.samples.size(), 10U);
    EXPECT_GT(timing.median, 0);
    EXPECT_GE(timing.median, timing.least);
    EXPECT_EQ(timing.checked_elements, 8U);
    EXPECT_EQ(timing.work.bytes, 4 * (64 * 96 + 96 + 64));
    EXPECT_EQ(timing.work.all_flops(), 2 * 64 * 96);
    // Other work on the machine can make its peaks look low, so it may be called implausible; then it says so.
    bool says_so = false;
    for (const std::string& note : timing.notes) {
      EXPECT_EQ(note.find("another function"), std::string::npos) << note;
      says_so = says_so || note.starts_with("implausible");
    }
    EXPECT_EQ(timing.implausible, says_so);
  }
}

TEST_F(Measure, AnotherFunctionIsSaidToBeOne) {
  const Program first = program_of(kMatvec);
  const Program second = program_of(kShort);
  CandidatePool pool(options(), 1);
  TimeRequest request;
  request.programs = {&first, &second};
  request.budget_seconds = 0.2;
  const auto answer = time_programs(pool, request);
  ASSERT_TRUE(answer.ok());
  ASSERT_FALSE(answer->timings[1].notes.empty());
  EXPECT_NE(answer->timings[1].notes[0].find("another function"), std::string::npos);
}

TEST_F(Measure, OneThatHangsDoesNotTakeTheOthersWithIt) {
  const Program first = program_of(kMatvec);
  const Program endless = program_of(kEndless);
  const Program second = program_of(kReversed);
  CandidateOptions how = options();
  how.seconds = 2;
  CandidatePool pool(how, 1);
  TimeRequest request;
  request.programs = {&first, &endless, &second};
  request.budget_seconds = 0.3;
  const auto answer = time_programs(pool, request);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->timings[0].status, Timing::Status::ok) << answer->timings[0].failure.diagnostic.message;
  EXPECT_EQ(answer->timings[1].status, Timing::Status::failed);
  EXPECT_EQ(answer->timings[1].failure.diagnostic.id, "worker-timed-out");
  EXPECT_TRUE(answer->timings[1].samples.empty());
  EXPECT_EQ(answer->timings[2].status, Timing::Status::ok);
  EXPECT_GE(answer->timings[2].samples.size(), 10U);
}

/// The worker's own check, with an expectation that the program does not meet.
TEST_F(Measure, ThereIsNoTimingOfAWrongResult) {
  const Program program = program_of(kMatvec);
  Expectations expected = expected_elements(program, program, 1);
  expected.elements[3].value += 3 * expected.elements[3].allowed;
  CandidateWorker worker(0);
  const auto ask = [&worker](Json head) {
    auto answer = unpack(worker.answer(pack({std::move(head), {}})));
    EXPECT_TRUE(answer.has_value());
    return answer->head;
  };
  Json prepare;
  prepare.set("op", "prepare").set("id", 1).set("device", "cpu").set("seed", 1).set("cache", "");
  prepare.set("program", to_json(program, Profile::paper)).set("inputs_of", to_json(program, Profile::paper));
  prepare.set("expected", to_json(expected));
  ASSERT_EQ(ask(prepare).find("error"), nullptr);
  Json measure;
  measure.set("op", "measure").set("id", 1).set("seconds", 0.01).set("most", 3).set("cold", true);
  const Json said = ask(measure);
  ASSERT_NE(said.find("error"), nullptr);
  EXPECT_EQ(*said.find("error")->as_string(), "wrong-result");
  EXPECT_EQ(said.find("samples"), nullptr);
  measure = Json();
  measure.set("op", "measure").set("id", 2);
  EXPECT_NE(ask(measure).find("error"), nullptr);
}

TEST(Messages, AreWhatTheyWereAndNothingElse) {
  Message message;
  message.head.set("op", "run");
  message.tensors["A"] = Tensor{DType::bf16, {2, 3}, std::vector<std::byte>(12, std::byte{7})};
  message.tensors["C"] = Tensor{DType::i8, {}, std::vector<std::byte>(1, std::byte{1})};
  const std::string text = pack(message);
  const auto back = unpack(text);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->tensors, message.tensors);
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(unpack(text.substr(0, length)).has_value()) << length;
  }
}

TEST(Timings, MedianAndSpread) {
  Timing timing;
  timing.samples = {5, 1, 2, 3, 100};
  summarise(timing);
  EXPECT_EQ(timing.median, 3);
  EXPECT_DOUBLE_EQ(timing.spread, 1.4826 * 2);
  EXPECT_EQ(timing.least, 1);
  timing.samples = {4, 2};
  summarise(timing);
  EXPECT_EQ(timing.median, 3);
}

TEST(Timings, Roofline) {
  MachinePeak peak;
  peak.bytes_per_second = 100;
  peak.flops = {{DType::f32, 1000}, {DType::f64, 500}};
  EXPECT_DOUBLE_EQ(roofline_seconds(200, {{DType::f32, 1000}}, peak), 2);
  EXPECT_DOUBLE_EQ(roofline_seconds(200, {{DType::f32, 1000}, {DType::f64, 1000}}, peak), 3);
  EXPECT_DOUBLE_EQ(roofline_seconds(0, {{DType::bf16, 500}}, peak), 0.5);
  EXPECT_DOUBLE_EQ(roofline_seconds(0, {}, MachinePeak()), 0);
}

TEST(Timings, WorkIsWhatNoCompilerTakesAway) {
  // exp(A) does not depend on c: a compiler takes it out of that loop.
  const Program hoisted = program_of(
      "@input A f32[8]\n@input C f32[8,16]\n@output D f32[8,16]\n"
      "B^{8}_{tx=0}L^{16}_{c=0}[D^{f32,g}_{tx,c}=exp(A^{f32,g}_{tx})*C^{f32,g}_{tx,c};];");
  EXPECT_EQ(work_of(lowering::arrangement_of(hoisted).value()).all_flops(), 8 + 8 * 16);
  EXPECT_EQ(work_of(lowering::arrangement_of(hoisted).value()).certain_bytes, 4 * (8 + 8 * 16));
  const Program guarded = program_of(
      "@input A f32[8]\n@input C f32[8]\n@output D f32[8]\n"
      "B^{8}_{tx=0}[D^{f32,g}_{tx}=if_then_else(tx<4,A^{f32,g}_{tx}*2.0,C^{f32,g}_{tx});];");
  const Work work = work_of(lowering::arrangement_of(guarded).value());
  EXPECT_EQ(work.bytes, 96);
  EXPECT_EQ(work.certain_bytes, 0);
  EXPECT_EQ(work.certain_flops.count(DType::f32), 0U);
}

}  // namespace
}  // namespace steptp::testing
