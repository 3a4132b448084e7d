/// The ledger could not be read or written.
package struct LedgerError: Error, Hashable, CustomStringConvertible {
  /// The kind of failure.
  package struct Code: Hashable, Sendable {
    private enum Kind { case full, passing, final, damaged, lost, other }
    private let kind: Kind
    /// The disk is full: a later attempt may succeed.
    package static let full = Code(kind: .full)
    /// The disk or another process is in the way: a later attempt may succeed.
    package static let passing = Code(kind: .passing)
    /// Every attempt fails in the same way.
    package static let final = Code(kind: .final)
    /// The ledger's file is damaged.
    package static let damaged = Code(kind: .damaged)
    /// This process no longer knows or owns the ledger's state, so it must not use it any more.
    package static let lost = Code(kind: .lost)
    /// Anything else; see the message.
    package static let other = Code(kind: .other)
  }

  package let code: Code
  /// The problem, its subject and the remedy.
  package let message: String
  /// The message with the statement that failed, for the coordinator's log.
  package let description: String

  package init(_ code: Code, _ message: String, description: String? = nil) {
    self.code = code
    self.message = message
    self.description = description ?? message
  }

  /// Whether the error may pass, because the disk or another process is in the way.
  var isPassing: Bool { code == .passing || isFull }

  /// Whether the disk is full.
  var isFull: Bool { code == .full }

  /// Whether every attempt fails in the same way.
  var isFinal: Bool { code == .final }

  /// Whether the file is damaged.
  var isDamage: Bool { code == .damaged }

  /// Whether the coordinator cannot continue.
  var endsService: Bool { isDamage || code == .lost }

  /// Whether an error of the ledger means that the coordinator cannot continue.
  static func endsService(_ error: any Error) -> Bool {
    (error as? LedgerError ?? (error as? TransitionError)?.cause)?.endsService ?? false
  }
}

/// A ledger failed its test.
struct LedgerDamage: Error {
  /// The first problem.
  let problem: String
}

/// The ledger refused one of the transitions that were to be written.
package struct TransitionError: Error, Hashable, CustomStringConvertible {
  /// The index of the refused transition.
  package let index: Int
  package let cause: LedgerError

  package init(index: Int, cause: LedgerError) {
    self.index = index
    self.cause = cause
  }

  package var description: String { "\(cause)" }
}
