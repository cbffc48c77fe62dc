// Databases as Nsight Systems exports them, made of SQL, for tests.
#pragma once

#include <string>
#include <string_view>

#include <sqlite3.h>

namespace nameplate {

// The bytes of a database after these statements.
inline std::string sqlite_bytes(std::string_view sql) {
  sqlite3* database = nullptr;
  sqlite3_open(":memory:", &database);
  sqlite3_exec(database, std::string(sql).c_str(), nullptr, nullptr, nullptr);
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(database, "main", &size, 0);
  std::string out(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(database);
  return out;
}

}  // namespace nameplate
