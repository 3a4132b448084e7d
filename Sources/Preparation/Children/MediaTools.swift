import Crypto
import FarmAPI
import Foundation
import Planning
import ProjectFormat
import Timeline

/// The media work that a job needs. The coordinator uses child processes, and tests use an implementation in memory.
package protocol MediaTools: Sendable {
  /// Reads a submission, in its submitter's turn, and writes its project's text.
  ///
  /// - Throws: `ProjectError` with all findings, or ``JobError``.
  func read(_ request: ReadingRequest, for submitter: String?) async throws -> SubmissionFacts
  /// Waits until a submitter's quota has time for planning.
  func waitForPlanningTime(of submitter: String?) async throws
  /// Writes the media indexes of files in a submitter's turns. Each file is indexed by a separate process, which writes
  /// to a separate folder in `directory`.
  ///
  /// - Parameters:
  ///   - directory: an existing folder.
  ///   - keep: called with the place of a file in `files` and the path of its index, as soon as the process that wrote
  ///     the index has ended.
  /// - Returns: for each file, why it has no index, or `nil` if it has one.
  /// - Throws: ``JobError`` with `planningQuotaReached` if the submitter's quota is used up. The indexes that were
  ///   kept stay.
  func index(
    _ files: [ProbeRequest], in directory: String, for submitter: String?,
    keeping keep: @escaping @Sendable (_ place: Int, _ index: String) async throws -> Void
  ) async throws -> [JobError?]
  /// Plans a project in its submitter's turn, and freezes the plan. The files do not change afterwards.
  ///
  /// - Parameter begin: called when it is the submitter's turn, just before planning starts.
  /// - Throws: `ProjectError` with all findings; ``JobError`` with `planningQuotaReached` if the submitter's quota is
  ///   used up, or with another code.
  func plan(
    _ request: PlanningRequest, for submitter: String?,
    starting begin: @Sendable () async throws -> Void
  ) async throws -> PlanFacts
  /// Freezes a plan in its submitter's turn. The files do not change afterwards.
  func freeze(_ request: FreezingRequest, for submitter: String?) async throws -> PlanFacts
  /// The media indexes of files, or the errors of unreadable ones, in order.
  func indexes(of files: [ProbeRequest]) async throws -> [Result<MediaIndex, JobError>]
  /// The encoder's findings on a job's settings.
  func check(_ request: EncoderCheck) async throws -> [Finding]
  /// Decodes the source frames that segments show.
  ///
  /// - Returns: the first segment that shows a damaged or missing frame.
  func findDamage(_ request: DecodingRequest) async throws -> DamagedSegment?
  /// Mixes a job's sound in its submitter's turn, and writes the block digests of the file beside it.
  ///
  /// - Parameters:
  ///   - tell: called with news while the sound is mixed, if the request names a folder for its parts.
  ///   - request: called when it is the submitter's turn, so that a waiting job keeps no request in memory. Returns the
  ///     request and the plan's facts about the sound.
  func mix(
    for submitter: String?, telling tell: @Sendable (SoundNews) -> Void,
    _ request: @Sendable () async throws -> (MixRequest, PlanFacts.Sound)
  ) async throws -> MixedSound
  /// Draws an animation's layers. The pictures' files do not change afterwards.
  ///
  /// - Throws: `ProjectError` with all problems of the layers, or `JobError`.
  func typeset(_ request: TypesetRequest) async throws -> [LayerRaster]
  /// The first picture of a chunk as a JPEG.
  func picture(_ request: PictureRequest) async throws -> Data
  /// Writes a piece of a job's stream, or the header of all its pieces, to an open file.
  func stream(_ request: StreamRequest, to descriptor: Int32) async throws
  /// Begins a job's file.
  func assemble(_ beginning: AssemblyBeginning) async throws -> any FileAssembly
  /// Begins to record a source.
  ///
  /// - Parameter descriptors: the source's descriptor, or those of its devices. The recorder gets copies of them.
  func record(
    _ beginning: RecordingBeginning, from descriptors: [Int32]
  ) async throws -> any SourceRecording
  /// Makes ordinary files of a recording, and returns what was written to each.
  func join(_ request: JoiningRequest) async throws -> [WrittenContent]
}

/// A source that is being recorded. Calls must not overlap.
package protocol SourceRecording: Sendable {
  /// Waits for events, but not much longer than a second.
  func next() async throws -> RecordingNews
  /// Ends the recording soon. Events follow until it has ended.
  func stop() async throws
  /// Ends the recording immediately.
  func abandon() async
}

/// A job's file that is being assembled. Calls must not overlap.
package protocol FileAssembly: Sendable {
  /// Adds the next parts of a mix that is not finished yet.
  func add(_ parts: [SoundPart]) async throws
  /// Appends the next segment's chunk.
  ///
  /// - Parameters:
  ///   - sha256: the SHA-256 of its file.
  ///   - byteCount: the number of bytes of an asset to which it refers.
  func append(
    chunk path: String, sha256: Digest, frameCount: Int, referringTo byteCount: Int64
  ) async throws -> ChunkOutcome
  /// Finishes the file, and returns what was written to it.
  func finish() async throws -> WrittenContent
  /// Ends the work. The file is worthless afterwards.
  func abandon() async
}
