import Crypto

/// An error that fails a job, or keeps its run from finishing.
package struct JobError: Error, Hashable, CustomStringConvertible {
  /// The code and message that the job's status shows.
  package let failure: JobFailure

  /// The problem and its remedy.
  package var description: String { failure.message }

  package init(_ failure: JobFailure) { self.failure = failure }

  package init(_ code: FailureCode, _ message: String) {
    failure = JobFailure(code: code, message: message)
  }

  /// The error of a media process that cannot write a file, with the code `diskFull` or `writeFailed`.
  package init(_ error: FileWriteError) {
    self.init(
      error.isDiskFull ? .diskFull : .writeFailed,
      "the media process cannot write its result: \(error.reason): "
        + (error.isDiskFull ? "free some space" : "check the folder's permissions and the disk"))
  }
}
