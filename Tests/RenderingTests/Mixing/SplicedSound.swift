import Foundation
import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

/// A mix whose sound is spliced, and the same mix encoded as a whole.
struct SplicedSound {
  /// The length of a packet in samples.
  static let length = 1024

  let description: MixDescription
  let spliced: SoundSplicer.Spliced
  let path: String
  /// The mix before it is encoded, the spliced sound and the wholly encoded sound, per channel.
  let mix: [[Float]]
  let heard: [[Float]]
  let encoded: [[Float]]

  init(_ mix: TestMix, in folder: TemporaryDirectory) throws {
    description = mix.description
    path = folder.path("spliced.mp4")
    let splicer = try #require(
      try SoundSplicer(description) { try FileByteSource(path: $0.name) })
    spliced = try #require(try splicer.splice(to: path))
    self.mix = try mix.samples()
    heard = try PCM.read(path, channels: description.settings.channels)
    var plain = description
    plain.copiedParts = nil
    let whole = folder.path("encoded.mp4")
    try AudioMixer(mix: plain) { try FileByteSource(path: $0.name) }.mix(to: whole)
    encoded = try PCM.read(whole, channels: description.settings.channels)
  }

  /// A packet: its first sample, and a hash of its bytes without ADTS header.
  struct Packet: Hashable {
    let start: Int64
    let hash: String
  }

  /// The packets of a file's first audio stream.
  static func packets(of path: String) throws -> [Packet] {
    let text = String(
      decoding: try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-i", path, "-map", "0:a:0", "-c", "copy", "-bsf:a", "aac_adtstoasc", "-f",
          "framehash", "-hash", "md5", "-",
        ]), as: UTF8.self)
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
      let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      guard fields.count >= 6, let start = Int64(fields[2]) else { return nil }
      return Packet(start: start, hash: fields[5])
    }
  }

  /// The first samples of the packets whose bytes are those of the source's packet at another place.
  ///
  /// - Parameter shifts: the differences between a sample's place in the file and in the source.
  func copiedPackets(of source: String, shifts: [Int64]) throws -> [Int64] {
    let originals = Set(try Self.packets(of: source))
    return try Self.packets(of: path).filter { packet in
      shifts.contains { originals.contains(Packet(start: packet.start - $0, hash: packet.hash)) }
    }.map(\.start)
  }

  /// The sum of squared differences from the mix in a range of samples, and the greatest difference.
  private func error(of sound: [[Float]], in range: Range<Int>) -> (sum: Float, peak: Float) {
    var (sum, peak) = (Float(0), Float(0))
    for (samples, exact) in zip(sound, mix) {
      for place in range {
        let difference = abs(samples[place] - exact[place])
        sum += difference * difference
        peak = max(peak, difference)
      }
    }
    return (sum, peak)
  }

  /// Checks the length, that the error at seams is not greater than that of ordinary encoding nearby, and returns the
  /// places of seams: the first packet after each change between copied and encoded ones.
  @discardableResult
  func check(copied: [Int64], sourceLocation: SourceLocation = #_sourceLocation) throws -> [Int] {
    let count = Int(description.sampleCount)
    let times = try Self.packets(of: path).map(\.start)
    #expect(
      zip(times, times.dropFirst()).allSatisfy { $1 - $0 == Int64(Self.length) },
      sourceLocation: sourceLocation)
    #expect(heard.allSatisfy { $0.count >= count }, sourceLocation: sourceLocation)
    let length = try Tool.run(
      "ffprobe",
      ["-v", "error", "-show_entries", "stream=duration_ts", "-of", "csv=p=0", path])
    #expect(
      String(decoding: length, as: UTF8.self).hasPrefix("\(count)"),
      sourceLocation: sourceLocation)
    let isCopied = Set(copied)
    let seams = zip(times, times.dropFirst()).filter {
      isCopied.contains($0) != isCopied.contains($1)
    }.map { Int($1) }
    for seam in seams where seam >= 0 && seam + Self.length <= count {
      let own = error(of: heard, in: seam..<seam + Self.length)
      // The packets of both encodings are at different places, and the error varies from one to the next.
      let ordinary = (-12...12).map { seam + $0 * Self.length }
        .filter { $0 >= 0 && $0 + Self.length <= count }
        .map { error(of: encoded, in: $0..<$0 + Self.length) }
      // Substituted noise of the source, which decoders make anew each time; otherwise 0.
      let noise = (-12...12).map { Int64(seam + $0 * Self.length) }
        .filter { $0 >= 0 && isCopied.contains($0) && isCopied.contains($0 - Int64(Self.length)) }
        .map { error(of: heard, in: Int($0)..<min(Int($0) + Self.length, count)) }
      let sum = (ordinary.map(\.sum).max() ?? 0) + (noise.map(\.sum).max() ?? 0)
      let peak = (ordinary.map(\.peak).max() ?? 0) + (noise.map(\.peak).max() ?? 0)
      #expect(own.sum <= sum + 1e-6, "at \(seam)", sourceLocation: sourceLocation)
      #expect(own.peak <= peak + 1e-4, "at \(seam)", sourceLocation: sourceLocation)
    }
    return seams
  }
}
