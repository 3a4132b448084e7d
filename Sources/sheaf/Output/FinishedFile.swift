import Crypto
import FarmAPI
import Planning

/// A saved output file, as `render`, `transcode`, `submit -o` and `fetch` report it.
struct FinishedFile: Encodable {
  /// The absolute path.
  var path: String
  /// The number of output frames.
  var frameCount: Int?
  /// Its length in bytes.
  var byteCount: Int64
  /// The SHA-256 of its bytes.
  var sha256: Digest
  /// The reason for its frame rate, and the frames that the rate leaves out.
  var frameRate: FrameRateReport?
  /// The loudness before and after normalisation, if the project sets one.
  var loudness: LoudnessReport?
  /// The parts that show or play concealed damage, if there are any.
  var concealed: [ConcealedMedia]?
}

extension FinishedFile {
  /// The file of a completed job; `nil` if the job has none.
  init?(_ job: JobStatus, at output: OutputPath) {
    guard let file = job.output else { return nil }
    self.init(
      path: output.path, frameCount: job.frameCount, byteCount: file.byteCount,
      sha256: file.sha256, frameRate: job.frameRate, loudness: job.loudness,
      concealed: job.concealed)
  }
}

extension Console {
  /// Reports a saved file.
  func print(_ file: FinishedFile?, asJSON: Bool) throws {
    guard let file else { return }
    if asJSON { return try print(json: file) }
    let frames = file.frameCount.map { $0 > 0 ? "\($0) frames, " : "audio only, " } ?? ""
    try print("\(file.path): \(frames)\(ByteCount(file.byteCount))")
    for line in file.frameRate?.lines ?? [] { try print(line) }
    if let loudness = file.loudness { try print(loudness.line) }
    for part in file.concealed ?? [] { try print(part.line) }
  }
}
