import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

import struct Foundation.Data
import struct Foundation.URL

@Suite(.mayBlock) struct SegmentRendererTests {
  private let folder: TemporaryDirectory
  private let clip: String

  init() throws {
    folder = try TemporaryDirectory()
    clip = folder.path("clip.mp4")
    try FrameNamingClip(source: 3, frameCount: 60).write(to: clip)
  }

  private static func names(_ frames: [Int]) -> [FrameName?] {
    frames.map { FrameName(source: 3, frame: $0) }
  }

  @Test(arguments: [
    Array(0..<30), Array(17..<60), [5, 5, 5, 6, 9, 12, 40, 41, 41, 59], [50, 30, 10, 10, 31],
  ]) func `each output frame shows the source frame that its run names`(_ wanted: [Int]) throws {
    var scene = TestScene(paths: [clip], layers: [.init(source: 0, frames: wanted)])
    scene.video = VideoSettings(crf: 20, encoderPreset: "veryfast")
    let path = folder.path("chunk.mp4")
    let chunk = try scene.render(to: path)
    #expect(chunk.frameCount == wanted.count)
    #expect(try FrameNameReader.names(in: path) == Self.names(wanted))
  }

  @Test func `two layers with the same source each show their own frames`() throws {
    let half = AffineTransform(a: 0.5, b: 0, c: 0, d: 0.5, tx: 0, ty: 0)
    let right = AffineTransform(a: 0.5, b: 0, c: 0, d: 0.5, tx: 160, ty: 90)
    var scene = TestScene(
      paths: [clip],
      layers: [
        .init(
          source: 0, frames: Array(0..<20), transform: Ramps([.step(at: .zero, value: half)])),
        .init(
          source: 0, frames: Array(35..<55), transform: Ramps([.step(at: .zero, value: right)])),
      ])
    scene.video = VideoSettings(crf: 10, encoderPreset: "veryfast")
    let path = folder.path("chunk.mp4")
    try scene.render(to: path)
    #expect(
      try FrameNameReader.names(in: path, area: (0, 0, 0.5, 0.5)) == Self.names(Array(0..<20)))
    #expect(
      try FrameNameReader.names(in: path, area: (0.5, 0.5, 0.5, 0.5))
        == Self.names(Array(35..<55)))
  }

  @Test func `a pass-through changes no sample`() throws {
    let scene = TestScene(paths: [clip], layers: [.init(source: 0, frames: Array(0..<20))])
    let original = try DecodedFrame.all(in: clip, size: scene.size)
    #expect(try scene.renderedFrames(in: folder) == Array(original[..<20]))
  }

  @Test func `a quarter turn moves every sample exactly`() throws {
    let turn = AffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 180, ty: 0)
    var scene = TestScene(
      paths: [clip],
      layers: [
        .init(source: 0, frames: [0, 7], transform: Ramps([.step(at: .zero, value: turn)]))
      ])
    let original = try DecodedFrame.all(in: clip, size: scene.size)
    scene.size = PixelSize(width: 180, height: 320)
    let turned = try scene.renderedFrames(in: folder)
    for (frame, source) in zip(turned, [original[0], original[7]]) {
      for y in 0..<320 { #expect(frame.row(y) == source.column(y).reversed()) }
    }
  }

  @Test func `the same description gives the same bytes, however reads of the source are split`()
    throws
  {
    var scene = TestScene(
      paths: [clip], size: PixelSize(width: 480, height: 270),
      layers: [
        .init(
          source: 0, frames: Array(10..<45),
          transform: Ramps([
            .step(at: .zero, value: AffineTransform(a: 1.5, b: 0, c: 0, d: 1.5, tx: 0, ty: 0))
          ]))
      ])
    scene.video = VideoSettings(crf: 23, encoderPreset: "medium")
    let segment = try scene.segment()
    let files = try [Int.max, 4096, 777].map { limit in
      let path = folder.path("chunk\(limit).mp4")
      _ = try SegmentRenderer(segment: segment) {
        ChoppedByteSource(file: try FileByteSource(path: $0.name), limit: limit)
      }.render(to: path)
      return try Data(contentsOf: URL(fileURLWithPath: path))
    }
    #expect(files[0] == files[1])
    #expect(files[0] == files[2])
  }

  @Test func `a chunk begins with an IDR at time 0 and contains its parameter sets in band`() throws
  {
    let scene = TestScene(
      paths: [clip], first: 90, layers: [.init(source: 0, frames: Array(0..<12))])
    let path = folder.path("chunk.mp4")
    let chunk = try scene.render(to: path)
    let demuxer = try Demuxer(source: try FileByteSource(path: path), named: path)
    let packet = try Packet()
    #expect(try demuxer.read(into: packet) == .packet)
    #expect(packet.isKey)
    #expect(packet.time == 0)
    let types = packet.withUnsafeBytes { bytes in
      var types: [UInt8] = []
      var offset = 0
      while offset + 4 < bytes.count {
        let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
        types.append(bytes[offset + 4] & 31)
        offset += 4 + length
      }
      return types
    }
    #expect(types.filter { [7, 8, 5].contains($0) } == [7, 8, 5])
    #expect(!chunk.parameterSets.isEmpty)
  }

  @Test func `a still image is held in the output's range and format`() throws {
    let image = folder.path("white.png")
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "color=white:s=320x180", "-frames:v", "1", image]
    )
    let scene = TestScene(
      paths: [image], layers: [.init(source: 0, frames: Array(repeating: 0, count: 9))])
    let frames = try scene.renderedFrames(in: folder)
    #expect(frames.count == 9)
    for frame in frames {
      #expect(Set(frame.luma) == [235])
      #expect(Set(frame.cb) == [128])
    }
  }

  @Test(arguments: ["missing/chunk.mp4", "chunk.mp4"])
  func `the encoder's error ends the rendering`(name: String) throws {
    var scene = TestScene(paths: [clip], layers: [.init(source: 0, frames: Array(0..<60))])
    // The second file can be written, but there is no such preset.
    if name == "chunk.mp4" { scene.video.encoderPreset = "none" }
    let error = try #require(throws: MediaError.self) { try scene.render(to: folder.path(name)) }
    #expect(error.code == (name == "chunk.mp4" ? .encoderFailed : .writeFailed))
  }

  @Test func `rendering stops when asked to`() throws {
    let scene = TestScene(paths: [clip], layers: [.init(source: 0, frames: Array(0..<30))])
    let renderer = try SegmentRenderer(segment: try scene.segment()) {
      try FileByteSource(path: $0.name)
    }
    var seen: [Int] = []
    let error = #expect(throws: RenderingError.self) {
      try renderer.render(to: folder.path("chunk.mp4")) {
        seen.append($0)
        return $0 < 4
      }
    }
    #expect(error?.code == .stopped)
    #expect(seen == [1, 2, 3, 4])
  }

  @Test(
    .needsSharedMedia,
    arguments: [
      "ax_hdr10_av1_720x1280.mp4", "fc_prores422hq.mov", "fc_animation_argb.mov",
      "gopro_max_heromode_480p2997.mp4", "fc_dv_pal_interlaced.mov", "mb_SAR2-1.mp4",
      "mdn_flower_vp8_vorbis.webm", "rails_rotated_-90.mp4", "ag_bbb_360p30_60s_aac.ts",
    ])
  func `real footage of any size, format and range renders`(_ name: String) throws {
    let source = try TestScene.source(SharedMedia.path(name))
    let size = source.stream.size
    let scale = min(320 / Double(size.width), 180 / Double(size.height))
    var scene = TestScene(
      paths: [SharedMedia.path(name)],
      layers: [
        .init(
          source: 0, frames: Array(0..<min(8, source.stream.frames.times.count)),
          transform: Ramps([
            .step(
              at: .zero, value: AffineTransform(a: scale, b: 0, c: 0, d: scale, tx: 3.3, ty: 0))
          ]))
      ])
    scene.video = VideoSettings(crf: 30, encoderPreset: "ultrafast")
    #expect(try scene.renderedFrames(in: folder).count == scene.layers[0].frames.count)
  }
}

/// A file whose reads return at most a given number of bytes.
struct ChoppedByteSource: ByteSource {
  let file: FileByteSource
  let limit: Int

  var size: Int64 { file.size }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(limit, buffer.count)])
    return try file.read(at: offset, into: part)
  }
}
