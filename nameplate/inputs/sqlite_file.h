// Reads tables of an SQLite database that somebody else wrote, row by row, never writing.
//
// A file on disk is opened in place, read-only and immutable (no locks, no journal); bytes (of a pipe or a compressed
// file) are read where they lie. Nothing in the file is trusted: only plain tables are read, no views, triggers or
// virtual tables; values are at most kMostSqliteValueBytes; a column that is missing reads as absent; and a table
// cannot give more rows than its file has bytes, so pages that refer to each other in circles end in an error.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "nameplate/core/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace nameplate {

inline constexpr int kMostSqliteValueBytes = 16 << 20;

// Values of one row, by place in the list of columns that was asked for.
class SqliteRow {
 public:
  explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}
  std::optional<std::int64_t> integer(int column) const;  // nothing for what is none
  std::string_view text(int column) const;                // empty for what is none; valid during the call

 private:
  sqlite3_stmt* statement_;
};

class SqliteFile {
 public:
  static Result<SqliteFile> open(const std::string& path);
  static Result<SqliteFile> from_bytes(std::string bytes, std::string name);

  bool has_table(std::string_view table) const;
  // Calls `use` for each row of a table and returns their number; nothing without such a table. An Error where the
  // table is damaged: the rows before were used.
  Result<std::int64_t> each_row(std::string_view table, std::span<const std::string_view> columns,
                                const std::function<void(const SqliteRow&)>& use) const;
  const std::string& name() const { return name_; }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  using Handle = std::unique_ptr<sqlite3, Close>;

  SqliteFile(Handle database, std::string name, std::int64_t size)
      : database_(std::move(database)), name_(std::move(name)), size_(size) {}
  static Result<SqliteFile> checked(SqliteFile file);
  Error damage() const;

  std::unique_ptr<std::string> bytes_;  // outlives the database that lies in it; null where that is on disk
  Handle database_;
  std::string name_;
  std::int64_t size_;
};

}  // namespace nameplate
