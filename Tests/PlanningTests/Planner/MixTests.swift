import Planning
import ProjectFormat
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct MixTests {
  private func clip(_ path: String, _ duration: RationalTime) -> SequenceItem {
    .clip(SequenceClip(path: path, duration: duration))
  }

  @Test func `a project without sound has no mix`() throws {
    let index = try MediaIndex.clip(seconds: RationalTime(4), hasAudio: false)
    let plan = try Planned.plan(ClipSequence(items: [clip("a", RationalTime(2))]), ["a": index])
    #expect(plan.mix == nil)
  }

  @Test func `inputs are placed at exact samples`() throws {
    let index = try MediaIndex.clip(seconds: RationalTime(4), start: RationalTime(3, 2))
    let sequence = ClipSequence(items: [
      .clip(
        SequenceClip(path: "a", inPoint: try RationalTime(1, 7), outPoint: RationalTime(2))),
      clip("a", RationalTime(1)),
    ])
    let mix = try #require(try Planned.plan(sequence, ["a": index]).mix)
    #expect(mix.sources.map(\.start) == [try RationalTime(3, 2)])
    // 1/7 s is sample 6857.14; 2 − 1/7 s is sample 89142.86.
    #expect(mix.inputs.map(\.sourceSample) == [6857, 0])
    #expect(mix.inputs.map(\.targetSample) == [0, 89143])
    #expect(mix.inputs.map(\.sampleCount) == [89143, 48000])
    // 2.857 s are 71.4 frames of 1/25 s: 72 frames, 2.88 s.
    #expect(mix.sampleCount == 138_240)
  }

  @Test(arguments: 0..<40)
  func `consecutive cuts leave neither gap nor overlap`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let indexes = ["a": try MediaIndex.clip(seconds: RationalTime(100))]
    let items = try (0..<20).map { _ in
      clip("a", try RationalTime(.random(in: 200...20_000, using: &random), 7919))
    }
    let rate = [44_100, 48_000, 8_000].randomElement(using: &random) ?? 48_000
    var sequence = ClipSequence(items: items)
    sequence.export.audio.sampleRate = rate
    let plan = try Planned.plan(sequence, indexes)
    let mix = try #require(plan.mix)
    var next: Int64 = 0
    for input in mix.inputs.sorted(by: { $0.targetSample < $1.targetSample }) {
      #expect(input.targetSample == next)
      next = input.targetSample + input.sampleCount
    }
    let duration = try plan.frameDuration * Int64(plan.frameCount)
    let exact = try duration.ticks(of: RationalTime(1, Int64(rate)), rounding: .nearest)
    #expect(mix.sampleCount == exact)
  }

  @Test func `a loop plays the same samples each time, without gap or overlap`() throws {
    var song = MediaIndex.sound(seconds: RationalTime(2))
    song.audio[0].end = 2
    // From 1/7 s to 8/9 s are 35809.5 samples; the music begins between two samples.
    let music = MusicClip(
      path: "song", start: try RationalTime(1, 13), inPoint: try RationalTime(1, 7),
      outPoint: try RationalTime(8, 9), loops: true)
    let index = try MediaIndex.clip(seconds: RationalTime(10), hasAudio: false)
    let sequence = ClipSequence(items: [clip("a", RationalTime(10))], music: [music])
    let mix = try #require(try Planned.plan(sequence, ["a": index, "song": song]).mix)
    #expect(mix.inputs.count == 14)
    var next: Int64 = 3692
    for input in mix.inputs {
      #expect(input.sourceSample == 6857)
      #expect(input.targetSample == next)
      next += input.sampleCount
    }
    #expect(Set(mix.inputs.dropLast().map(\.sampleCount)) == [35_809])
    #expect(next == mix.sampleCount)
  }

  @Test func `no input extends past the end of the mix`() throws {
    // Three frames of 24000/1001 are not a whole number of samples.
    let index = try MediaIndex.clip(seconds: RationalTime(4), rate: RationalTime(24000, 1001))
    let sequence = ClipSequence(items: [clip("a", try RationalTime(3003, 24000))])
    let mix = try #require(try Planned.plan(sequence, ["a": index]).mix)
    #expect(mix.sampleCount == 6006)
    #expect(mix.inputs.map(\.sampleCount) == [6006])
  }

  @Test func `a sample just before its segment has the segment's volume`() throws {
    // The first dissolve begins at 4/3 − 1/11 s, which is sample 59636.36: the incoming clip begins on 59636.
    let index = try MediaIndex.clip(seconds: RationalTime(10))
    let sequence = ClipSequence(items: [
      clip("a", try RationalTime(4, 3)),
      .transition(SequenceTransition(kind: .dissolve, duration: try RationalTime(1, 11))),
      clip("a", try RationalTime(5, 7)),
      .transition(SequenceTransition(kind: .dissolve, duration: try RationalTime(1, 7))),
      clip("a", RationalTime(1)),
    ])
    let mix = try #require(try Planned.plan(sequence, ["a": index]).mix)
    for input in mix.inputs {
      let first = try RationalTime(input.targetSample, 48_000)
      let isFadedIn = input.targetSample > 0
      let volume = try #require(input.volume.value(at: first) ?? (isFadedIn ? nil : 1))
      #expect(volume < 0.001 || !isFadedIn)
    }
  }
}
