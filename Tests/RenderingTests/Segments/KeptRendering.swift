import Crypto
import Media
import Planning
import Rendering
import Support
import Synchronization
import Testing
import Timeline

/// Renders segments one after another, each with the readers that those before it kept, and with new ones.
struct KeptRendering {
  /// A rendered chunk, and the offsets at which the segment's sources were read.
  struct Result {
    let chunk: RenderedChunk
    let offsets: [Int64]

    /// Whether the beginning of any source was read.
    var readsHeader: Bool { offsets.contains(0) }
  }

  let folder: TemporaryDirectory
  let kept = KeptReaders()

  init(in folder: TemporaryDirectory) { self.folder = folder }

  /// Renders a segment with kept readers.
  func continued(_ segment: SegmentDescription) throws -> Result {
    try render(segment, keeping: kept)
  }

  /// Renders a segment with new readers.
  func fresh(_ segment: SegmentDescription) throws -> Result {
    try render(segment, keeping: KeptReaders())
  }

  /// Renders segments, and checks that each has the same bytes with and without kept readers.
  ///
  /// - Parameter renewed: the segments whose sources have to be opened anew.
  func check(
    _ segments: [SegmentDescription], renewed: Set<Int>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for (number, segment) in segments.enumerated() {
      let fresh = try fresh(segment)
      let continued = try continued(segment)
      #expect(continued.chunk == fresh.chunk, "segment \(number)", sourceLocation: sourceLocation)
      #expect(fresh.readsHeader, sourceLocation: sourceLocation)
      #expect(
        continued.readsHeader == renewed.contains(number), "segment \(number)",
        sourceLocation: sourceLocation)
    }
  }

  private func render(_ segment: SegmentDescription, keeping kept: KeptReaders) throws -> Result {
    let log = ReadLog()
    let renderer = try SegmentRenderer(segment: segment, kept: kept) {
      LoggedSource(file: try FileByteSource(path: $0.name), log: log)
    }
    let chunk = try renderer.render(to: folder.path("chunk.mp4"))
    return Result(chunk: chunk, offsets: log.offsets.withLock { $0 })
  }
}

extension TestScene {
  /// The scene's segment as in a plan: compressed, with tables that have only the frames that it needs and the
  /// keyframes before them.
  func plannedSegment() throws -> SegmentDescription {
    var scene = self
    scene.video.crf = 20
    scene.video.encoderPreset = "veryfast"
    var segment = try scene.segment()
    for layer in layers {
      let table = segment.sources[layer.source].stream.frames
      let shown = (layer.frames.min() ?? 0)..<(layer.frames.max() ?? 0) + 1
      let (first, last) = (table.times[shown.lowerBound], table.times[shown.upperBound - 1])
      let before = table.keyframes.filter { $0.time <= first }.suffix(2)
      segment.sources[layer.source].stream.frames = FrameTable(
        times: Array(table.times[shown]),
        end: shown.upperBound < table.times.count ? table.times[shown.upperBound] : table.end,
        keyframes: before + table.keyframes.filter { first < $0.time && $0.time <= last })
    }
    return segment
  }
}

/// The offsets at which a source was read.
private final class ReadLog: Sendable {
  let offsets = Mutex<[Int64]>([])
}

/// A file whose reads are logged.
private struct LoggedSource: ByteSource {
  let file: FileByteSource
  let log: ReadLog

  var size: Int64 { file.size }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    log.offsets.withLock { $0.append(offset) }
    return try file.read(at: offset, into: buffer)
  }
}
