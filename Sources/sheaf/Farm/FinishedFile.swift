import Crypto
import FarmAPI
import Planning
import Timeline

/// A finished file on this machine.
struct FinishedFile: Encodable {
  /// Where it is.
  var path: String
  /// The number of frames, once planned.
  var frameCount: Int?
  var byteCount: Int64
  /// The SHA-256 of its bytes.
  var sha256: Digest
  /// The reason for its frame rate, once planned.
  var frameRate: FrameRateReport?
  /// The report on its loudness, if the project sets one.
  var loudness: LoudnessReport?
  /// The parts that show or play concealed damage; `nil` if there are none.
  var concealed: [ConcealedMedia]?
  /// The numbers of frames by how they were made, once planned.
  var framesCopied: Int?
  var framesReused: Int?
  var framesEncoded: Int?
  /// The reasons for encoding frames; `nil` if none was encoded.
  var encodedBecause: [EncodedFrames]?
  /// The job that made it.
  var job: JobStatus

  private enum CodingKeys: String, CodingKey {
    case path, frameCount, byteCount, sha256, frameRate, loudness, concealed
    case framesCopied, framesReused, framesEncoded, encodedBecause
  }
}

extension FinishedFile {
  /// Creates the description of a job's file that was saved at `output`.
  init?(_ job: JobStatus, at output: OutputPath) {
    guard let file = job.output else { return nil }
    self.init(
      path: output.path, frameCount: job.frameCount, byteCount: file.byteCount,
      sha256: file.sha256, frameRate: job.frameRate, loudness: job.loudness,
      concealed: job.concealed, framesCopied: job.framesCopied, framesReused: job.framesReused,
      framesEncoded: job.framesEncoded, encodedBecause: job.encodedBecause, job: job)
  }
}

extension Console {
  /// Prints the description of a finished file: a summary for people, or a line.
  ///
  /// - Parameter elapsed: the time that it took to make it, if the command made it.
  func print(
    _ file: FinishedFile?, in format: ResultFormat, elapsed: Duration? = nil
  ) async throws {
    guard let file, format != .none else { return }
    if format == .json { return try print(json: file) }
    if isForPeople {
      var summary = JobSummary(file.job)
      summary.path = OutputPath.shown(file.path)
      summary.elapsed = elapsed.map { $0 / .seconds(1) } ?? summary.elapsed
      if case .success(let index)? = try? await LocalMedia().index(of: file.path) {
        summary.media = index
      }
      for sentence in summary.sentences { try print(prose: sentence) }
    } else {
      let frames = file.frameCount.map { $0 > 0 ? "\($0) frames, " : "audio only, " } ?? ""
      try print("\(file.path): \(frames)\(ByteCount(file.byteCount))")
      for sentence in JobSummary(file.job).making { try print(prose: sentence) }
    }
    for line in file.frameRate?.lines ?? [] { try print(prose: line) }
    if let loudness = file.loudness { try print(prose: loudness.line) }
    for line in file.job.concealedLines { try print(prose: line) }
  }
}
