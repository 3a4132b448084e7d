import FarmAPI
import Foundation
import Media
import SQLite

/// How often, and after which pause, a job's run is begun again: what is accepted is kept, so that a run that fails
/// for the coordinator's host costs what it had assembled, and nothing else.
struct RunTries {
  /// Runs that may end with a media process that somebody killed.
  private static let killLimit = 3
  private static let longestPause = Duration.seconds(300)

  private var kills = 0
  private var pause = Duration.seconds(1)

  /// How long to wait before the next try after an error; `nil` where the job is to fail with it.
  mutating func pause(after error: any Error) -> Duration? {
    if let error = error as? JobError, error.failure.code == MediaChildren.killedCode {
      kills += 1
      guard kills < Self.killLimit else { return nil }
    } else if !Self.isForWantOfSpace(error) {
      return nil
    }
    defer { pause = min(pause * 2, Self.longestPause) }
    return pause
  }

  /// Whether the disk is in the way, so that it will work later.
  static func isForWantOfSpace(_ error: any Error) -> Bool {
    switch error {
    case let error as StorageError: error.code == .full
    case let error as SQLiteError:
      [.full, .busy, .readOnly, .cannotOpen, .inputOutput].contains(error.code)
    case let error as TransitionError: isForWantOfSpace(error.cause)
    case let error as JobError: error.failure.code == JobError.diskFullCode
    case let error as CocoaError: error.code == .fileWriteOutOfSpace
    default: false
    }
  }
}

extension JobError {
  /// The error of a media process whose disk is full.
  static let diskFullCode = "disk-full"
}

extension MediaError {
  /// Whether the disk has no room for what was to be written.
  var isForWantOfSpace: Bool {
    code == .writeFailed
      && [ENOSPC, EDQUOT].contains { cause == String(cString: strerror($0)) }
  }
}
