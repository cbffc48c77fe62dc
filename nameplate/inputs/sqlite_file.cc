#include "nameplate/inputs/sqlite_file.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sqlite3.h>

namespace nameplate {
namespace {

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

Statement prepare(sqlite3* database, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database, sql.c_str(), static_cast<int>(sql.size()) + 1, &statement, nullptr);
  return Statement(statement);
}

std::string_view text_of(sqlite3_stmt* statement, int column) {
  if (sqlite3_column_type(statement, column) != SQLITE_TEXT) return {};
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  return text == nullptr ? std::string_view()
                         : std::string_view(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
}

void distrust(sqlite3* database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kMostSqliteValueBytes);
  sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
}

// SQLite takes a path as a URI, in which these characters mean something else.
std::string uri(const std::string& path) {
  std::string escaped = "file:";
  for (const char c : path) {
    if (c == '?' || c == '#' || c == '%') {
      escaped += fmt::format("%{:02x}", static_cast<unsigned>(c));
    } else {
      escaped += c;
    }
  }
  return escaped + "?mode=ro&immutable=1";
}

// Literals of SQL double the quotes inside.
std::string quoted(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) out.append(c == quote ? 2 : 1, c);
  return out + quote;
}

// The names of the columns that are stored; those computed on reading could take any time.
std::vector<std::string> stored_columns(sqlite3* database, std::string_view table) {
  std::vector<std::string> names;
  const Statement statement =
      prepare(database, "SELECT name FROM pragma_table_xinfo(" + quoted(table, '\'') + ") WHERE hidden = 0");
  while (statement && sqlite3_step(statement.get()) == SQLITE_ROW) names.emplace_back(text_of(statement.get(), 0));
  return names;
}

}  // namespace

std::optional<std::int64_t> SqliteRow::integer(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_column_int64(statement_, column);
}

std::string_view SqliteRow::text(int column) const { return text_of(statement_, column); }

void SqliteFile::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Error SqliteFile::damage() const {
  return {fmt::format("not a whole database: {}", sqlite3_errmsg(database_.get())), {}, {.file = name_}, {}};
}

// SQLite looks into a file when it is first asked for something.
Result<SqliteFile> SqliteFile::checked(SqliteFile file) {
  distrust(file.database_.get());
  const Statement statement = prepare(file.database_.get(), "SELECT count(*) FROM sqlite_schema");
  if (!statement || sqlite3_step(statement.get()) != SQLITE_ROW) return file.damage();
  return file;
}

Result<SqliteFile> SqliteFile::open(const std::string& path) {
  std::error_code failure;
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path, failure));
  if (failure) return Error{failure.message(), {}, {.file = path}, {}};
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(uri(path).c_str(), &opened,
                                   SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  SqliteFile file(Handle(opened), path, bytes);
  if (code != SQLITE_OK) return file.damage();
  return checked(std::move(file));
}

Result<SqliteFile> SqliteFile::from_bytes(std::string bytes, std::string name) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  SqliteFile file(Handle(opened), std::move(name), static_cast<std::int64_t>(bytes.size()));
  if (code != SQLITE_OK) return file.damage();
  // A write-ahead log cannot come along: what it held is not in these bytes, and they are read as they are.
  constexpr std::size_t kWriteVersion = 18;
  constexpr std::size_t kReadVersion = 19;
  if (bytes.size() > kReadVersion && bytes[kReadVersion] == 2) bytes[kWriteVersion] = bytes[kReadVersion] = 1;
  file.bytes_ = std::make_unique<std::string>(std::move(bytes));
  auto* data = reinterpret_cast<unsigned char*>(file.bytes_->data());
  const auto size = static_cast<sqlite3_int64>(file.bytes_->size());
  if (sqlite3_deserialize(opened, "main", data, size, size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK) {
    return file.damage();
  }
  return checked(std::move(file));
}

bool SqliteFile::has_table(std::string_view table) const {
  // Views and virtual tables have no page of their own.
  const Statement statement =
      prepare(database_.get(),
              "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name = " + quoted(table, '\''));
  return statement && sqlite3_step(statement.get()) == SQLITE_ROW;
}

Result<std::int64_t> SqliteFile::each_row(std::string_view table, std::span<const std::string_view> columns,
                                          const std::function<void(const SqliteRow&)>& use) const {
  if (!has_table(table)) return std::int64_t{0};
  const std::vector<std::string> stored = stored_columns(database_.get(), table);
  std::string sql = "SELECT ";
  for (const std::string_view column : columns) {
    const bool is_stored = std::find(stored.begin(), stored.end(), column) != stored.end();
    sql += (is_stored ? quoted(column, '"') : std::string("NULL")) + (column == columns.back() ? " FROM " : ", ");
  }
  const Statement statement = prepare(database_.get(), sql + quoted(table, '"'));
  if (!statement) return damage();
  std::int64_t rows = 0;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(statement.get())) == SQLITE_ROW) {
    if (++rows > size_) return Error{"more rows than its bytes can hold", {}, {.file = name_}, {}};
    use(SqliteRow(statement.get()));
  }
  if (code != SQLITE_DONE) return damage();
  return rows;
}

}  // namespace nameplate
