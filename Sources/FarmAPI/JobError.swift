import Crypto

/// An error that fails a job, or keeps its run from finishing.
package struct JobError: Error, Hashable, CustomStringConvertible {
  /// The code and message that the job's status shows.
  package let failure: JobFailure

  /// The problem and its remedy.
  package var description: String { failure.message }

  package init(_ code: String, _ message: String) {
    failure = JobFailure(code: code, message: message)
  }

  /// The error of a media process that cannot write a file, with the code ``diskFullCode`` or ``writeFailedCode``.
  package init(_ error: FileWriteError) {
    self.init(
      error.isDiskFull ? Self.diskFullCode : Self.writeFailedCode,
      "the media process cannot write its result: \(error.reason)")
  }

  /// The code of the error that a media process reports when its disk is full.
  package static let diskFullCode = "disk-full"
  /// The code of the error for a chunk that is missing or damaged on the disk.
  package static let damagedChunkCode = "damaged-chunk"
  /// The code of the error for a file that the system cannot read. Another attempt may succeed.
  package static let readFailedCode = "read-failed"
  /// The code of the error for a file that the system cannot write. Another attempt may succeed.
  package static let writeFailedCode = "write-failed"
  /// The code of the error for a media process that sent an invalid response or wrote an unusable file.
  package static let mediaProcessFailedCode = "media-process-failed"
  /// The code of the error for a media process that cannot enter its sandbox.
  package static let notConfinedCode = "not-confined"
  /// The code of the error for a media process that ran out of memory: `MediaError` with code `outOfMemory`.
  package static let outOfMemoryCode = "out-of-memory"
  /// The code of the error for a file that changed after its job was submitted or started.
  package static let assetChangedCode = "asset-changed"
}
