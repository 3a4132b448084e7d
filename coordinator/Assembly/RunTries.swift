import Crypto
import FarmAPI
import Foundation
import Preparation
import Processes
import SQLite

/// How often, and after which pause, a job's run is begun again: what is accepted is kept, so that a run that fails
/// for the coordinator's host costs what it had assembled, and nothing else.
package struct RunTries {
  /// An obstacle to a run that is not the fault of its project or its media.
  fileprivate enum Obstacle {
    /// There is no room: it is waited for as long as it takes.
    case wantOfSpace
    /// A media process was killed from outside, perhaps by the kernel because memory ran out.
    case kill
    /// A media process took longer than it may, perhaps because the host or its disks are busy.
    case timeout
    /// A chunk stopped being trusted while the file was being completed: its segment is rendered again.
    case forgottenChunk
    /// The system has too little of something, or a disk does not answer.
    case trouble

    /// Runs that may end so.
    var limit: Int {
      switch self {
      case .wantOfSpace: .max
      case .kill: 5
      case .timeout: 3
      case .trouble, .forgottenChunk: 6
      }
    }
  }

  private static let longestPause = Duration.seconds(300)

  private var counts: [Obstacle: Int] = [:]
  private var pause = Duration.seconds(1)

  /// No tries yet.
  package init() {}

  /// How long to wait before the next try after an error; `nil` if the job is to fail with it.
  package mutating func pause(after error: any Error) -> Duration? {
    guard let obstacle = Self.obstacle(error) else { return nil }
    counts[obstacle, default: 0] += 1
    guard counts[obstacle, default: 0] < obstacle.limit else { return nil }
    defer { pause = min(pause * 2, Self.longestPause) }
    return pause
  }

  /// Whether the disk is in the way, so that it will work later.
  static func isForWantOfSpace(_ error: any Error) -> Bool { obstacle(error) == .wantOfSpace }

  /// Whether an error is not the fault of the project or its media, so the run may succeed later.
  static func isPassing(_ error: any Error) -> Bool { obstacle(error) != nil }

  private static func obstacle(_ error: any Error) -> Obstacle? {
    switch error {
    case let error as JobError: JobError.obstacles[error.failure.code]
    case let error as StorageError: error.code == .full ? .wantOfSpace : .trouble
    case let error as SQLiteError: error.isPassing ? .wantOfSpace : nil
    case let error as TransitionError: obstacle(error.cause)
    case let error as CocoaError: error.code == .fileWriteOutOfSpace ? .wantOfSpace : .trouble
    case is ProcessError, is FileReadError: .trouble
    default: nil
    }
  }
}

extension JobError {
  /// The code of a job whose file contains a chunk that was dropped before the job was completed.
  static let forgottenChunkCode = "chunk-forgotten"

  /// The obstacles behind errors of media processes that are not the fault of a project or its media, by error code.
  fileprivate static let obstacles: [String: RunTries.Obstacle] = [
    diskFullCode: .wantOfSpace, forgottenChunkCode: .forgottenChunk,
    MediaChildren.killedCode: .kill, MediaChildren.timeoutCode: .timeout,
    // A file that the kernel does not read or write: damage has errors of its own.
    readFailedCode: .trouble, writeFailedCode: .trouble,
    // Bytes that changed on their way: if they had changed on the disk, the job would have ended already.
    FailureReport.damagedAssetCode: .trouble, damagedChunkCode: .trouble,
    // A plan that is damaged on the disk is made again.
    planDamaged: .trouble,
    // An index that was built again and changed once more before it was read.
    ProjectPlanning.indexCode: .trouble,
  ]
}
