import FarmAPI
import Foundation
import Scheduling

/// The facts about running attempts that only their ends write to the ledger.
struct AttemptNotes: Sendable {
  private struct Notes {
    var framesRendered: Int?
    var log = AttemptLog()
  }

  private static let source = "coordinator"

  private var notes: [LeaseToken: Notes] = [:]

  /// Notes that an attempt has begun.
  mutating func begin(_ grant: Grant, by worker: String, at date: Date) {
    notes[grant.token] = Notes()
    let copy = grant.isCopy ? ", as a copy of a slow attempt" : ""
    add(
      "attempt \(grant.attempt) at segment \(grant.segment.index) leased to worker \(worker)\(copy)",
      to: grant.token, at: date)
  }

  /// Notes the number of frames in a heartbeat.
  mutating func note(framesRendered: Int, of token: LeaseToken) {
    notes[token, default: Notes()].framesRendered = framesRendered
  }

  /// Adds a line of the coordinator to an attempt's log.
  mutating func add(_ line: String, to token: LeaseToken, at date: Date) {
    notes[token, default: Notes()].log.add(line, from: Self.source, at: date)
  }

  /// Adds the lines that the attempt's worker has sent.
  mutating func add(linesOf text: String, to token: LeaseToken) {
    notes[token, default: Notes()].log.add(linesOf: text)
  }

  /// The number of frames that the worker last reported.
  func framesRendered(of token: LeaseToken) -> Int? { notes[token]?.framesRendered }

  /// The log of a running attempt; `nil` if it has no lines.
  func log(of token: LeaseToken) -> String? {
    notes[token].flatMap { $0.log.isEmpty ? nil : $0.log.text }
  }

  /// The whole log of an attempt, ending with a line about its outcome.
  ///
  /// There may be many more attempts that succeed than fail, and less to learn from them, so their logs are shorter.
  func log(of token: LeaseToken, endingWith outcome: AttemptOutcome, at date: Date) -> String {
    var log = notes[token]?.log ?? AttemptLog()
    log.add(outcome.line, from: Self.source, at: date)
    return [.completed, .held].contains(outcome)
      ? log.shortened(toBytes: Self.successBytes).text : log.text
  }

  /// The maximum length of the log of a successful attempt in bytes: 4 KiB.
  private static let successBytes = 4 << 10

  /// Removes the notes of an attempt that has ended.
  mutating func end(_ token: LeaseToken) { notes[token] = nil }
}

extension AttemptOutcome {
  /// A sentence about the end of an attempt, for its log.
  var line: String {
    switch self {
    case .completed: "the chunk was accepted"
    case .held: "the chunk is held until another worker has rendered the segment too"
    case .failed(let report), .stuck(let report): "\(report.code): \(report.message)"
    case .expired: "the worker stopped sending heartbeats: the lease expired"
    case .heldUp(let length):
      "the worker received too little asset data for \(length.components.seconds) s: the lease was "
        + "withdrawn"
    case .superseded: "another worker delivered the segment first"
    case .givenBack: "the worker gave the lease back"
    case .revoked: "the job ended or started over: the lease was revoked"
    case .distrusted: "the worker is distrusted: the lease was withdrawn"
    }
  }
}
