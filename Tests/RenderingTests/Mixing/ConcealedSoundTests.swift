import Foundation
import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

/// Mixes of sound with damage in several places.
@Suite(.mayBlock) struct ConcealedSoundTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// A mix of a file in which three packets that are far apart do not match their checksums.
  ///
  /// - Parameter start: the file's first time, in seconds.
  private func damagedMix(start: Int = 0) throws -> MixDescription {
    let path = folder.path("sound.mkv")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "anoisesrc=d=1.5:c=pink:r=48000:a=0.5:seed=3",
        "-threads", "1", "-c:a", "flac", "-bitexact", "-output_ts_offset", "\(start)", path,
      ])
    let packets = try PacketPlaces.of(path)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for number in [2, 6, 10] {
      let (position, size) = packets[number]
      bytes[position + size / 2] ^= 4
    }
    try bytes.write(to: URL(fileURLWithPath: path))
    var mix = try TestMix(path: path, sampleCount: 72_000)
    mix.description.onDamage = .conceal
    return mix.description
  }

  private func mixer(_ mix: MixDescription, limit: Int) throws -> AudioMixer {
    try AudioMixer(mix: mix, concealmentLimit: limit) { try FileByteSource(path: $0.name) }
  }

  @Test func `each damaged part of the sound is listed once, however often it is read`() throws {
    let mixer = try mixer(damagedMix(), limit: 3)
    var count = 0
    for _ in 0..<2 { try mixer.forEachBlock { count += $0[0].count } }
    #expect(count == 144_000)
    #expect(mixer.concealments.count == 3)
    let times = mixer.concealments.map(\.time)
    #expect(times == times.sorted())
    #expect(mixer.concealments.allSatisfy { $0.frames == nil && $0.duration != nil })
  }

  @Test func `times of concealed sound count from the file's first instant`() throws {
    let times = try [0, 10].map { start -> [RationalTime] in
      let mix = try damagedMix(start: start)
      #expect(mix.sources[0].start >= RationalTime(Int64(start)))
      let sound = try mixer(mix, limit: 3)
      try sound.forEachBlock { _ in }
      return sound.concealments.map(\.time)
    }
    #expect(times[0].count == 3)
    #expect(times[1] == times[0])
  }

  @Test func `sound that conceals more parts than a job can list fails, and names the files`()
    throws
  {
    let mix = try damagedMix()
    let error = try #require(throws: RenderingError.self) {
      try mixer(mix, limit: 2).forEachBlock { _ in }
    }
    #expect(error.code == .tooManyConcealments)
    #expect(error.message.contains("conceal more than 2 separate parts of damaged media"))
    #expect(error.message.hasSuffix("repair or replace the media: \(folder.path("sound.mkv"))"))
  }
}
