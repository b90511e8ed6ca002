// What people and programs read of measured times: which program is which, and what is worth little.
#include "steptp/documents/time_document.h"

#include <gtest/gtest.h>

#include "steptp/base/text.h"

namespace steptp::testing {
namespace {

TimedDocument timed(const char* name, const char* file, double microseconds, double share) {
  TimedDocument out;
  out.name = name;
  out.file = file;
  out.timing.status = Timing::Status::ok;
  out.timing.samples = {microseconds * 1e-6};
  out.timing.checked_elements = 8;
  summarise(out.timing);
  out.timing.roofline_share = share;
  return out;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(TimeTables, FilesTellProgramsOfOneNameApart) {
  TimeReport report;
  report.programs = {timed("Softmax", "fast.leir", 5, 0.5), timed("Softmax", "slow.leir", 50, 0.1),
                     timed("Matmul", "m.leir", 7, 0.2), timed("eager", "", 6, 0.2)};
  const std::string table = to_table(report);
  EXPECT_TRUE(has(table, "\nSoftmax (fast.leir) ")) << table;
  EXPECT_TRUE(has(table, "\nSoftmax (slow.leir) ")) << table;
  EXPECT_TRUE(has(table, "\nMatmul ")) << table;
  EXPECT_FALSE(has(table, "m.leir")) << table;
  const Json json = to_json(report);
  const Json::Array& programs = *json.find("programs")->as_array();
  EXPECT_EQ(*programs[0].find("file")->as_string(), "fast.leir");
  EXPECT_EQ(*programs[1].find("file")->as_string(), "slow.leir");
  EXPECT_EQ(*programs[2].find("program")->as_string(), "Matmul");
}

TEST(TimeTables, WhatLimitsEachKernelIsSaid) {
  TimeReport report;
  report.programs = {timed("One", "o", 5, 0.5), timed("Other", "p", 5, 0.5)};
  Estimate expected;
  expected.seconds = 4e-6;
  expected.kernels.resize(2);
  expected.kernels[0].name = "kernel_0";
  expected.kernels[0].limited_by = "memory";
  expected.kernels[1].name = "kernel_1";
  expected.kernels[1].limited_by = "launch";
  report.programs[0].expected = expected;
  const std::string table = to_table(report);
  EXPECT_TRUE(has(table, "One: expected 4 us; kernel_0 is limited by memory, kernel_1 by launch\n")) << table;
  EXPECT_FALSE(has(table, "Other: expected")) << table;
  const Json json = to_json(report);
  const Json::Array& programs = *json.find("programs")->as_array();
  EXPECT_EQ(*(*programs[0].find("expected")->find("kernels")->as_array())[0].find("limited_by")->as_string(), "memory");
  EXPECT_EQ(programs[1].find("expected"), nullptr);
}

TEST(TimeTables, MoreThanTheRooflineIsMarked) {
  TimeReport report;
  report.programs = {timed("Fast", "f", 5, 1.27), timed("Exact", "e", 5, 1.0)};
  const std::string table = to_table(report);
  EXPECT_TRUE(has(table, "127.0 % (!)")) << table;
  EXPECT_TRUE(has(table, "Fast: faster than the roofline")) << table;
  EXPECT_TRUE(has(table, "100.0 %") && !has(table, "100.0 % (!)")) << table;
  EXPECT_FALSE(has(table, "Exact: ")) << table;
  const Json json = to_json(report);
  const Json::Array& programs = *json.find("programs")->as_array();
  EXPECT_TRUE(*programs[0].find("above_roofline")->as_bool());
  EXPECT_EQ(programs[0].find("notes")->as_array()->size(), 1U);
  EXPECT_FALSE(*programs[1].find("above_roofline")->as_bool());
  EXPECT_TRUE(programs[1].find("notes")->as_array()->empty());
}

TEST(TimeTables, AMachineThatIsBusyIsSaidToBe) {
  TimeReport report;
  report.programs = {timed("One", "o", 5, 0.5)};
  report.threads = 2;
  report.load = {2, 6.3, 10};
  const std::string busy = to_table(report);
  EXPECT_TRUE(has(busy, "this machine is busy: 6.3 tasks of others wanted its 2 cores beside 2 threads of each"))
      << busy;
  EXPECT_TRUE(has(busy, "1.00x (do not trust)")) << busy;
  EXPECT_TRUE(*to_json(report).find("machine")->find("load")->find("disturbs")->as_bool());
  report.load.others = 0.3;
  EXPECT_FALSE(has(to_table(report), "busy"));
  EXPECT_FALSE(*to_json(report).find("machine")->find("load")->find("disturbs")->as_bool());
  // A GPU has its own clock.
  report.load.others = 6.3;
  report.device = DeviceKind::cuda;
  EXPECT_FALSE(has(to_table(report), "busy"));
}

TEST(TimeTables, ThereIsNoRatioToAnotherFunction) {
  TimeReport report;
  report.programs = {timed("One", "o", 5, 0.5), timed("Two", "t", 5, 0.5)};
  EXPECT_TRUE(has(to_table(report), "1.00x"));
  EXPECT_EQ(to_json(report).find("programs")->as_array()->back().find("another_function"), nullptr);
  report.programs[1].timing.is_another_function = true;
  EXPECT_TRUE(has(to_table(report), "another function")) << to_table(report);
  EXPECT_TRUE(*to_json(report).find("programs")->as_array()->back().find("another_function")->as_bool());
}

TEST(TimeTables, RunsThatDifferMuchAreSaidTo) {
  TimeReport report;
  report.programs = {timed("One", "o", 5, 0.5)};
  report.programs[0].timing.samples = {5e-6, 9e-6, 2e-6, 12e-6};
  summarise(report.programs[0].timing);
  EXPECT_TRUE(has(to_table(report), "One: single runs differ by ")) << to_table(report);
  report.programs[0].timing.samples = {5e-6, 5.1e-6, 4.9e-6};
  summarise(report.programs[0].timing);
  EXPECT_FALSE(has(to_table(report), "single runs"));
}

}  // namespace
}  // namespace steptp::testing
