import Foundation
import Support
import Testing

/// Seeking in WebM files: the layout of their clusters, and the frames that Chromium shows.
@Suite(.mayBlock) struct SeekingTests {
  /// A WebM file of 60 frames with a keyframe at least every ten frames, and Opus, rendered from a file of the same kind.
  private func file(_ preset: String?, in folder: TemporaryDirectory) throws -> Rendered {
    let pictures = folder.path("pictures.webm")
    // Noise around the name makes frames so large that they start new clusters.
    try FrameNamingClip(
      source: 1, frameCount: 60,
      encoding: [
        "-vf", "noise=alls=12:allf=t", "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used",
        "8", "-b:v", "2M", "-g", "10", "-pix_fmt", "yuv420p",
      ]
    ).write(to: pictures)
    try ClickTrack(sampleCount: 96_000, clicks: [100])
      .write(to: folder.path("sound.wav"), encoding: ["-c:a", "pcm_s16le"])
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-i", pictures, "-i", folder.path("sound.wav"), "-c:v", "copy", "-c:a",
        "libopus", folder.path("clip.webm"),
      ])
    let export =
      preset.map { #""preset": "\#($0)""# }
      ?? #""video": {"codec": "vp9", "crf": 40, "encoderPreset": "8", "keyFrameInterval": 10}, "audio": {"codec": "opus"}"#
    return try Rendered(
      project: """
        {"version": 1, "sequence": [{"clip": "clip.webm"}],
         "export": {\(export), "fileType": "webm"}}
        """, in: folder, output: "out.webm")
  }

  @Test(arguments: ["passthrough", nil])
  func `no block of a WebM file is earlier than its cluster, and each keyframe has a cue`(
    preset: String?
  ) throws {
    let folder = try TemporaryDirectory()
    let layout = try WebMLayout(path: file(preset, in: folder).path)
    #expect(layout.clusters.count > 3)
    for cluster in layout.clusters {
      #expect(cluster.blocks.allSatisfy { $0.offset >= 0 }, "cluster at \(cluster.time) ms")
    }
    let blocks = layout.clusters.flatMap { cluster in
      cluster.blocks.map { (track: $0.track, time: cluster.time + $0.offset, isKey: $0.isKey) }
    }
    #expect(blocks.first?.time == 0)
    // An audio packet lasts 20 ms and a frame 33 ms, so neither is ahead of the other by more.
    var latest = 0
    for block in blocks {
      #expect(block.time >= latest - 34, "\(block.time) ms after \(latest) ms")
      latest = max(latest, block.time)
    }
    let keys = blocks.filter { $0.track == 1 && $0.isKey }.map(\.time)
    #expect(layout.cues.map(\.time) == keys)
    let positions = Dictionary(uniqueKeysWithValues: layout.clusters.map { ($0.position, $0) })
    for cue in layout.cues {
      let cluster = try #require(positions[cue.position])
      #expect(
        cluster.blocks.contains {
          $0.track == 1 && $0.isKey && cluster.time + $0.offset == cue.time
        })
    }
  }

  @Test(.needsChromium, .timeLimit(.minutes(15)), arguments: ["passthrough", nil])
  func `Chromium's first seek in a WebM file shows the frame of its time`(preset: String?) throws {
    let folder = try TemporaryDirectory()
    let file = try file(preset, in: folder)
    let frames = [1, 3, 9, 10, 14, 21, 29, 44, 55]
    // Half a frame after the start of each frame.
    let times = frames.map { (Double($0) + 0.5) / 30 }
    let shown = try Chromium.lumaAfterSeeking(in: file.path, to: times, width: 320, height: 180)
    let names = shown.map { FrameName.read($0[...], width: 320, area: (0, 0, 320, 180)) }
    #expect(names == frames.map { FrameName(source: 1, frame: $0) })
  }
}

/// The clusters and cues of a Matroska file (RFC 9559).
private struct WebMLayout {
  struct Block {
    let track: Int
    /// Milliseconds after the cluster's time.
    let offset: Int
    let isKey: Bool
  }

  struct Cluster {
    /// Bytes from the start of the segment's data.
    let position: Int
    /// Milliseconds.
    var time = 0
    var blocks: [Block] = []
  }

  private(set) var clusters: [Cluster] = []
  private(set) var cues: [(time: Int, position: Int)] = []
  private var segment = 0
  private let bytes: [UInt8]

  init(path: String) throws {
    bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    read(0..<bytes.count)
  }

  private mutating func read(_ range: Range<Int>) {
    var place = range.lowerBound
    while place < range.upperBound {
      let start = place
      let id = number(at: &place, keepsMarker: true)
      let size = number(at: &place, keepsMarker: false)
      let body = place..<min(place + size, range.upperBound)
      switch id {
      case 0x1853_8067:
        segment = body.lowerBound
        read(body)
      case 0x1F43_B675:
        clusters.append(Cluster(position: start - segment))
        read(body)
      case 0xE7: clusters[clusters.count - 1].time = integer(body)
      case 0x1C53_BB6B, 0xA0, 0xB7: read(body)
      case 0xBB:
        cues.append((0, 0))
        read(body)
      case 0xB3: cues[cues.count - 1].time = integer(body)
      case 0xF1: cues[cues.count - 1].position = integer(body)
      case 0xA3, 0xA1:
        var place = body.lowerBound
        let track = number(at: &place, keepsMarker: false)
        let offset = Int(Int16(bitPattern: UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])))
        // A block in a group that refers to others is not a keyframe. No block here refers to others.
        clusters[clusters.count - 1].blocks.append(
          Block(track: track, offset: offset, isKey: id == 0xA1 || bytes[place + 2] & 0x80 != 0))
      default: break
      }
      place = body.upperBound
    }
  }

  private func number(at place: inout Int, keepsMarker: Bool) -> Int {
    let first = bytes[place]
    let length = first.leadingZeroBitCount + 1
    var value = keepsMarker ? Int(first) : Int(first) & (0xFF >> length)
    for byte in bytes[(place + 1)..<(place + length)] { value = value << 8 | Int(byte) }
    place += length
    return value
  }

  private func integer(_ range: Range<Int>) -> Int {
    bytes[range].reduce(0) { $0 << 8 | Int($1) }
  }
}
