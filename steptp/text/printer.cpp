#include "steptp/text/printer.h"

#include "steptp/text/printer_impl.h"

namespace steptp {

namespace {

using TextPrinter = printing::Printer<printing::NoPlaces>;

}  // namespace

std::string print(const Program& program, Profile profile) {
  TextPrinter printer(profile);
  printer.program(program);
  // Nearly all programs are of f32; only for others was the first text in vain.
  const DType most = printer.most_common_dtype();
  if (most == DType::f32) return printer.take();
  TextPrinter with_default(profile, most);
  with_default.program(program);
  return with_default.take();
}

std::string print(const Index& index) {
  TextPrinter printer(Profile::paper);
  printer.index(index);
  return printer.take();
}
std::string print(const Ref& ref) {
  TextPrinter printer(Profile::paper);
  printer.ref(ref);
  return printer.take();
}
std::string print(const Expr& expr) {
  TextPrinter printer(Profile::paper);
  printer.expr(expr, printing::Level::disjunction);
  return printer.take();
}
std::string print(const Equation& equation) {
  TextPrinter printer(Profile::paper);
  printer.equation(equation);
  return printer.take();
}
std::string print(const Loop& loop) {
  TextPrinter printer(Profile::paper);
  printer.loop(loop);
  return printer.take();
}

}  // namespace steptp
