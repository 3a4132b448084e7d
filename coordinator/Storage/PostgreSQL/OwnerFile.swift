import Crypto
import Foundation

/// What a data directory remembers about the ledger on a server that refers to its files.
struct OwnerRecord: Codable, Sendable {
  /// Identifies the data directory, and its copies. The ledger refers to files in this directory, so no other may use it.
  let directory: String
  /// The tokens of the claims that coordinators on this directory made or were about to make, the latest last.
  var claims: [String]
}

extension OwnerRecord {
  private static func file(in data: String) -> RecordFile<OwnerRecord> {
    RecordFile(
      path: "\(data)/ledger-owner.json", of: "the owner of the ledger",
      remedy: "restore it from a backup of the data directory")
  }

  /// Whether a coordinator has used a ledger on a server with the data directory at `data`.
  static func exists(in data: String) throws -> Bool {
    try !file(in: data).records().isEmpty
  }

  /// Forgets the ledger, which is no longer on a server.
  static func remove(in data: String) throws { try file(in: data).update { $0 = [] } }

  /// Adds a new claim to the file of the locked data directory at `data`.
  static func addClaim(in data: String) throws -> OwnerRecord {
    let file = file(in: data)
    let old = try file.records().first
    let record = OwnerRecord(
      directory: old?.directory ?? SecureRandom.token(),
      claims: (old?.claims ?? []).suffix(2) + [SecureRandom.token()])
    try file.update { $0 = [record] }
    return record
  }
}
