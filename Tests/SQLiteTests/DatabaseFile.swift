import Foundation

/// Runs `body` with the path of a database file in a directory that is removed afterwards.
func withDatabaseFile<T>(_ body: (String) throws -> T) throws -> T {
  let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("sheaf-sqlite-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: directory) }
  return try body(directory.appendingPathComponent("ledger.db").path)
}
