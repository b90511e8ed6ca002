#include "replay/proof_table.h"

#include <set>

#include "steptp/base/text.h"

namespace steptp::replayer {

namespace {

class TableCheck {
 public:
  explicit TableCheck(const Context& context) : context_(context), certificate_(context.certificate) {}

  void run() {
    check_table();
    check_outputs();
  }

 private:
  /// A version is what a tensor holds between two top-level nests.
  static void check_version(const Layout& layout, const VersionName& name, const char* program) {
    const auto wrong = [&](std::string_view why) {
      throw Refused{concat("the table names ", name.first, " after ", name.second, " writers in ", program, ", ", why)};
    };
    const Tensor* tensor = nullptr;
    try {
      tensor = &layout.tensor(name.first);
    } catch (const Undefined&) {
      wrong("which has no such tensor");
    }
    if (tensor->known && tensor->known->role != Role::output) wrong("which is an input");
    if (!is_float(tensor->dtype)) wrong("which does not hold reals");
    if (tensor->scope != Scope::global) wrong("which is not global");
    if (name.second > tensor->writers.size()) wrong("which has fewer");
    if (name.second < tensor->writers.size()) {
      const auto nest = [&](std::size_t i) { return layout.statements()[tensor->writers[i]].address[0]; };
      if (nest(name.second - 1) == nest(name.second)) wrong("of which the next is in the same nest");
    }
  }

  void check_references(const Claim& claim, std::int64_t below) const {
    for (const Region& region : claim.regions) {
      for (const FormPtr& form :
           {region.where, region.form, region.form_after(), region.no_value_before, region.no_value_after}) {
        if (!form) continue;
        const bool may_name = claim.is_name() || form == region.no_value_before || form == region.no_value_after;
        for (const std::uint32_t id : form->free) {
          if (id >= claim.shape.size())
            throw Refused{concat("the form of ", claim.name(), " has a variable of nothing")};
        }
        for_each_node(form, [&](const Form& node) {
          if (node.kind != Form::Kind::value) return;
          if (node.number >= below) throw Refused{concat("the form of ", claim.name(), " is made of later values")};
          if (!numbers_.contains(node.number)) {
            throw Refused{concat("the form of ", claim.name(), " is made of #", node.number, ", which is not listed")};
          }
          if (!may_name && names_.contains(node.number)) {
            throw Refused{
                concat("the form of ", claim.name(), " is made of #", node.number, ", which is not a tensor")};
          }
        });
      }
    }
  }

  void check_table() {
    std::set<VersionName> seen[2];
    for (const Claim& claim : certificate_.values) {
      if (!numbers_.empty() && claim.number <= *numbers_.rbegin()) throw Refused{"value numbers are not in order"};
      check_references(claim, claim.number);
      numbers_.insert(claim.number);
      if (claim.is_name()) {
        names_.insert(claim.number);
        continue;
      }
      if (claim.before.empty() || claim.after.empty()) {
        throw Refused{concat(claim.name(), " stands for a tensor of one program only")};
      }
      for (const VersionName& name : claim.before) {
        check_version(context_.before, name, "before");
        if (!seen[0].insert(name).second) throw Refused{concat(name.first, " has two value numbers in before")};
      }
      for (const VersionName& name : claim.after) {
        check_version(context_.after, name, "after");
        if (!seen[1].insert(name).second) throw Refused{concat(name.first, " has two value numbers in after")};
      }
    }
  }

  void check_outputs() {
    std::set<std::string> claimed;
    for (const Claim& claim : certificate_.outputs) {
      const Variable* variable = certificate_.before.signature.find(claim.output);
      if (!variable || variable->role != Role::output) throw Refused{concat(claim.output, " is not an output")};
      if (variable->shape != claim.shape) throw Refused{concat("the shape of ", claim.output, " is another")};
      if (!claimed.insert(claim.output).second) throw Refused{concat(claim.output, " is claimed twice")};
      check_references(claim, INT64_MAX);
    }
    for (const Variable& variable : certificate_.before.signature.variables) {
      if (variable.role == Role::output && !claimed.contains(variable.name)) {
        throw Refused{concat("nothing is claimed of the output ", variable.name)};
      }
    }
  }

  const Context& context_;
  const Certificate& certificate_;
  std::set<std::int64_t> numbers_;
  std::set<std::int64_t> names_;
};

}  // namespace

void check_table(const Context& context) { TableCheck(context).run(); }

std::set<std::int64_t> mentioned_numbers(const Certificate& certificate, const Claim& claim) {
  std::set<std::int64_t> out;
  const auto look = [&](const Form& node) {
    if (node.kind == Form::Kind::value) out.insert(node.number);
  };
  for (const Region& region : claim.regions) {
    for (const FormPtr& form : {region.where, region.form, region.after}) {
      if (form) for_each_node(form, look);
    }
  }
  for (const Claim& name : certificate.values) {
    const bool is_part = name.is_name() && name.number != claim.number && out.contains(name.number);
    if (is_part) out.merge(mentioned_numbers(certificate, name));
  }
  return out;
}

}  // namespace steptp::replayer
