import Crypto
import Media
import Planning
import Rendering
import Support
import Synchronization
import Testing
import Timeline

@Suite(.mayBlock) struct KeptReaderTests {
  private let folder: TemporaryDirectory
  private let clip: String

  init() throws {
    folder = try TemporaryDirectory()
    clip = folder.path("clip.mp4")
    try FrameNamingClip(source: 3, frameCount: 60).write(to: clip)
  }

  /// A segment that shows frames of the clip.
  private func segment(_ frames: Range<Int>, asset: UInt8 = 7) throws -> SegmentDescription {
    var scene = TestScene(paths: [clip], layers: [.init(source: 0, frames: Array(frames))])
    scene.video = VideoSettings(crf: 20, encoderPreset: "veryfast")
    var segment = try scene.segment()
    segment.sources[0].asset = try #require(Digest(bytes: [UInt8](repeating: asset, count: 32)))
    // As in a plan, the table has only the frames that the segment needs and the keyframes before them.
    let table = segment.sources[0].stream.frames
    let first = table.times[frames.lowerBound]
    let last = table.times[frames.upperBound - 1]
    let before = table.keyframes.filter { $0.time <= first }.suffix(2)
    segment.sources[0].stream.frames = FrameTable(
      times: Array(table.times[frames]),
      end: frames.upperBound < table.times.count ? table.times[frames.upperBound] : table.end,
      keyframes: before + table.keyframes.filter { first < $0.time && $0.time <= last })
    return segment
  }

  /// Renders a segment. Returns the chunk, and whether the beginning of the clip was read.
  private func render(_ segment: SegmentDescription, keeping kept: KeptReaders) throws -> (
    chunk: RenderedChunk, readsHeader: Bool
  ) {
    let log = ReadLog()
    let renderer = try SegmentRenderer(segment: segment, kept: kept) {
      LoggedSource(file: try FileByteSource(path: $0.name), log: log)
    }
    let chunk = try renderer.render(to: folder.path("chunk.mp4"))
    return (chunk, log.offsets.withLock { $0.contains(0) })
  }

  @Test(arguments: [
    [0..<20, 20..<40], [0..<24, 24..<48], [0..<20, 17..<60], [30..<50, 0..<20], [5..<9, 40..<60],
    [40..<60, 41..<50], [0..<10, 10..<20, 20..<30, 30..<60],
  ])
  func `a segment has the same bytes whether or not its reader was kept`(ranges: [Range<Int>])
    throws
  {
    let kept = KeptReaders()
    for range in ranges {
      let segment = try segment(range)
      let fresh = try render(segment, keeping: KeptReaders())
      let continued = try render(segment, keeping: kept)
      #expect(continued.chunk == fresh.chunk)
      #expect(fresh.readsHeader)
      #expect(continued.readsHeader == (range == ranges[0]))
    }
  }

  @Test func `a reader that the next segment does not need is closed`() throws {
    let kept = KeptReaders()
    let reads = try [(0..<10, 7), (10..<20, 8), (20..<30, 7), (30..<40, 7)].map { range, asset in
      try render(segment(range, asset: UInt8(asset)), keeping: kept).readsHeader
    }
    #expect(reads == [true, true, true, false])
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
