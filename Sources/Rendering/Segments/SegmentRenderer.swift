import Crypto
import Media
import Planning
import Timeline

/// Renders one segment into a chunk: decodes and composites, or copies, on the calling thread, and encodes on another.
///
/// Equal descriptions with equal assets lead to equal bytes. Blocks; not thread-safe.
public final class SegmentRenderer {
  private let segment: SegmentDescription
  private let kept: KeptReaders
  private let open: (SourceStream) throws -> any ByteSource

  /// Creates a renderer for a segment.
  ///
  /// - Parameters:
  ///   - kept: the readers that earlier segments left open, which this segment uses and adds to.
  ///   - open: opens a source's asset; called once for each layer that shows the source at the same time.
  /// - Throws: ``RenderingError`` with code `invalidDescription`.
  public init(
    segment: SegmentDescription, kept: KeptReaders = KeptReaders(),
    open: @escaping (SourceStream) throws -> any ByteSource
  ) throws {
    try segment.validateForRendering()
    self.segment = segment
    self.kept = kept
    self.open = open
  }

  /// Writes the chunk to a new file at `path`: an MP4, or QuickTime file for ProRes, whose first frame is a keyframe
  /// at time 0.
  ///
  /// - Parameter progress: called after each frame with the number of frames composited so far; `false` stops
  ///   rendering.
  /// - Throws: ``RenderingError`` with code `stopped`, or `MediaError`. The file is then incomplete, and the
  ///   caller has to remove it.
  public func render(
    to path: String, progress: (Int) throws -> Bool = { _ in true }
  ) throws -> RenderedChunk {
    if let part = segment.copy {
      kept.keepOnly([])
      let copier = try PacketCopier(segment, part)
      let concealments = try copier.verify(open: open, progress: progress)
      var chunk = try copier.copy(to: path, open: open, progress: progress)
      chunk.concealments = concealments
      return chunk
    }
    let damage = DamageLog()
    let input = try EncoderInput(segment, damage: damage, kept: kept, open: open)
    let encoder = try ChunkEncoder(segment, input.settings, path: path)
    do {
      for number in segment.first..<segment.end {
        let done = number - segment.first
        damage.frame = done
        try encoder.add(try shown(number) { try input.frame(number) }, number: Int64(done))
        guard try progress(done + 1) else {
          throw RenderingError(
            .stopped, "the segment of frames \(segment.first) to \(segment.end) was stopped")
        }
      }
    } catch {
      // Which of two errors comes first depends on the threads.
      throw encoder.stop() ?? error
    }
    withExtendedLifetime(input) { kept.keepOpenOnes() }
    let chunk = try encoder.finish()
    return RenderedChunk(
      frameCount: segment.frameCount, content: chunk.content, parameterSets: chunk.parameterSets,
      concealments: damage.concealments)
  }

  /// Makes every output frame that ``render(to:progress:)`` would make, without encoding it, to find damage. Frames
  /// that are copied without decoding, and segments that conceal damage, are skipped.
  ///
  /// - Throws: `MediaError` with code `frameDamaged` or `frameMissing` at the first frame that shows damage.
  public func findDamage() throws {
    guard segment.onDamage != .conceal else { return }
    if let part = segment.copy {
      _ = try PacketCopier(segment, part).verify(open: open) { _ in true }
      return
    }
    let composer = try segment.composer(open: open)
    for number in segment.first..<segment.end {
      _ = try shown(number) { try composer.frame(number) }
    }
  }

  /// Renders an output frame. If a source is damaged, the error names the output frame.
  private func shown(_ number: Int, by render: () throws -> Frame) throws -> Frame {
    do {
      return try render()
    } catch var error as MediaError where [.frameDamaged, .frameMissing].contains(error.code) {
      error.problem += " (output frame \(number))"
      throw error
    }
  }
}

/// A renderer's report about a chunk.
public struct RenderedChunk: Hashable, Sendable {
  /// The number of output frames in the chunk.
  public var frameCount: Int
  /// The length and checksum of the file.
  public var content: WrittenContent
  /// The encoder's ``VideoEncoder/parameterSets``.
  public var parameterSets: [UInt8]
  /// The damaged source frames that it shows, with output frames counted from its first.
  public var concealments: [Concealment]

  /// Creates a report.
  public init(
    frameCount: Int, content: WrittenContent, parameterSets: [UInt8],
    concealments: [Concealment] = []
  ) {
    self.concealments = concealments
    self.frameCount = frameCount
    self.content = content
    self.parameterSets = parameterSets
  }
}

extension VideoEncoderSettings {
  /// The settings for a segment's chunk; all of a job's segments have the same parameter sets.
  init(_ segment: SegmentDescription) {
    self.init(
      segment.video, in: segment.workingFormat, size: segment.renderSize,
      frameDuration: segment.frameDuration)
  }

  /// The settings for pictures that are composited in a working format.
  init(
    _ video: VideoSettings, in workingFormat: WorkingFormat?, size: PixelSize,
    frameDuration: RationalTime
  ) {
    let space =
      workingFormat.map { ColorSpace($0.color, size: size) } ?? .standard(size: size)
    self.init(
      video, size: size, frameDuration: frameDuration,
      color: workingFormat?.statedColor ?? space.tags(size: size),
      bitDepth: workingFormat.map { max($0.bitDepth, video.effectiveBitDepth) },
      hdr: workingFormat?.hdr)
  }
}
