/// A base backup of a PostgreSQL server, and the write-ahead log that the server archives. Both are in the server's
/// folder, so they can be used until it stops.
public struct PostgreSQLBackup: Sendable {
  /// The folder of the base backup.
  let folder: String
  /// The folder of the archived log.
  let archive: String

  /// The settings of a server that archives its log in a folder.
  static func archiving(in archive: String) -> [String] {
    ["archive_mode=on", "archive_command=test ! -f \(archive)/%f && cp %p \(archive)/%f"]
  }

  /// The settings of a server that restores the backup up to a time.
  func restoring(to time: String) -> [String] {
    ["restore_command=cp \(archive)/%f %p", "recovery_target_time=\(time)"]
  }
}

extension PostgreSQLServer {
  /// Makes a base backup of a server that archives its log.
  public func makeBackup() throws -> PostgreSQLBackup {
    let backup = PostgreSQLBackup(folder: "\(folder)/backup", archive: archive)
    let words = Self.asUser([
      "\(Self.programs)/pg_basebackup", "-h", folder, "-U", Self.user, "-D", backup.folder, "-c",
      "fast", "--no-sync",
    ])
    try Tool.run(words[0], Array(words.dropFirst()))
    return backup
  }

  /// Waits until everything that was committed so far is archived.
  public func archiveLog() throws {
    let last = try run("SELECT pg_walfile_name(pg_switch_wal())", in: "postgres")
    try blockUntil("the server archives its log") {
      try run("SELECT last_archived_wal >= '\(last)' FROM pg_stat_archiver", in: "postgres") == "t"
    }
  }

  /// Waits until a server that restores a backup has reached its time.
  public func waitForRecovery() throws {
    try blockUntil("the recovery reaches its time") {
      try run("SELECT pg_get_wal_replay_pause_state()", in: "postgres") == "paused"
    }
  }

  /// Ends the recovery of a server that has reached its time, so that it accepts writes.
  public func endRecovery() throws {
    try run("SELECT pg_wal_replay_resume()", in: "postgres")
    try blockUntil("the server accepts writes") {
      try run("SELECT pg_is_in_recovery()", in: "postgres") == "f"
    }
  }
}
