import Crypto
import Foundation
import Media
import Planning
import Rendering
import Support
import Synchronization
import Testing
import Timeline

/// Which readers are reused, and what those that are not keep open.
@Suite(.mayBlock) struct ReaderReuseTests {
  private let folder: TemporaryDirectory
  private let clip: String

  init() throws {
    folder = try TemporaryDirectory()
    clip = folder.path("clip.mp4")
    try FrameNamingClip(source: 3, frameCount: 60).write(to: clip)
  }

  @Test func `a reader is not reused under another name`() throws {
    let rendering = KeptRendering(in: folder)
    let scene = { (frames: Range<Int>) in
      TestScene(paths: [clip], layers: [.init(source: 0, frames: Array(frames))])
    }
    _ = try rendering.continued(scene(0..<10).plannedSegment())
    var renamed = try scene(10..<20).plannedSegment()
    renamed.sources[0].name = folder.path("link.mp4")
    try FileManager.default.createSymbolicLink(
      atPath: renamed.sources[0].name, withDestinationPath: clip)
    #expect(try rendering.continued(renamed).readsHeader)
  }

  @Test func `of several readers, the one that has the least to decode is reused`() throws {
    let large = folder.path("large.mp4")
    try FrameNamingClip(
      source: 3, frameCount: 60,
      encoding: FrameNamingClip.h264 + ["-sc_threshold", "0", "-vf", "noise=alls=60:allf=t"]
    ).write(to: large)
    let rendering = KeptRendering(in: folder)
    func offsets(_ layers: [Range<Int>]) throws -> [Int64] {
      let scene = TestScene(
        paths: [large],
        layers: layers.map {
          .init(
            source: 0, frames: Array($0), opacity: Ramps([.step(at: .zero, value: 0.5)]))
        })
      return try rendering.continued(scene.segment()).offsets
    }
    _ = try offsets([0..<6, 38..<44])
    // From frame 43 on, without a look at the keyframe before it.
    let keyframe = try PacketPlaces.of(large)[36].position
    #expect(try offsets([44..<48]).allSatisfy { $0 > keyframe })
  }

  @Test(arguments: [DamagePolicy.fail, .conceal])
  func `the memory of readers that are not kept is freed`(onDamage: DamagePolicy) throws {
    // Its decoder needs more memory than may be idle.
    let large = folder.path("large.mp4")
    try FrameNamingClip(source: 1, frameCount: 4, width: 3840, height: 2160).write(to: large)
    var segment = try TestScene(paths: [large], layers: [.init(source: 0, frames: [0, 1])])
      .segment()
    segment.onDamage = onDamage == .fail ? nil : onDamage
    let rendering = KeptRendering(in: folder)
    for _ in 0..<2 {
      #expect(try rendering.continued(segment).readsHeader)
      #expect(rendering.kept.pictureSizeCount == 0)
    }
  }

  @Test func `sources are closed as soon as no layer shows them`() throws {
    let count = 12
    var segment = try TestScene(
      paths: Array(repeating: clip, count: count), layers: [.init(source: 0, frames: [0])]
    ).segment()
    segment.end = count
    segment.slices = try (0..<count).map { number in
      segment.sources[number].asset = try #require(
        Digest(bytes: [UInt8](repeating: UInt8(number), count: 32)))
      var slice = segment.slices[0]
      (slice.first, slice.end) = (number, number + 1)
      slice.layers[0].source = number
      return slice
    }
    let open = OpenCount()
    _ = try SegmentRenderer(segment: segment) {
      CountedSource(file: try FileByteSource(path: $0.name), open: open)
    }.render(to: folder.path("chunk.mp4"))
    // The new one, the one before it, and one whose end has not been noticed.
    #expect(open.most.withLock { $0 } <= 3)
  }
}

/// The number of sources that are open, and the most that were.
private final class OpenCount: Sendable {
  let now = Mutex(0)
  let most = Mutex(0)
}

/// A file that counts itself while it is open.
private final class CountedSource: ByteSource {
  private let file: FileByteSource
  private let open: OpenCount

  init(file: FileByteSource, open: OpenCount) {
    (self.file, self.open) = (file, open)
    let now = open.now.withLock { count in
      count += 1
      return count
    }
    open.most.withLock { $0 = max($0, now) }
  }

  deinit { open.now.withLock { $0 -= 1 } }

  var size: Int64 { file.size }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try file.read(at: offset, into: buffer)
  }
}
