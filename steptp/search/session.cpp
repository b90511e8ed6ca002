#include "steptp/search/session.h"

#include <memory>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/costs/cost_model.h"
#include "steptp/optimize/optimize.h"
#include "steptp/search/atomic_proposer.h"
#include "steptp/search/command_proposer.h"
#include "steptp/search/devices.h"
#include "steptp/search/plan_proposer.h"
#include "steptp/search/program_judge.h"
#include "steptp/search/replay_proposer.h"
#include "steptp/search/tlm_proposer.h"

namespace steptp::search {

namespace {

/// Nothing is asked of it: a search that is only made again from its journal.
class Nobody : public Proposer {
 public:
  Result<Proposals, ProposerFailure> propose(const Question&) override { return ProposerFailure{"nobody proposes"}; }
};

/// The device of a search that is only made again.
class NoDevice : public SearchDevice {
 public:
  Measured measure(const Program&) override {
    Measured out;
    out.is_gone = true;
    return out;
  }
};

class Session {
 public:
  Session(const Document& root, const SearchSettings& settings, const SearchMachinery& machinery)
      : root_(root), settings_(settings), machinery_(machinery) {}

  Result<SearchResult, Diagnostic> run(const std::string& path, Journal::Mode mode) {
    auto journal = Journal::open(path, journal_header(root_, identity_of(settings_)), mode);
    if (!journal) return journal.error();
    if (auto problem = make_parts(mode)) return *std::move(problem);
    ProgramJudge judge(root_, judging());
    SearchSetup setup;
    setup.algorithm = settings_.algorithm;
    setup.published = settings_.published;
    setup.seed = settings_.seed;
    setup.budget = settings_.budget;
    setup.jobs = machinery_.jobs;
    setup.target = settings_.rates.name;
    setup.floor_seconds = floor_seconds(root_.program, settings_.rates);
    setup.root_seconds = machinery_.root_seconds;
    setup.go_on = machinery_.go_on;
    setup.progress = machinery_.progress;
    setup.with_clock = settings_.with_clock;
    Proposer& proposer = machinery_.proposer && mode == Journal::Mode::write ? *machinery_.proposer : *proposer_;
    return run_search(root_, setup, proposer, judge, *device_, *journal);
  }

  Result<bool, Diagnostic> measure(MeasurementOrder order, const std::vector<DrawnProgram>* drawn) {
    if (auto problem = make_device()) return *std::move(problem);
    order.root = &root_;
    order.target = settings_.rates.name;
    order.go_on = machinery_.go_on;
    if (drawn) return measure_drawn(order, *drawn, *device_);
    return measure_plans(order, space(), settings_.seed, plan_target(settings_.rates).device, *device_);
  }

 private:
  [[nodiscard]] ProgramJudging judging() const {
    ProgramJudging out;
    out.plans.command = machinery_.judge_command;
    out.plans.seed = settings_.seed;
    out.plans.seconds = settings_.judge_seconds;
    out.plans.go_on = machinery_.go_on;
    out.target = settings_.rates.name;
    out.device = plan_target(settings_.rates).device;
    return out;
  }

  std::optional<Diagnostic> make_parts(Journal::Mode mode) {
    proposer_ = std::make_unique<Nobody>();
    device_ = std::make_unique<NoDevice>();
    if (mode == Journal::Mode::read) return std::nullopt;
    if (auto problem = make_device()) return problem;
    return machinery_.proposer ? std::nullopt : make_proposer();
  }

  std::optional<Diagnostic> make_device() {
    switch (settings_.device) {
      case DeviceWord::analytic: device_ = std::make_unique<AnalyticDevice>(settings_.rates); return std::nullopt;
      case DeviceWord::recorded: {
        auto read = RecordedDevice::read(settings_.recording);
        if (!read) return read.error();
        device_ = std::move(read).value();
        return std::nullopt;
      }
      case DeviceWord::cpu:
      case DeviceWord::cuda: break;
    }
    CandidateOptions how = machinery_.candidates;
    how.device = settings_.device == DeviceWord::cpu ? DeviceKind::cpu : DeviceKind::cuda;
    how.go_on = machinery_.go_on;
    MeasuringOptions options;
    options.seed = settings_.seed;
    options.warm = settings_.warm;
    options.compilers = machinery_.compilers;
    options.budget_seconds = machinery_.measuring_seconds;
    options.check_operations = machinery_.check_operations;
    device_ = std::make_unique<MeasuringDevice>(root_, std::move(how), options);
    return std::nullopt;
  }

  std::optional<Diagnostic> make_proposer() {
    switch (settings_.proposer) {
      case ProposerKind::rules: proposer_ = std::make_unique<RulesProposer>(space()); break;
      case ProposerKind::random: proposer_ = std::make_unique<RandomProposer>(space()); break;
      case ProposerKind::random_atomic: proposer_ = std::make_unique<AtomicProposer>(std::nullopt); break;
      case ProposerKind::rules_atomic: proposer_ = std::make_unique<AtomicProposer>(settings_.rates); break;
      case ProposerKind::tlm: {
        auto opened = TlmProposer::open(settings_.proposer_source, root_.program, settings_.rates);
        if (!opened) return opened.error();
        proposer_ = std::move(opened).value();
        break;
      }
      case ProposerKind::replay: {
        auto read = ReplayProposer::read(settings_.proposer_source, root_);
        if (!read) return read.error();
        proposer_ = std::move(read).value();
        break;
      }
      case ProposerKind::model:
        if (!machinery_.endpoint) return make_error("usage", "the proposer model needs an endpoint: --endpoint");
        proposer_ =
            std::make_unique<ModelProposer>(*machinery_.endpoint, settings_.model, settings_.rates, machinery_.go_on);
        break;
      case ProposerKind::command: {
        auto started = CommandProposer::start(settings_.proposer_source, root_);
        if (!started) return started.error();
        proposer_ = std::move(started).value();
        break;
      }
    }
    return std::nullopt;
  }

  const PlanSpace& space() {
    // Where times are those of the analytic model, there is nothing to correct.
    const costs::CostModel* model = settings_.device == DeviceWord::analytic || !settings_.uses_cost_model
                                        ? nullptr
                                        : costs::shipped_cost_model(settings_.rates.name);
    space_ = std::make_unique<PlanSpace>(root_.program, plan_target(settings_.rates), settings_.rates, machinery_.jobs,
                                         model);
    return *space_;
  }

  const Document& root_;
  const SearchSettings& settings_;
  const SearchMachinery& machinery_;
  std::unique_ptr<PlanSpace> space_;
  std::unique_ptr<Proposer> proposer_;  ///< after the space, which it uses
  std::unique_ptr<SearchDevice> device_;
};

}  // namespace

Result<SearchResult, Diagnostic> search_program(const Document& root, const SearchSettings& settings,
                                                const SearchMachinery& machinery, const std::string& journal,
                                                Journal::Mode mode) {
  return Session(root, settings, machinery).run(journal, mode);
}

Result<bool, Diagnostic> measure_plans_of(const Document& root, const SearchSettings& settings,
                                          const SearchMachinery& machinery, MeasurementOrder order,
                                          const std::vector<DrawnProgram>* drawn) {
  return Session(root, settings, machinery).measure(std::move(order), drawn);
}

}  // namespace steptp::search
