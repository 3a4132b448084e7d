import Crypto
import Media
import Planning
import ProjectFormat
import Rendering
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct MusicLoopTests {
  @Test func `a loop repeats to the sample`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("bed.wav")
    // The value of each sample identifies it.
    let bed = (0..<10_007).map { Float($0 + 1) / 32_768 }
    try PCM.write([bed], sampleRate: 48_000, to: path)
    let sound = try MediaProber.index(of: try FileByteSource(path: path), named: path)
    let video = try MediaIndex.clip(seconds: RationalTime(2), hasAudio: false)
    var sequence = ClipSequence(
      items: [.clip(SequenceClip(path: "a"))],
      music: [MusicClip(path: path, start: try RationalTime(1, 48_000), loops: true)])
    sequence.export.audio.channels = 1
    let indexes = ["a": video, path: sound]
    let digest = try #require(Digest(bytes: [UInt8](repeating: 7, count: Digest.byteCount)))
    let plan = try Planner.plan(
      sequence.expanded(indexes: indexes), indexes: indexes, digests: ["a": digest, path: digest])
    let mixer = try AudioMixer(mix: try #require(plan.mix)) { try FileByteSource(path: $0.name) }
    var samples: [Float] = []
    try mixer.forEachBlock { samples += $0[0] }
    #expect(samples == [0] + (0..<95_999).map { bed[$0 % bed.count] })
  }
}
