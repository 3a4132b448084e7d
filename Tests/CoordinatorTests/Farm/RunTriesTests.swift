import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import Processes
import Support
import Testing
import sheaf_coordinator

/// The errors after which a job's run is tried again, and the number of tries.
@Suite(.mayBlock) struct RunTriesTests {
  /// The pauses in seconds until a run is given up; at most ten of them.
  private func pauses(after error: any Error) -> [Int64] {
    var tries = RunTries()
    var pauses: [Int64] = []
    while pauses.count < 10, let pause = tries.pause(after: error) {
      pauses.append(pause.components.seconds)
    }
    return pauses
  }

  private static let unreadable = #expect(throws: FileReadError.self) {
    try Digest.of(file: "/nonexistent")
  }

  private static let troubles: [any Error] = [
    ProcessError("cannot start a media process", EAGAIN),
    StorageError("cannot open", "/data/assets/x", EMFILE),
    StorageError("cannot open", "/data/assets/x", EIO),
    CocoaError(.fileReadUnknown),
    JobError("read-failed", "cannot read the file: Input/output error"),
    JobError("write-failed", "cannot write the file: Input/output error"),
    JobError("index-damaged", "the media index is damaged"),
    JobError("damaged-plan", "the job's plan has changed"),
    JobError("media-program-unusable", "sheaf-media cannot be used"),
  ]

  @Test func `a run with temporary errors is tried six times`() throws {
    for error in Self.troubles + [try #require(Self.unreadable)] {
      #expect(pauses(after: error) == [1, 2, 4, 8, 16], "\(error)")
    }
  }

  @Test(
    arguments: [
      (ENOSPC, .diskFull), (EDQUOT, .diskFull),
      (EIO, .writeFailed), (EACCES, .writeFailed),
    ] as [(Int32, FailureCode)])
  func `a job whose process cannot write is run again`(number: Int32, code: FailureCode) {
    let error = JobError(FileWriteError(path: "/data/work/x", number: number))
    #expect(error.failure.code == code)
    var tries = RunTries()
    #expect(tries.pause(after: error) != nil)
  }

  @Test func `a run whose process is killed is tried five times`() {
    #expect(pauses(after: JobError("media-process-killed", "it was killed")) == [1, 2, 4, 8])
  }

  @Test func `a run whose process times out is tried three times`() {
    #expect(pauses(after: JobError("media-process-timed-out", "it took too long")) == [1, 2])
  }

  @Test(
    arguments: [
      StorageError("cannot write", "/data/work/x", ENOSPC), JobError("disk-full", "no room"),
      CocoaError(.fileWriteOutOfSpace), LedgerError(.full, "the disk is full"),
    ] as [any Error])
  func `a run waits for disk space as long as it takes`(error: any Error) {
    #expect(pauses(after: error) == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300])
    #expect(RunTries.isForWantOfSpace(error))
  }

  @Test func `a run waits for the ledger as long as it takes, and frees no space meanwhile`() {
    let busy = LedgerError(.passing, "the ledger is locked")
    #expect(pauses(after: busy) == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300])
    #expect(!RunTries.isForWantOfSpace(busy))
  }

  @Test(arguments: [
    JobError("not-media", "it is not media"), JobError("media-process-died", "it died"),
    JobError("missing-asset", "it is gone"),
  ])
  func `a run is not tried again after an error of the project or its media`(error: JobError) {
    #expect(pauses(after: error).isEmpty)
  }

  @Test func `each kind of error is counted separately`() {
    var tries = RunTries()
    let killed = JobError("media-process-killed", "it was killed")
    for error in [killed, Self.troubles[0], killed, Self.troubles[1], killed, killed] {
      #expect(tries.pause(after: error) != nil)
    }
    #expect(tries.pause(after: killed) == nil)
    #expect(tries.pause(after: Self.troubles[0]) != nil)
  }
}
