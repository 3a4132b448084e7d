import Crypto
import Foundation
import Planning
import ProjectFormat
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct ContentKeyTests {
  /// The segments of a dissolve and its neighbors, after a lead of whole frames.
  private func segments(lead: Int64, renamed: Bool = false) throws -> [SegmentDescription] {
    let index = try MediaIndex.clip(seconds: RationalTime(8))
    let names = renamed ? ["a", "y", "z"] : ["a", "b", "c"]
    let sequence = ClipSequence(items: [
      .clip(SequenceClip(path: names[0], duration: try RationalTime(lead, 25))),
      .clip(SequenceClip(path: names[1], duration: RationalTime(4))),
      .transition(SequenceTransition(kind: .push, duration: RationalTime(1))),
      .clip(SequenceClip(path: names[2], duration: RationalTime(4))),
    ])
    let indexes = Dictionary(uniqueKeysWithValues: names.map { ($0, index) })
    let plan = try Planned.plan(sequence, indexes, options: PlanOptions(targetFrames: 30))
    return Array(plan.segments.drop { $0.first < lead })
  }

  @Test func `a segment that moved keeps its key`() throws {
    let keys = try [50, 53].map { lead in
      try segments(lead: lead).map { try $0.contentKey(fingerprint: "x") }
    }
    #expect(keys[0] == keys[1])
    #expect(Set(keys[0]).count == keys[0].count)
  }

  @Test func `the names of assets do not affect the key`() throws {
    let keys = try [false, true].map { renamed in
      try segments(lead: 50, renamed: renamed).map { try $0.contentKey(fingerprint: "x") }
    }
    #expect(keys[0] == keys[1])
  }

  @Test func `the fingerprint and everything visible affect the key`() throws {
    let segment = try #require(try segments(lead: 50).first { $0.slices[0].layers.count == 2 })
    let key = try segment.contentKey(fingerprint: "x")
    var changed = Array(repeating: segment, count: 7)
    changed[0].video.crf = 21
    changed[1].renderSize.width += 2
    changed[2].slices[0].backgroundColor.red = 1
    changed[3].slices[0].layers[0].frames[0].time += 1
    changed[4].slices[0].layers.swapAt(0, 1)
    changed[5].sources[0].asset = try Planned.digest(99)
    changed[6].slices[0].layers[0].opacity = Ramps([.step(at: RationalTime(5), value: 0.5)])
    var keys = try Set(changed.map { try $0.contentKey(fingerprint: "x") })
    #expect(keys.count == 7)
    #expect(keys.insert(key).inserted)
    #expect(keys.insert(try segment.contentKey(fingerprint: "y")).inserted)
  }

  @Test func `the curve of a ramp affects the key`() throws {
    let segment = try #require(try segments(lead: 50).first { $0.slices[0].layers.count == 2 })
    let range = try TimeRange(start: RationalTime(4), duration: RationalTime(1))
    let keys = try [TimingFunction.linear, .easeIn, .easeOut].map { timing in
      var changed = segment
      changed.slices[0].layers[0].opacity = Ramps([
        .ramp(timeRange: range, from: 1, to: 0, timingFunction: timing)
      ])
      return try changed.contentKey(fingerprint: "x")
    }
    #expect(Set(keys).count == 3)
  }

  @Test func `a plan has the same hash after decoding`() throws {
    let index = try MediaIndex.clip(seconds: RationalTime(8))
    let items = [SequenceItem.clip(SequenceClip(path: "a"))]
    let plan = try Planned.plan(ClipSequence(items: items), ["a": index])
    let decoded = try JSONDecoder().decode(Plan.self, from: JSONEncoder().encode(plan))
    #expect(decoded == plan)
    #expect(try decoded.hash() == plan.hash())
  }

  @Test func `a clean aperture changes the plan, but not its chunks`() throws {
    let index = try MediaIndex.clip(seconds: RationalTime(8))
    let plans = try [nil, 1080, 1079].map { (height: Int64?) in
      var export = ExportSettings()
      export.video.cleanAperture = height.map {
        VideoSettings.CleanAperture(width: RationalTime(1440), height: RationalTime($0))
      }
      let items = [SequenceItem.clip(SequenceClip(path: "a"))]
      return try Planned.plan(ClipSequence(items: items, export: export), ["a": index])
    }
    let keys = try plans.map { try $0.segments.map { try $0.contentKey(fingerprint: "x") } }
    #expect(!keys[0].isEmpty)
    #expect(Set(keys).count == 1)
    #expect(Set(try plans.map { try $0.hash() }).count == 3)
  }

  @Test func `a longer segment is expected to cost more`() throws {
    let segments = try segments(lead: 50)
    let transition = try #require(segments.first { $0.slices[0].layers.count == 2 })
    let alone = try #require(segments.first { $0.slices[0].layers.count == 1 })
    #expect(
      transition.expectedCost / Int64(transition.frameCount) > alone.expectedCost
        / Int64(alone.frameCount))
    let index = try MediaIndex.clip(seconds: RationalTime(8))
    let costs = try [40, 80].map { target in
      try Planned.plan(
        ClipSequence(items: [.clip(SequenceClip(path: "a"))]), ["a": index],
        options: PlanOptions(targetFrames: target)
      ).segments[0].expectedCost
    }
    #expect(costs[0] < costs[1])
  }
}
