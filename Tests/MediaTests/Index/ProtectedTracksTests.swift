import Foundation
import Media
import Support
import Testing
import Timeline

/// Encrypted streams in files other than MP4.
@Suite(.mayBlock) struct ProtectedTracksTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func clip(_ name: String, _ options: [String] = []) throws -> Data {
    let path = folder.path(name)
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=320x192:r=25:d=1", "-f", "lavfi",
        "-i", "sine=440:r=48000:d=1", "-c:v", "libx264", "-g", "12", "-pix_fmt", "yuv420p", "-c:a",
        "aac",
      ] + options + ["-bitexact", path])
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }

  private func index(_ bytes: Data, _ name: String) throws -> MediaIndex {
    let path = folder.path(name)
    try bytes.write(to: URL(fileURLWithPath: path))
    return try MediaProber.index(of: FileByteSource(path: path), named: name)
  }

  // MARK: Matroska

  /// An element with a length of 8 bytes.
  private static func element(_ id: [UInt8], _ payload: Data) -> Data {
    let length = UInt64(payload.count) | 1 << 56
    return Data(id) + withUnsafeBytes(of: length.bigEndian) { Data($0) } + payload
  }

  /// The first or last element of an id: its place and its payload's.
  private static func find(
    _ id: [UInt8], in bytes: Data, from start: Int = 0, isLast: Bool = false
  ) throws -> (whole: Range<Int>, payload: Range<Int>) {
    // The index before the elements contains their ids as well.
    let place = try #require(
      isLast
        ? bytes.range(of: Data(id), options: .backwards)?.lowerBound
        : bytes[start...].firstRange(of: id)?.lowerBound)
    let first = bytes[place + id.count]
    let width = first.leadingZeroBitCount + 1
    let field = bytes[place + id.count..<place + id.count + width]
    let length = field.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & (1 << UInt64(7 * width) - 1)
    let payload = place + id.count + width
    return (place..<payload + Int(length), payload..<payload + Int(length))
  }

  /// A file whose first track has an encoding.
  ///
  /// - Parameter others: further tracks before it.
  private func file(with encoding: Data, behind others: Data = Data()) throws -> Data {
    // Without lengths, checksums or an index, nothing else depends on the length of the tracks.
    var bytes = try clip("plain.mkv", ["-write_crc32", "0", "-live", "1"])
    let tracks = try Self.find([0x16, 0x54, 0xAE, 0x6B], in: bytes, isLast: true)
    let track = try Self.find([0xAE], in: bytes, from: tracks.payload.lowerBound)
    let encodings = Self.element([0x6D, 0x80], Self.element([0x62, 0x40], encoding))
    let changed = Self.element([0xAE], bytes[track.payload] + encodings)
    let rest = bytes[track.whole.upperBound..<tracks.whole.upperBound]
    bytes.replaceSubrange(
      tracks.whole, with: Self.element([0x16, 0x54, 0xAE, 0x6B], others + changed + rest))
    return bytes
  }

  @Test(arguments: [
    // ContentEncodingType 1, with and without a ContentEncryption that names a key.
    element([0x50, 0x33], Data([1])),
    element([0x50, 0x33], Data([1]))
      + element(
        [0x50, 0x35], element([0x47, 0xE1], Data([5])) + element([0x47, 0xE2], Data(count: 16))),
  ])
  func `encrypted tracks of Matroska are reported`(encoding: Data) throws {
    let index = try index(file(with: encoding), "encrypted.mkv")
    #expect(index.video.first?.unreadable == "is encrypted (ContentEncryption)")
    #expect(index.audio.first?.unreadable == nil)
  }

  @Test(arguments: [
    // Video without a codec, video with a codec of sound, and a type that libav does not know.
    element([0x83], Data([1])),
    element([0x83], Data([1])) + element([0x86], Data("A_OPUS".utf8)),
    element([0x83], Data([3])) + element([0x86], Data("V_VP9".utf8)),
  ])
  func `a track without a stream does not shift the index of the encrypted one`(
    track: Data
  ) throws {
    let number = Self.element([0xD7], Data([9])) + Self.element([0x73, 0xC5], Data([9]))
    let bytes = try file(
      with: Self.element([0x50, 0x33], Data([1])), behind: Self.element([0xAE], number + track))
    let index = try index(bytes, "shifted.mkv")
    #expect(index.video.map(\.unreadable) == ["is encrypted (ContentEncryption)"])
    #expect(index.audio.map(\.unreadable) == [nil])
  }

  @Test func `compressed tracks of Matroska are not encrypted`() throws {
    // Header stripping of no bytes.
    let stripping =
      Self.element([0x50, 0x33], Data([0]))
      + Self.element([0x50, 0x34], Self.element([0x42, 0x54], Data([3])))
    let index = try index(file(with: stripping), "stripped.mkv")
    #expect(index.video.first?.unreadable == nil)
    #expect(index.video.first?.frames.times.count == 25)
  }

  // MARK: MPEG-TS

  /// Marks the packets of an identifier as scrambled, and changes their payload if asked.
  private static func scramble(_ bytes: Data, id wanted: Int, payload: Bool) -> Data {
    var bytes = bytes
    for start in stride(from: 0, to: bytes.count - 187, by: 188) {
      let id = Int(bytes[start + 1] & 0x1F) << 8 | Int(bytes[start + 2])
      guard id == wanted, bytes[start + 3] & 0x10 != 0 else { continue }
      bytes[start + 3] |= 0x80
      let hasField = bytes[start + 3] & 0x20 != 0
      let first = start + 4 + (hasField ? 1 + Int(bytes[start + 4]) : 0)
      guard payload, first < start + 188 else { continue }
      for place in first..<start + 188 { bytes[place] ^= 0xA5 ^ UInt8(place & 0x7F) }
    }
    return bytes
  }

  @Test func `scrambled video in a transport stream is rejected, and the error names it`() throws {
    let bytes = Self.scramble(try clip("plain.ts"), id: 0x100, payload: true)
    let error = try #require(throws: MediaError.self) { try index(bytes, "scrambled.ts") }
    #expect(error.message.contains("is encrypted (scrambled transport packets)"), "\(error)")
    #expect(error.subject == "scrambled.ts")
  }

  @Test func `a stream with readable headers in scrambled packets is reported`() throws {
    let bytes = Self.scramble(try clip("plain.ts"), id: 0x101, payload: false)
    let index = try index(bytes, "partly.ts")
    #expect(index.video.first?.unreadable == nil)
    #expect(index.audio.first?.unreadable == "is encrypted (scrambled transport packets)")
  }
}
