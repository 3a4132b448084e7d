import Recording
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct GroupCollectorTests {
  private typealias Sample = RecordedSample<String>

  /// A picture: `K` is a keyframe, `!` is damaged, `~` follows a loss; the number is its presentation time in frames.
  private func picture(_ name: String) throws -> Sample {
    let time = Int64(name.filter(\.isNumber)) ?? 0
    return Sample(
      track: 0,
      facts: SampleFacts(
        presentationTime: try RationalTime(time, 25), decodingTime: try RationalTime(time, 25),
        duration: try RationalTime(1, 25), isSync: name.hasPrefix("K"),
        isDamaged: name.contains("!"), followsLoss: name.contains("~"), byteCount: 100),
      content: name)
  }

  private func sound(_ time: Int64) throws -> Sample {
    Sample(
      track: 1,
      facts: SampleFacts(
        presentationTime: try RationalTime(time, 25), decodingTime: try RationalTime(time, 25),
        duration: try RationalTime(1, 25), isSync: true, byteCount: 10), content: "a\(time)")
  }

  private func names(_ group: SampleGroup<String>?) -> [String]? {
    group?.samples.map(\.content)
  }

  @Test func `a keyframe ends the group before it`() throws {
    var collector = GroupCollector<String>(leadingTrack: 0, leadsWithVideo: true)
    for sample in [try picture("K0"), try sound(0), try picture("p1")] {
      #expect(collector.add(sample) == nil)
    }
    let group = collector.add(try picture("K2"))
    #expect(names(group) == ["K0", "a0", "p1"])
    #expect(group?.beginsWithKeyframe == true)
    #expect(group?.byteCount == 210)
    #expect(names(collector.finish()) == ["K2"])
    #expect(collector.finish() == nil)
  }

  @Test func `a damaged picture and the rest of its group are left out`() throws {
    var collector = GroupCollector<String>(leadingTrack: 0, leadsWithVideo: true)
    for name in ["K0", "p1", "p2!", "p3"] { _ = collector.add(try picture(name)) }
    _ = collector.add(try sound(3))
    let group = collector.add(try picture("K6"))
    #expect(names(group) == ["K0", "p1", "a3"])
    #expect(group?.isUsable == true)
    // Pictures before this keyframe may depend on those that are left out.
    for name in ["b4", "b5", "p7"] { _ = collector.add(try picture(name)) }
    let next = collector.finish()
    #expect(names(next) == ["K6", "p7"])
    #expect(next?.followsDrop == true)
    #expect(collector.leftOut == 4)
  }

  @Test func `pictures that were lost on the way end a group, unless a keyframe follows`() throws {
    var collector = GroupCollector<String>(leadingTrack: 0, leadsWithVideo: true)
    for name in ["K0", "p1", "p4~", "p5"] { _ = collector.add(try picture(name)) }
    #expect(names(collector.add(try picture("K6"))) == ["K0", "p1"])
    _ = collector.add(try picture("p7"))
    let group = collector.add(try picture("K12~"))
    #expect(names(group) == ["K6", "p7"])
    let last = collector.finish()
    #expect(names(last) == ["K12~"])
    #expect(last?.followsDrop == true)
  }

  @Test func `pictures that are presented before the first keyframe after a drop are left out`()
    throws
  {
    var collector = GroupCollector<String>(leadingTrack: 0, leadsWithVideo: true)
    for name in ["K3", "b1", "b2", "p4"] { _ = collector.add(try picture(name)) }
    #expect(names(collector.add(try picture("K8"))) == ["K3", "p4"])
    // The group before K8 is complete, so its leading pictures can be decoded.
    for name in ["b6", "b7"] { _ = collector.add(try picture(name)) }
    #expect(names(collector.add(try picture("K12"))) == ["K8", "b6", "b7"])
    collector.noteDrop()
    for name in ["b10", "p13"] { _ = collector.add(try picture(name)) }
    let last = collector.finish()
    #expect(names(last) == ["K12", "p13"])
    #expect(last?.followsDrop == true)
    #expect(collector.leftOut == 3)
  }

  @Test func `a group that is too large is divided, and its pieces are dropped together`() throws {
    var collector = GroupCollector<String>(leadingTrack: 0, leadsWithVideo: true, byteLimit: 150)
    #expect(collector.add(try picture("K0")) == nil)
    #expect(collector.add(try picture("p1")) == nil)
    #expect(names(collector.add(try picture("p2"))) == ["K0", "p1"])
    collector.noteDrop()
    #expect(collector.add(try picture("p3")) == nil)
    let rest = collector.add(try picture("K4"))
    #expect(names(rest) == ["p2", "p3"])
    #expect(rest?.isUsable == false)
  }

  @Test func `sound alone is collected by time`() throws {
    var collector = GroupCollector<String>(leadingTrack: 1, leadsWithVideo: false)
    var lengths: [Int] = []
    for time in 0..<75 as Range<Int64> {
      if let group = collector.add(try sound(time)) { lengths.append(group.samples.count) }
    }
    #expect(lengths == [25, 25])
    #expect(collector.finish()?.samples.count == 25)
  }
}
