import CoordinatorSupport
import FarmAPI
import Foundation
import Scheduling
import Support
import Testing
import sheaf_coordinator

/// How transitions that the ledger rejects are handled.
@Suite(.mayBlock) struct LedgerWriterTests {
  /// A ledger that refuses what a test tells it to.
  private final class RefusingStore: TransitionStore {
    var written: [Transition] = []
    /// The error of every write.
    var failure: LedgerError?
    /// The error of writes that contain this transition.
    var refused: (transition: Transition, cause: LedgerError)?

    func write(_ transitions: [Transition]) throws {
      if let failure { throw failure }
      if let refused, let index = transitions.firstIndex(of: refused.transition) {
        throw TransitionError(index: index, cause: refused.cause)
      }
      written += transitions
    }

    func probe() throws {
      if let failure { throw failure }
    }
  }

  private let store = RefusingStore()
  private var writer: LedgerWriter

  init() { writer = LedgerWriter(store, log: Log(.quiet) { _ in }) }

  private static let full = LedgerError(.full, "the disk is full")
  private static let constraint = LedgerError(.final, "a constraint failed")
  private static let unknown = LedgerError(.other, "refused")

  private static func advanced(_ job: String) -> Transition {
    .jobAdvanced(JobID(rawValue: job), .planning)
  }

  private static func failed(_ job: String) -> Transition {
    .jobFailed(
      JobID(rawValue: job), JobFailure(code: .ledger, message: "it failed"),
      at: Date(timeIntervalSince1970: 0))
  }

  @Test mutating func `transitions delayed by a full disk are written first`() {
    store.failure = Self.full
    #expect(writer.write([Self.advanced("a")]).error as? LedgerError == Self.full)
    writer.keep([Self.advanced("a")])
    #expect(writer.problem == "the disk is full")
    store.failure = nil
    let outcome = writer.write([Self.advanced("b")])
    #expect(outcome.error == nil)
    #expect(outcome.consequences == [])
    #expect(store.written == [Self.advanced("a"), Self.advanced("b")])
    #expect(writer.problem == nil)
  }

  @Test mutating func `a new transition that is refused is returned to the caller`() {
    store.refused = (Self.advanced("a"), Self.constraint)
    let outcome = writer.write([Self.advanced("a")])
    #expect(outcome.error is TransitionError)
    #expect(outcome.consequences == [])
    #expect(writer.write([Self.advanced("b")]).error == nil)
    #expect(store.written == [Self.advanced("b")])
  }

  @Test mutating func `a transition that is always refused fails only its own job`() {
    writer.keep([Self.advanced("a"), Self.advanced("b"), .jobRestarted(JobID(rawValue: "a"))])
    store.refused = (Self.advanced("a"), Self.constraint)
    let outcome = writer.write([])
    #expect(outcome.error == nil)
    #expect(
      outcome.consequences == [
        .endJob(JobID(rawValue: "a"), TransitionError(index: 0, cause: Self.constraint))
      ])
    #expect(store.written == [Self.advanced("b")])
  }

  @Test
  mutating func
    `a transition that keeps being refused for an unknown reason is eventually dropped`()
  {
    writer.keep([Self.advanced("a")])
    store.refused = (Self.advanced("a"), Self.unknown)
    for _ in 1..<LedgerWriter.refusalLimit {
      let outcome = writer.write([])
      #expect(outcome.error is TransitionError)
      #expect(outcome.consequences == [])
    }
    let outcome = writer.write([])
    #expect(outcome.error == nil)
    #expect(
      outcome.consequences == [
        .endJob(JobID(rawValue: "a"), TransitionError(index: 0, cause: Self.unknown))
      ])
  }

  @Test mutating func `a transition is never dropped because of a full disk`() {
    writer.keep([Self.advanced("a")])
    store.refused = (Self.advanced("a"), Self.full)
    for _ in 0...LedgerWriter.refusalLimit { #expect(writer.write([]).consequences == []) }
    store.refused = nil
    #expect(writer.write([]).error == nil)
    #expect(store.written == [Self.advanced("a")])
  }

  @Test mutating func `the coordinator stops if the ledger refuses to record a job's failure`() {
    writer.keep([Self.failed("a")])
    store.refused = (Self.failed("a"), Self.constraint)
    #expect(
      writer.write([]).consequences == [
        .breakDown("the ledger cannot record that job a failed: a constraint failed")
      ])
  }

  @Test mutating func `a damaged ledger stops the coordinator`() {
    store.failure = LedgerError(.damaged, "the file is malformed")
    let outcome = writer.write([Self.advanced("a")])
    #expect(outcome.error != nil)
    #expect(outcome.consequences == [.breakDown("the file is malformed")])
  }

  @Test mutating func `a change that belongs to no job is skipped if it is always refused`() {
    writer.keep([.workerDrained(WorkerID(rawValue: "w")), Self.advanced("a")])
    store.refused = (.workerDrained(WorkerID(rawValue: "w")), Self.constraint)
    let outcome = writer.write([])
    #expect(outcome.error == nil)
    #expect(outcome.consequences == [])
    #expect(store.written == [Self.advanced("a")])
  }

  @Test mutating func `a problem lasts until a write or a probe succeeds`() {
    store.failure = Self.full
    _ = writer.write([Self.advanced("a")])
    #expect(writer.tryAgain() == [])
    #expect(writer.problem != nil)
    store.failure = nil
    #expect(writer.tryAgain() == [])
    #expect(writer.problem == nil)
  }
}
