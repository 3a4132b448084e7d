/// Why a job cannot be finished.
package struct JobError: Error, Hashable, CustomStringConvertible {
  /// The code and message that the job's status shows.
  package let failure: JobFailure

  /// What went wrong, and what to do about it.
  package var description: String { failure.message }

  /// An error from its parts.
  package init(_ code: String, _ message: String) {
    failure = JobFailure(code: code, message: message)
  }

  /// The code of an error of a media process whose disk is full.
  package static let diskFullCode = "disk-full"
  /// The code of an error of a chunk that is gone from the disk, or whose bytes changed there.
  package static let damagedChunkCode = "damaged-chunk"
}
