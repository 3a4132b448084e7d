import Crypto
import FarmAPI
import Foundation
import Preparation
import Processes

/// Decides how often, and after which pause, a failed run of a job starts again. Accepted chunks are kept, so a run
/// that fails because of the coordinator's host loses only its unfinished file.
package struct RunTries {
  /// An obstacle to a run that is not the fault of its project or its media.
  fileprivate enum Obstacle {
    /// The disk is full. The run waits until there is room.
    case wantOfSpace
    /// The ledger cannot be written. Until it can, no job may end.
    case ledger
    /// The object store does not answer, or rejects requests. The run waits until it answers.
    case objectStore
    /// A media process was killed from outside, perhaps by the kernel because memory ran out.
    case kill
    /// A media process timed out, perhaps because the host or its disks are busy.
    case timeout
    /// A chunk stopped being trusted while the file was being completed. Its segment is rendered again.
    case forgottenChunk
    /// The system lacks a resource, or a disk does not respond.
    case trouble

    /// The number of runs that may end with this obstacle.
    var limit: Int {
      switch self {
      case .wantOfSpace, .ledger, .objectStore: .max
      case .kill: 5
      case .timeout: 3
      case .trouble, .forgottenChunk: 6
      }
    }
  }

  private static let longestPause = Duration.seconds(300)

  private var counts: [Obstacle: Int] = [:]
  private var pause: Duration

  /// Creates an instance for a job that has not been tried.
  ///
  /// - Parameter firstPause: the wait before the second try. Each later wait is twice as long, up to five minutes.
  package init(firstPause: Duration = .seconds(1)) { pause = firstPause }

  /// How long to wait after an error before the next try, or `nil` if the job fails with this error.
  package mutating func pause(after error: any Error) -> Duration? {
    guard let obstacle = Self.obstacle(error) else { return nil }
    counts[obstacle, default: 0] += 1
    guard counts[obstacle, default: 0] < obstacle.limit else { return nil }
    defer { pause = min(pause * 2, Self.longestPause) }
    return pause
  }

  /// Whether a run failed because the disk was full, so that it can succeed later.
  package static func isForWantOfSpace(_ error: any Error) -> Bool {
    obstacle(error) == .wantOfSpace
  }

  /// Whether an error is not the fault of the project or its media, so the run may succeed later.
  static func isPassing(_ error: any Error) -> Bool { obstacle(error) != nil }

  /// Whether an error means that the object store does not answer, or that the ledger cannot be written now.
  static func isOutage(_ error: any Error) -> Bool {
    switch obstacle(error) {
    case .objectStore, .ledger: true
    case .wantOfSpace: error is LedgerError || error is TransitionError
    default: false
    }
  }

  private static func obstacle(_ error: any Error) -> Obstacle? {
    switch error {
    case let error as JobError: JobError.obstacles[error.failure.code]
    case let error as StorageError:
      switch error.code {
      case .full: .wantOfSpace
      case .unavailable: .objectStore
      default: .trouble
      }
    case let error as LedgerError:
      if error.isFull { .wantOfSpace } else { error.isPassing ? .ledger : nil }
    case let error as TransitionError: obstacle(error.cause)
    case let error as CocoaError: error.code == .fileWriteOutOfSpace ? .wantOfSpace : .trouble
    case is ProcessError, is FileReadError: .trouble
    default: nil
    }
  }
}

extension JobError {
  /// The obstacles behind errors of media processes that are not the fault of a project or its media, by error code.
  fileprivate static let obstacles: [FailureCode: RunTries.Obstacle] = [
    .diskFull: .wantOfSpace, .forgottenChunk: .forgottenChunk,
    .mediaProcessKilled: .kill, .mediaProcessTimedOut: .timeout,
    // An upgrade may be replacing the libraries that the program needs.
    .mediaProgramUnusable: .trouble,
    // The kernel could not read or write a file. Damaged files have other errors.
    .readFailed: .trouble, .writeFailed: .trouble,
    // Bytes were damaged while they were read. If they were damaged on disk, the job would have ended already.
    .damagedAsset: .trouble, .damagedChunk: .trouble,
    // A plan that is damaged on disk is created again.
    .damagedPlan: .trouble,
    // An index that was built again changed once more before it was read.
    .damagedIndex: .trouble,
  ]
}
