import Crypto
import FarmAPI
import Planning
import Timeline

/// What a job needs of media: by child processes in a coordinator, in memory in tests.
package protocol MediaTools: Sendable {
  /// Reads a submission, in its submitter's turn, and writes its project's text.
  func read(_ request: ReadingRequest, for submitter: String?) async throws -> SubmissionFacts
  /// Writes the media indexes of files to their outputs, in a submitter's turns; says why there is none of some, in the
  /// order of the files.
  func index(_ files: [ProbeRequest], for submitter: String?) async throws -> [JobError?]
  /// Plans a project in its submitter's turn, and writes the plan, which nobody writes to any more.
  func plan(_ request: PlanningRequest, for submitter: String?) async throws -> PlanFacts
  /// The media indexes of files, or why there is none, in their order.
  func indexes(of files: [ProbeRequest]) async throws -> [Result<MediaIndex, JobError>]
  /// What the encoder finds wrong with a job's settings.
  func check(_ request: EncoderCheck) async throws -> [Finding]
  /// Mixes a job's sound, and writes the block digests of the file beside it.
  ///
  /// - Parameter sound: what the plan says of it.
  func mix(_ request: MixRequest, _ sound: PlanFacts.Sound) async throws -> MixedSound
  /// Makes pictures of an animation's layers, whose files nobody writes to any more.
  ///
  /// - Throws: `ProjectError` with everything that keeps layers from becoming pictures; `JobError`.
  func typeset(_ request: TypesetRequest) async throws -> [LayerRaster]
  /// Begins a job's file.
  func assemble(_ beginning: AssemblyBeginning) async throws -> any FileAssembly
}

/// A job's file on its way. Calls follow one another.
package protocol FileAssembly: Sendable {
  /// Appends the next segment's chunk, whose bytes are those of `sha256`, and says whether the file is full: it takes no
  /// more.
  func append(chunk path: String, sha256: Digest, frameCount: Int) async throws -> Bool
  /// Finishes the file.
  func finish() async throws
}
