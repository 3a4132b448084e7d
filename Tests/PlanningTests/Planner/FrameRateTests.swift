import Foundation
import Planning
import ProjectFormat
import Support
import Testing
import Timeline

/// The source frames that outputs at derived rates show.
@Suite(.mayBlock) struct FrameRateTests {
  /// The plan of a single whole clip.
  private func plan(_ index: MediaIndex, frameRate: RationalTime? = nil) throws -> Plan {
    try Planned.plan(
      ClipSequence(items: [.clip(SequenceClip(path: "a"))], frameRate: frameRate), ["a": index])
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `each frame of a jittering stream is shown once, wherever the clip begins`(seed: UInt64)
    throws
  {
    var random = SeededRandom(seed: seed)
    let times = (0..<600 as Range<Int64>).map {
      $0 * 3000 + .random(in: 0...2700, using: &random)
    }
    let index = MediaIndex.clip(
      times: times, end: times[599] + 3000, timeBase: try RationalTime(1, 90_000),
      duration: try RationalTime(times[599] + 3000 - times[0], 90_000),
      start: try RationalTime(times[0], 90_000))
    let place = try RationalTime(.random(in: 0...3000, using: &random), 977)
    let part = try TimeRange(start: place, duration: RationalTime(10))
    let target = try TimeRange(start: .zero, duration: RationalTime(10))
    let plan = try Planned.plan(
      index, source: part, target: target, frameDuration: RationalTime(1, 30))
    let shown = try Planned.shown(plan).map { time in
      try #require(time.flatMap { times.firstIndex(of: $0) })
    }
    #expect(shown == Array(shown[0]..<shown[0] + 300))
    #expect(plan.frameRate?.unshown == [])
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a derived rate shows every frame of a variable rate`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let shortest = Int64.random(in: 800...4000, using: &random)
    var (tick, times) = (Int64.random(in: 0...9000, using: &random), [Int64]())
    for _ in 0..<150 {
      times.append(tick)
      tick += .random(in: shortest...12_000, using: &random)
    }
    let timeBase = try RationalTime(1, 90_000)
    let index = MediaIndex.clip(
      times: times, end: tick, timeBase: timeBase, duration: try timeBase * (tick - times[0]),
      start: try timeBase * times[0])
    let plan = try plan(index)
    #expect(Set(try Planned.shown(plan)) == Set(times))
    let report = try #require(plan.frameRate)
    #expect(report.reason == .showsEveryFrame)
    #expect(report.unshown == [])
  }

  @Test func `frames that no standard rate shows are named`() throws {
    // Three within a 4500th of a second.
    let times: [Int64] = [0, 9100, 9110, 9120, 18_000]
    let index = MediaIndex.clip(
      times: times, end: 27_000, timeBase: try RationalTime(1, 90_000),
      duration: try RationalTime(27_000, 90_000))
    let plan = try plan(index)
    let report = try #require(plan.frameRate)
    #expect(report.frameRate == RationalTime(120))
    #expect(report.reason == .highestStandard)
    let shown = Set(try Planned.shown(plan))
    let missing = times.filter { !shown.contains($0) }
    #expect(missing == [9100, 9110])
    #expect(
      report.unshown == [
        FrameRateReport.UnshownFrames(
          asset: "a", count: 2, total: 5,
          times: [try RationalTime(91, 900), try RationalTime(911, 9000)])
      ])
  }

  @Test func `the frames that a project's own rate leaves out are counted`() throws {
    let index = try MediaIndex.clip(seconds: RationalTime(2), rate: RationalTime(60))
    let report = try #require(try plan(index, frameRate: RationalTime(30)).frameRate)
    #expect(report.reason == .project)
    #expect(
      report.fastest
        == FrameRateReport.Source(asset: "a", frameRate: RationalTime(60), shortestFrame: nil))
    #expect(report.unshown.map { [$0.count, $0.total, $0.times.count] } == [[60, 120, 20]])
    #expect(report.unshownAssets == nil)
  }

  @Test(arguments: [1000, 90_000] as [Int64])
  func `every frame of a whole clip is counted, whether its times are rounded or not`(
    ticks: Int64
  ) throws {
    let index = try MediaIndex.clip(
      seconds: RationalTime(36, 5), rate: RationalTime(60), timeBase: RationalTime(1, ticks))
    let report = try #require(try plan(index, frameRate: RationalTime(50)).frameRate)
    #expect(report.unshown.map { [$0.count, $0.total] } == [[72, 432]])
  }

  @Test func `a report lists 20 assets with frames that are not shown, and counts all`() throws {
    let index = try MediaIndex.clip(seconds: RationalTime(1), rate: RationalTime(60))
    let names = (0..<50).map { "\($0)\(String(repeating: "n", count: 300))" }
    let plan = try Planned.plan(
      ClipSequence(
        items: names.map { SequenceItem.clip(SequenceClip(path: $0)) },
        frameRate: RationalTime(30)),
      Dictionary(uniqueKeysWithValues: names.map { ($0, index) }))
    let report = try #require(plan.frameRate)
    #expect(report.unshown.count == 20)
    #expect(report.unshownAssets == 50)
    #expect(report.unshown.allSatisfy { $0.count == 30 && $0.total == 60 })
    #expect(Set(report.unshown.map(\.asset)).count == 20)
    for name in report.unshown.map(\.asset) + [report.fastest?.asset ?? ""] {
      #expect(name.utf8.count <= 256 && name.hasSuffix("n…"), "\(name)")
    }
    let read = try JSONDecoder().decode(
      FrameRateReport.self, from: JSONEncoder().encode(report))
    #expect(read == report)
  }

  @Test func `a long report of an earlier version is shortened when it is read`() throws {
    let name = String(repeating: "n", count: 1000)
    let entry = try JSONEncoder().encode(
      FrameRateReport.UnshownFrames(asset: "a", count: 1, total: 2, times: [RationalTime(1)]))
    let old = String(decoding: entry, as: UTF8.self).replacing("\"a\"", with: "\"\(name)\"")
    let empty = try JSONEncoder().encode(
      FrameRateReport(frameRate: RationalTime(1), reason: .project, fastest: nil, unshown: []))
    let list = Array(repeating: old, count: 50).joined(separator: ",")
    let text = String(decoding: empty, as: UTF8.self)
      .replacing("\"unshown\":[]", with: "\"unshown\":[\(list)]")
    let report = try JSONDecoder().decode(FrameRateReport.self, from: Data(text.utf8))
    #expect(report.unshown.count == 20)
    #expect(report.unshownAssets == 50)
    #expect(report.unshown.allSatisfy { $0.asset.utf8.count <= 256 && $0.asset.hasSuffix("n…") })
  }
}
