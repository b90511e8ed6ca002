#include "steptp/dataset/tvm_builder.h"

#include <utility>

#include "steptp/base/json.h"
#include "steptp/base/text.h"

namespace steptp::dataset {

namespace {

constexpr double kStartSeconds = 120;
constexpr double kBuildSeconds = 120;

/// One line of JSON for each line; answers go to a copy of standard output, because TVM and LLVM print to it as well.
constexpr const char* kScript = R"python(
import json, os, sys
answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)

def say(**answer):
    answers.write(json.dumps(answer) + "\n")
    answers.flush()

try:
    import tvm
    from tvm.script import ir as I
    try:
        from tvm.script import tirx as T
        spelling = "tvm-0.27"
    except ImportError:
        from tvm.script import tir as T
        spelling = "tvm-0.21"
except Exception as error:
    say(error=f"{type(error).__name__}: {error}")
    sys.exit(0)
say(version=tvm.__version__, spelling=spelling)
for line in sys.stdin:
    request = json.loads(line)
    try:
        # `from_source` takes T and I as variables and rejects import lines.
        lines = [line for line in request["text"].splitlines() if not line.startswith("from ")]
        module = tvm.script.from_source("\n".join(lines), extra_vars={"T": T, "I": I})
        target = tvm.target.Target({"kind": "cuda", "arch": "sm_90"} if request["target"] == "cuda" else "llvm")
        tvm.compile(module, target=target)
        say()
    except Exception as error:
        say(error=f"{type(error).__name__}: {str(error).strip()[-600:]}")
)python";

std::string text_at(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  return value && value->as_string() ? *value->as_string() : std::string();
}

}  // namespace

Result<TvmBuilder, std::string> TvmBuilder::start(const std::string& python) {
  auto conversation = Conversation::start({python, "-c", kScript});
  if (!conversation) return conversation.error().message;
  const auto line = conversation->ask("", kStartSeconds);
  if (!line) return concat(python, ": ", line.error().message);
  const auto hello = parse_json(*line);
  if (!hello) return concat(python, " says '", *line, "'");
  if (const std::string error = text_at(*hello, "error"); !error.empty()) return concat(python, ": ", error);
  const auto dialect = read_word<tir::Dialect>(text_at(*hello, "spelling"));
  if (!dialect) return concat(python, " says '", *line, "'");
  return TvmBuilder(std::move(conversation).value(), text_at(*hello, "version"), *dialect);
}

std::optional<std::string> TvmBuilder::build(const std::string& text, DeviceKind target) {
  Json request;
  request.set("text", text).set("target", word_of(target));
  const auto line = python_.ask(request.dump(), kBuildSeconds);
  if (!line) return line.error().message;
  const auto answer = parse_json(*line);
  if (!answer || !answer->as_object()) return concat("it says '", *line, "'");
  const std::string error = text_at(*answer, "error");
  return error.empty() ? std::nullopt : std::optional(error);
}

}  // namespace steptp::dataset
