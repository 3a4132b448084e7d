import Crypto
import Foundation

/// A data directory's record of its ledger on a server.
struct OwnerRecord: Codable, Sendable {
  /// Where the ledger is.
  enum State: String, Codable, Sendable {
    /// On a server that has not accepted the directory yet.
    case new
    /// In SQLite, until the move to a server is complete.
    case leaving
    /// On a server.
    case away
    /// On a server, until the move to SQLite is complete.
    case returning
  }

  /// Identifies the data directory and its copies to the ledger, which refers to files in this directory.
  private(set) var directory: String
  /// The identities of attempts to use a ledger that did not take effect. A ledger that has one of them was not used.
  private(set) var attempts: [String]? = nil
  var state = State.new
  /// The tokens of the latest claims that coordinators on this directory made or were about to make, the latest last.
  var claims: [String] = []
  /// The place where the claims were made. Whoever holds the lock of this very directory knows that the processes that
  /// made them have ended; with a copy, they may still run.
  var place: String?

  /// A record, with a new identity unless one is given.
  init(_ state: State = .new, directory: String = SecureRandom.token()) {
    self.directory = directory
    self.state = state
  }

  /// Gives the directory another identity, so that a ledger with the present one is not taken for its own.
  mutating func renew() {
    attempts = Array(((attempts ?? []) + [directory]).suffix(20))
    directory = SecureRandom.token()
  }

  /// Notes that the ledger with this identity is in use on a server.
  mutating func settle() { (state, attempts) = (.away, nil) }
}

extension OwnerRecord {
  private static func file(in data: String) -> RecordFile<OwnerRecord> {
    RecordFile(
      path: "\(data)/ledger-owner.json", of: "the owner of the ledger",
      remedy: "restore it from a backup of the data directory")
  }

  /// The record of the data directory at `data`; `nil` if it has never used a ledger on a server.
  static func read(in data: String) throws -> OwnerRecord? { try file(in: data).records().first }

  /// Whether the ledger of the data directory at `data` is on a server.
  static func isOnServer(_ data: String) throws -> Bool {
    switch try read(in: data)?.state {
    case .away, .returning: true
    case nil, .new, .leaving: false
    }
  }

  /// Forgets the ledger, which is no longer on a server.
  static func remove(in data: String) throws { try file(in: data).update { $0 = [] } }

  /// Writes the record to the data directory at `data`.
  func write(in data: String) throws { try Self.file(in: data).update { $0 = [self] } }

  /// Adds a new claim, before it is made, and writes the record to the locked data directory at `data`. Claims that were
  /// made at another place are forgotten.
  ///
  /// - Returns: the tokens of earlier claims, whose processes have ended.
  mutating func addClaim(in data: String) throws -> [String] {
    let here = Self.place(of: data)
    if here == nil || place != here { claims = [] }
    place = here
    let earlier = claims
    claims = earlier.suffix(2) + [SecureRandom.token()]
    try write(in: data)
    return earlier
  }

  /// Identifies the directory at `data` on this host until the next boot: copies and other hosts have another place.
  private static func place(of data: String) -> String? {
    var information = stat()
    guard stat("\(data)/lock", &information) == 0,
      let boot = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    else { return nil }
    let words = [boot.trimmingCharacters(in: .whitespacesAndNewlines), "\(information.st_dev)"]
    return (words + ["\(information.st_ino)"]).joined(separator: " ")
  }
}
