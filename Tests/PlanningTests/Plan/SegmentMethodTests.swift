import Planning
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct SegmentMethodTests {
  @Test func `the parts of a copied timeline say why they are not copied`() throws {
    let clips = ["a": try Copied.clip(), "b": try Copied.clip()]
    let sequence =
      #"{"clip": "a", "in": "1/5"}, {"transition": "dissolve", "duration": 1}, {"clip": "b"}"#
    // a's first keyframe after its frame 5 is its frame 25, at 1 s.
    let methods = try #require(try Copied.plan(clips, sequence).methods)
    #expect(methods.map(\.kind) == [.keyframe, .copied, .blended, .copied])
    #expect(methods[0] == .encoded(beforeKeyframeAt: RationalTime(1)))
    let encoded = try Copied.plan(clips, export: #"{"preset": "highestQuality"}"#, sequence)
    #expect(Set(encoded.methods ?? []) == [SegmentMethod(.preset)])
    #expect(encoded.methods?.count == encoded.segments.count)
  }

  @Test func `a seam's frames are counted by each of their reasons`() throws {
    let clips = ["a": try Copied.clip(), "b": try Copied.clip()]
    let sequence = #"{"clip": "a"}, {"transition": "dissolve", "duration": "2/5"}, {"clip": "b"}"#
    let plan = try Copied.plan(clips, sequence)
    let number = try #require(plan.segments.firstIndex { $0.copy == nil })
    let method = try #require(plan.methods?[number])
    var counts: [SegmentMethod.Kind: Int] = [:]
    method.count(plan.segments[number].frameCount, in: &counts)
    // b's first keyframe after the ten frames of the dissolve is its frame 25.
    #expect(counts[.blended] == 10)
    #expect(counts[.keyframe] == 15)
    #expect(method.kind == .keyframe && method.others[.blended] == 10)
    #expect(SegmentMethod(rawValue: method.rawValue) == method)
  }

  @Test func `only a copied segment has no reason`() {
    for kind in SegmentMethod.Kind.allCases {
      #expect((SegmentMethod(kind).reason == nil) == (kind == .copied))
    }
  }

  @Test(arguments: [
    (RationalTime(0), "00:00:00"), (try? RationalTime(36, 5), "00:00:07.2"),
    (try? RationalTime(10_961_001, 3000), "01:00:53.667"),
  ])
  func `the reason names the time of the next keyframe in the clip`(
    time: RationalTime?, shown: String
  ) throws {
    let method = SegmentMethod.encoded(beforeKeyframeAt: try #require(time))
    #expect(method.reason == "the clip has no keyframe before \(shown)")
    #expect(SegmentMethod(rawValue: method.rawValue) == method)
  }

  @Test func `each obstacle to continuing a format is a reason of its own`() {
    let renamed: [FormatObstacle: SegmentMethod.Kind] = [
      .codec: .foreignCodec, .size: .projectSize, .rate: .projectRate,
      .interlaced: .interlacedFootage,
    ]
    let kinds = FormatObstacle.allCases.map { SegmentMethod.Kind($0) }
    #expect(Set(kinds).count == kinds.count)
    for (obstacle, kind) in zip(FormatObstacle.allCases, kinds) {
      #expect(kind == renamed[obstacle] || kind.rawValue == obstacle.rawValue)
      #expect(renamed[obstacle] == nil || kind.rawValue != obstacle.rawValue)
    }
  }

  @Test(arguments: [
    "", "unknown", "keyframe x", "keyframe 1/0", "blended,", "blended,size", "blended,size 0",
    "blended,size x", "blended,blended 2", "blended,size 1,size 2", "blended,unknown 2",
  ])
  func `text that is not a method is refused`(text: String) {
    #expect(SegmentMethod(rawValue: text) == nil)
  }

  @Test func `the methods of earlier versions keep their numbers`() {
    #expect(
      SegmentMethod.Kind.allCases.prefix(9)
        == [.copied, .preset, .blended, .layers, .altered, .empty, .still, .format, .cut])
  }
}
