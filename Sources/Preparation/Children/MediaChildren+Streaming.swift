import FarmAPI
import Planning

/// A request to `stream`, which comes with the descriptor of the file to write.
package struct StreamRequest: Hashable, Codable, Sendable {
  /// The plan, without its segments and sound.
  package var plan: PlanSource
  package var chunk: StreamedChunk
  /// The asset to which the chunk refers, if it does.
  package var asset: ReferencedAsset?
  /// The frames of the piece, as numbers within the chunk.
  package var frames: Range<Int>
  /// The number of the piece in the film, from 1.
  package var number: Int
  /// Whether the header of the pieces is wanted instead of the piece.
  package var isHeader: Bool
  /// Whether the piece has pictures.
  package var hasPictures: Bool
  /// The finished mix, if the piece has the sound of the finished mix.
  package var mix: AssetFile?
  /// The interim mix, if the piece has the sound of an interim mix.
  package var interim: Interim?

  /// The interim mix of a job that follows a recording, with the files that the piece may need.
  package struct Interim: Hashable, Codable, Sendable {
    /// The `MixDescription`.
    package var mix: PlanSource
    /// The assets' files, by hexadecimal digest; none for a header.
    package var files: [String: AssetFile]

    package init(mix: PlanSource, files: [String: AssetFile]) {
      self.mix = mix
      self.files = files
    }
  }

  /// The paths of the files that the process may read.
  package var readable: [String] { timed + (asset?.file.paths ?? []) }

  /// The paths of those that it may have to read as a whole. Of an asset to which a chunk refers, it reads only a few
  /// seconds.
  var timed: [String] {
    [plan.path, chunk.path] + (mix?.paths ?? [])
      + (interim?.files.values.flatMap(\.paths).sorted() ?? [])
  }

  package init(
    plan: PlanSource, chunk: StreamedChunk, asset: ReferencedAsset?, frames: Range<Int>,
    number: Int, isHeader: Bool, hasPictures: Bool, mix: AssetFile?, interim: Interim? = nil
  ) {
    self.plan = plan
    self.chunk = chunk
    self.asset = asset
    self.frames = frames
    self.number = number
    self.isHeader = isHeader
    self.hasPictures = hasPictures
    self.mix = mix
    self.interim = interim
  }
}

extension MediaChildren {
  /// The processor time for a piece, in seconds.
  private static let streamSeconds = 60

  package func stream(_ request: StreamRequest, to descriptor: Int32) async throws {
    let child = ChildDialogue(
      process("stream", seconds: Self.streamSeconds, answerSize: Self.factsSize),
      subject: "the stream of the job", remedy: "download the file when the job is completed")
    let answer = try await child.ask(
      FarmCoding.encode(request), passing: descriptor,
      reading: request.timed)
    // The process ends before its file is sent, so that it cannot change the file any more.
    await child.end()
    guard case .done = answer else {
      throw JobError(
        .mediaProcessFailed, "the stream of the job: the media process returned no result")
    }
  }
}
