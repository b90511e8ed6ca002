#include "steptp/columns/schema.h"

#include <algorithm>

#include "steptp/base/text.h"

namespace steptp {

namespace {

bool is_message(const Json& value) {
  const Json::Object* fields = value.as_object();
  return fields != nullptr && fields->size() == 2 && (*fields)[0].first == "role" && (*fields)[1].first == "content" &&
         (*fields)[0].second.as_string() != nullptr && (*fields)[1].second.as_string() != nullptr;
}

template <typename Fits>
bool is_list_of(const Json& value, Fits fits) {
  const Json::Array* items = value.as_array();
  return items != nullptr && std::all_of(items->begin(), items->end(), fits);
}

bool fits(const Json& value, ColumnKind kind) {
  switch (kind) {
    case ColumnKind::text: return value.as_string() != nullptr;
    case ColumnKind::integer: return value.as_integer() != nullptr;
    case ColumnKind::real: return value.is_number();
    case ColumnKind::boolean: return value.as_bool() != nullptr;
    case ColumnKind::texts: return is_list_of(value, [](const Json& item) { return item.as_string() != nullptr; });
    case ColumnKind::booleans: return is_list_of(value, [](const Json& item) { return item.as_bool() != nullptr; });
    case ColumnKind::messages: return is_list_of(value, is_message);
  }
  return false;
}

Json typed(std::string_view name) {
  Json out;
  out.set("type", name);
  return out;
}

Json list_of(Json items) {
  Json out = typed("array");
  out.set("items", std::move(items));
  return out;
}

Json message_schema() {
  Json fields;
  fields.set("role", typed("string")).set("content", typed("string"));
  Json out = typed("object");
  out.set("properties", std::move(fields))
      .set("required", Json::Array{"role", "content"})
      .set("additionalProperties", false);
  return out;
}

Json schema_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::text: return typed("string");
    case ColumnKind::integer: return typed("integer");
    case ColumnKind::real: return typed("number");
    case ColumnKind::boolean: return typed("boolean");
    case ColumnKind::texts: return list_of(typed("string"));
    case ColumnKind::booleans: return list_of(typed("boolean"));
    case ColumnKind::messages: return list_of(message_schema());
  }
  return {};
}

/// The same schema, null allowed.
Json or_null(Json schema) {
  Json out;
  for (const auto& [key, value] : *schema.as_object()) {
    out.set(key, key == "type" ? Json(Json::Array{value, "null"}) : value);
  }
  return out;
}

}  // namespace

std::string misfit(const Json& row, const TableSchema& schema) {
  const Json::Object* fields = row.as_object();
  if (fields == nullptr) return concat("a row is an object; this is ", row.kind_name());
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const Column& column = schema[i];
    if (i >= fields->size()) return concat("column '", column.name, "' is missing");
    const auto& [key, value] = (*fields)[i];
    if (key != column.name) return concat("'", key, "' stands where column '", column.name, "' is wanted");
    if (value.is_null() && column.optional) continue;
    if (!fits(value, column.kind)) {
      return concat("column '", column.name, "' is ", value.kind_name(), ", wanted ", name_of(column.kind));
    }
  }
  if (fields->size() > schema.size()) return concat("there is no column '", (*fields)[schema.size()].first, "'");
  return {};
}

Json json_schema(const TableSchema& schema, std::string_view title) {
  Json properties;
  Json::Array required;
  for (const Column& column : schema) {
    Json one = schema_of(column.kind);
    if (column.optional) one = or_null(std::move(one));
    one.set("description", column.meaning);
    properties.set(column.name, std::move(one));
    required.emplace_back(column.name);
  }
  Json out;
  out.set("$schema", "https://json-schema.org/draft/2020-12/schema").set("title", title).set("type", "object");
  out.set("properties", std::move(properties)).set("required", std::move(required)).set("additionalProperties", false);
  return out;
}

std::string_view name_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::text: return "string";
    case ColumnKind::integer: return "int64";
    case ColumnKind::real: return "float64";
    case ColumnKind::boolean: return "bool";
    case ColumnKind::texts: return "list of strings";
    case ColumnKind::booleans: return "list of bools";
    case ColumnKind::messages: return "list of messages";
  }
  return {};
}

}  // namespace steptp
