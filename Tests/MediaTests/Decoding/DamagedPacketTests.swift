import Foundation
import Media
import Support
import Testing
import Timeline

/// A byte that changes within a packet, in each kind of media in which damage can hide.
@Suite(.mayBlock) struct DamagedPacketTests {
  /// The encoding of a clip.
  struct Coding: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let options: [String]
    var file = "mkv"
    var isSound = false
    /// Whether the stream carries checksums, so that every change is detected.
    var hasChecksum = false
  }

  private static func picture(
    _ name: String, _ options: String, file: String = "mkv", hasChecksum: Bool = false
  ) -> Coding {
    Coding(
      testDescription: name, options: options.split(separator: " ").map(String.init), file: file,
      hasChecksum: hasChecksum)
  }

  private static func sound(
    _ name: String, _ options: String, file: String, hasChecksum: Bool = false
  ) -> Coding {
    Coding(
      testDescription: name, options: options.split(separator: " ").map(String.init), file: file,
      isSound: true, hasChecksum: hasChecksum)
  }

  private static let codings = [
    picture("H.264", "-c:v libx264 -pix_fmt yuv420p"),
    picture("H.265", "-c:v libx265 -x265-params log-level=none:pools=none -pix_fmt yuv420p"),
    picture(
      "H.265 with picture hashes",
      "-c:v libx265 -x265-params log-level=none:pools=none:hash=1 -pix_fmt yuv420p",
      hasChecksum: true),
    picture("MPEG-2", "-c:v mpeg2video -b:v 2M -pix_fmt yuv420p"),
    picture("VP9", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -pix_fmt yuv420p"),
    picture("AV1", "-c:v libsvtav1 -preset 12 -svtav1-params lp=1 -pix_fmt yuv420p"),
    picture("ProRes", "-c:v prores_ks -profile:v 2 -pix_fmt yuv422p10le", file: "mov"),
    picture("Motion JPEG", "-c:v mjpeg -q:v 3 -pix_fmt yuvj420p"),
    picture("PNG", "-c:v png -pix_fmt rgb24", hasChecksum: true),
    picture("FFV1", "-c:v ffv1 -level 3 -slicecrc 1 -pix_fmt yuv420p", hasChecksum: true),
    sound("MP3", "-c:a libmp3lame", file: "mp4"),
    sound("Opus", "-c:a libopus", file: "mp4"),
    sound("AAC", "-c:a aac", file: "mp4"),
    sound("AC-3", "-c:a ac3", file: "mp4", hasChecksum: true),
    sound("E-AC-3", "-c:a eac3", file: "mp4", hasChecksum: true),
    sound("FLAC", "-c:a flac", file: "mkv", hasChecksum: true),
  ]

  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func write(_ coding: Coding) throws -> String {
    let path = folder.path("whole.\(coding.file)")
    let source =
      coding.isSound
      ? "anoisesrc=d=1.5:c=pink:r=48000:a=0.5:seed=3" : "testsrc2=s=320x192:r=25:d=0.8"
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-y", "-f", "lavfi", "-i", source, "-threads", "1"] + coding.options
        + ["-strict", "-2", "-bitexact", path])
    return path
  }

  /// Decodes the only stream of a file as a job that does not conceal damage does, and returns all its pictures or
  /// samples.
  private func decode(_ path: String, _ coding: Coding) throws -> Data {
    let source = try FileByteSource(path: path)
    let index = try MediaProber.index(of: source, named: "clip")
    guard coding.isSound else {
      let stream = try #require(index.video.first)
      let reader = try FrameReader(
        source: source, named: "clip", stream: stream, deinterlaces: false)
      return try stream.frames.times.reduce(into: Data()) { bytes, time in
        bytes += try Self.bytes(of: reader.frame(at: time))
      }
    }
    let stream = try #require(index.audio.first)
    let reader = try AudioReader(
      source: source, named: "clip", stream: stream, origin: index.start,
      rate: stream.sampleRate, channels: 1)
    let samples = try reader.read(from: 0, count: stream.sampleRate * 3 / 2)[0]
    return samples.withUnsafeBytes { Data($0) }
  }

  private static func bytes(of frame: Frame) -> Data {
    frame.withUnsafePlanes { planes in
      planes.reduce(into: Data()) { bytes, plane in
        let packed = frame.pixelFormat.isRGB ? 3 : 1
        let count = plane.width * packed * (frame.pixelFormat.bitDepth > 8 ? 2 : 1)
        for row in 0..<plane.height {
          bytes.append(
            UnsafeBufferPointer(start: plane.base + row * plane.stride, count: count))
        }
      }
    }
  }

  /// The frames that ffmpeg decodes from a file, and its error messages.
  private func decodeByFFmpeg(_ path: String, _ coding: Coding) throws -> (
    bytes: Data, complaints: String
  ) {
    let raw = folder.path("raw")
    let format =
      coding.isSound
      ? ["-f", "f32le"] : ["-fps_mode", "passthrough", "-f", "rawvideo"]
    let complaints = try Tool.output(
      of: "ffmpeg",
      ["-v", "error", "-y", "-threads", "1", "-err_detect", "crccheck", "-i", path] + format
        + [raw]
    ).standardError
    return (try Data(contentsOf: URL(fileURLWithPath: raw)), complaints)
  }

  @Test(arguments: codings)
  func `a changed byte in a packet is an error that names the file, or decodes as in ffmpeg`(
    _ coding: Coding
  ) throws {
    let whole = try write(coding)
    let sound = try decode(whole, coding)
    #expect(!sound.isEmpty)
    let packets = try PacketPlaces.of(whole).filter { $0.size >= 16 }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: whole))
    var failures = 0
    let step = max(packets.count / 6, 1)
    let chosen = Array(stride(from: min(2, packets.count - 1), to: packets.count, by: step))
    for (turn, number) in chosen.enumerated() {
      let (position, size) = packets[number]
      var changed = bytes
      changed[position + size / 2] ^= 1 << UInt8(turn % 8)
      let path = folder.path("changed.\(coding.file)")
      try changed.write(to: URL(fileURLWithPath: path))
      do {
        let decoded = try decode(path, coding)
        #expect(!coding.hasChecksum, "packet \(number) of \(packets.count) has a checksum")
        let (expected, complaints) = try decodeByFFmpeg(path, coding)
        #expect(complaints.isEmpty, "packet \(number)")
        if coding.isSound {
          #expect(Self.isClose(decoded, expected), "packet \(number)")
        } else {
          #expect(decoded == expected, "packet \(number)")
        }
      } catch let error as MediaError {
        failures += 1
        #expect(error.subject == "clip")
        #expect(
          [.frameDamaged, .frameMissing, .soundDamaged, .damaged].contains(error.code), "\(error)")
      }
    }
    if coding.hasChecksum { #expect(failures == chosen.count) }
  }

  @Test func `sound whose checksum fails is silent if damage is concealed`() throws {
    let coding = Self.sound("FLAC", "-c:a flac", file: "mkv", hasChecksum: true)
    let path = try write(coding)
    let whole = try decode(path, coding)
    let packet = try PacketPlaces.of(path)[5]
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[packet.position + packet.size / 2] ^= 4
    try bytes.write(to: URL(fileURLWithPath: path))
    let source = try FileByteSource(path: path)
    let index = try MediaProber.index(of: source, named: "clip")
    var noted: [Range<Int64>] = []
    let reader = try AudioReader(
      source: source, named: "clip", stream: try #require(index.audio.first), origin: index.start,
      rate: 48_000, channels: 1, onDamage: .conceal
    ) { noted.append($0) }
    let samples = try reader.read(from: 0, count: 72_000)[0]
    let silent = samples.indices.filter { samples[$0] == 0 }
    let original = whole.withUnsafeBytes { buffer in
      (0..<buffer.count / 4).map { buffer.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
    }
    // The packet's 4608 samples and no others.
    #expect(noted.contains { $0.contains(5 * 4608 + 2000) })
    #expect((5 * 4608 + 100..<6 * 4608 - 100).allSatisfy { samples[$0] == 0 })
    #expect(silent.count < 4608 + 500)
    #expect(samples[..<20_000].elementsEqual(original[..<20_000]))
    #expect(samples[30_000...].elementsEqual(original[30_000...]))
  }

  /// Whether samples are equal except for rounding, over the shorter length.
  private static func isClose(_ one: Data, _ other: Data) -> Bool {
    func samples(_ data: Data) -> [Float] {
      data.withUnsafeBytes { buffer in
        (0..<buffer.count / 4).map { buffer.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
      }
    }
    let (first, second) = (samples(one), samples(other))
    guard min(first.count, second.count) > 60_000 else { return false }
    return zip(first, second).allSatisfy { ($0 - $1).magnitude < 1e-4 }
  }
}
