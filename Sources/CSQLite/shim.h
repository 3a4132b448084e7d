#pragma once

#include <sqlite3.h>

/* SQLITE_TRANSIENT makes SQLite copy the bytes. It casts -1 to a function pointer, which Swift cannot import. */
static inline int sheaf_sqlite3_bind_text(
    sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 length) {
  return sqlite3_bind_text64(statement, index, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int sheaf_sqlite3_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 length) {
  return sqlite3_bind_blob64(statement, index, bytes, length, SQLITE_TRANSIENT);
}

/* Keeps the write-ahead log unchanged when a connection closes. Swift cannot call the variadic sqlite3_db_config. */
static inline int sheaf_sqlite3_keep_log_on_close(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
