import Crypto
import FarmAPI
import Preparation
import sheaf_coordinator

extension FakeMedia {
  /// Fails, because there is no source without media.
  package func record(
    _ beginning: RecordingBeginning, from descriptors: [Int32]
  ) async throws -> any SourceRecording {
    throw JobError(.mediaProcessFailed, "nothing can be recorded without media")
  }

  /// Fails, because there is nothing to join without media.
  package func join(_ request: JoiningRequest) async throws -> [WrittenContent] {
    throw JobError(.mediaProcessFailed, "nothing can be joined without media")
  }
}
