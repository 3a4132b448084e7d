import Crypto
import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

/// Segments that are rendered with the readers of earlier ones have the same bytes as with new readers.
@Suite(.mayBlock) struct KeptReaderTests {
  private let folder: TemporaryDirectory
  private let clip: String

  init() throws {
    folder = try TemporaryDirectory()
    clip = folder.path("clip.mp4")
    try FrameNamingClip(source: 3, frameCount: 60).write(to: clip)
  }

  /// A segment that shows frames of a clip.
  private func segment(
    _ frames: Range<Int>, of clip: String, asset: UInt8 = 7
  ) throws -> SegmentDescription {
    let scene = TestScene(paths: [clip], layers: [.init(source: 0, frames: Array(frames))])
    var segment = try scene.plannedSegment()
    segment.sources[0].asset = try #require(Digest(bytes: [UInt8](repeating: asset, count: 32)))
    return segment
  }

  @Test(arguments: [
    [0..<20, 20..<40], [0..<24, 24..<48], [0..<20, 17..<60], [30..<50, 0..<20], [5..<9, 40..<60],
    [40..<60, 41..<50], [0..<10, 10..<20, 20..<30, 30..<60],
  ])
  func `a segment has the same bytes whether or not its reader was kept`(ranges: [Range<Int>])
    throws
  {
    try KeptRendering(in: folder).check(ranges.map { try segment($0, of: clip) }, renewed: [0])
  }

  @Test func `a reader that the next segment does not need is closed`() throws {
    let rendering = KeptRendering(in: folder)
    let reads = try [(0..<10, 7), (10..<20, 8), (20..<30, 7), (30..<40, 7)].map { range, asset in
      try rendering.continued(segment(range, of: clip, asset: UInt8(asset))).readsHeader
    }
    #expect(reads == [true, true, true, false])
  }

  @Test(arguments: [
    [0..<22, 22..<40], [12..<23, 23..<36], [36..<46, 21..<30], [0..<12, 22..<24, 24..<36],
  ])
  func `a segment may begin with the leading frames of an open group of H.265`(
    ranges: [Range<Int>]
  ) throws {
    let open = folder.path("open.mp4")
    try FrameNamingClip(
      source: 4, frameCount: 48,
      encoding: [
        "-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-x265-params",
        "log-level=none:keyint=12:min-keyint=12:scenecut=0:bframes=3:b-adapt=0:open-gop=1",
      ]
    ).write(to: open)
    // The three frames before each random access picture follow it in the file.
    let stream = try TestScene.source(open).stream
    let start = try #require(stream.frames.keyframes.first { $0.time == stream.frames.times[24] })
    #expect(start.hasLeadingFrames)
    #expect(stream.copying?.part(of: 5..<24) == 12..<21)
    try KeptRendering(in: folder).check(ranges.map { try segment($0, of: open) }, renewed: [0])
  }

  /// A segment that dissolves from one range of the clip to another of the same length.
  private func dissolve(_ from: Range<Int>, _ to: Range<Int>) throws -> SegmentDescription {
    let fade = Ramps([
      .ramp(timeRange: try .frames(0, count: Int64(from.count)), from: 1.0, to: 0.0)
    ])
    return try TestScene(
      paths: [clip, clip],
      layers: [
        .init(source: 0, frames: Array(from), opacity: fade), .init(source: 1, frames: Array(to)),
      ]
    ).plannedSegment()
  }

  @Test func `a dissolve of two ranges of one asset goes on with both readers`() throws {
    try KeptRendering(in: folder).check(
      [
        dissolve(0..<10, 30..<40), dissolve(10..<20, 40..<50), dissolve(50..<60, 20..<30),
        segment(30..<40, of: clip),
      ], renewed: [0])
  }

  @Test func `a dissolve begins with the reader of the segment before it, and a new one`() throws {
    try KeptRendering(in: folder).check(
      [segment(0..<20, of: clip), dissolve(20..<30, 40..<50), segment(50..<60, of: clip)],
      renewed: [0, 1])
  }

  @Test func `a reader is kept although the output has another size`() throws {
    var segments = try [0..<20, 20..<40, 40..<60].map { try segment($0, of: clip) }
    segments[1].renderSize = PixelSize(width: 160, height: 90)
    try KeptRendering(in: folder).check(segments, renewed: [0])
  }

  @Test func `a reader shares the memory of pictures with one of another size`() throws {
    let large = folder.path("large.mp4")
    try FrameNamingClip(source: 5, frameCount: 20, width: 640, height: 360).write(to: large)
    var both = TestScene(
      paths: [clip, large],
      layers: [
        .init(source: 0, frames: Array(20..<40), opacity: Ramps([.step(at: .zero, value: 0.5)])),
        .init(source: 1, frames: Array(0..<20)),
      ])
    both.size = PixelSize(width: 640, height: 360)
    var second = try both.plannedSegment()
    second.sources[1].asset = try #require(Digest(bytes: [UInt8](repeating: 8, count: 32)))
    try KeptRendering(in: folder).check(
      [segment(0..<20, of: clip), second, segment(40..<60, of: clip)], renewed: [0, 1])
  }

  @Test func `interlaced footage is de-interlaced after its fields were kept, and vice versa`()
    throws
  {
    let fields = folder.path("fields.mkv")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i",
        "testsrc2=s=320x180:r=60:d=1.3,format=yuv420p,tinterlace=interleave_top", "-c:v",
        "libx264", "-preset", "ultrafast", "-g", "6", "-flags", "+ildct+ilme", "-top", "1",
        fields,
      ])
    var segments = try [0..<10, 10..<20, 20..<30].map { try segment($0, of: fields) }
    segments[0].video.firstField = .top
    segments[2].video.firstField = .top
    #expect(segments[0].sources[0].stream.firstField == .top)
    let rendering = KeptRendering(in: folder)
    // The footage moves, so that its fields differ.
    var progressive = segments[0]
    progressive.video.firstField = nil
    #expect(try rendering.fresh(progressive).chunk != rendering.fresh(segments[0]).chunk)
    try rendering.check(segments, renewed: [0, 1, 2])
  }

  @Test func `damage is concealed in the same way after a segment in which it is an error`() throws
  {
    try PacketPlaces.overwrite([30], of: clip, stream: "v:0")
    var segments = try [0..<20, 20..<40, 40..<60].map { try segment($0, of: clip) }
    segments[1].onDamage = .conceal
    // No reader is kept beside those that conceal damage.
    try KeptRendering(in: folder).check(segments, renewed: [0, 1, 2])
    #expect(try !KeptRendering(in: folder).fresh(segments[1]).chunk.concealments.isEmpty)
  }
}
