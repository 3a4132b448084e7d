import Support
import Testing
import Timeline

/// Compares thousands of random edits with a reference model.
@Suite(.mayBlock) struct RandomEditTests {
  private static let steps = 100

  private func assets() throws -> [IndexedAsset] {
    let length = RationalTime(1000)
    return [
      IndexedAsset(name: "both", index: try .clip(seconds: length, rate: RationalTime(1))),
      IndexedAsset(
        name: "mute", index: try .clip(seconds: length, rate: RationalTime(1), hasAudio: false)),
      IndexedAsset(name: "song", index: .sound(seconds: length)),
      IndexedAsset(name: "logo", index: .stillImage(size: PixelSize(width: 64, height: 64))),
    ]
  }

  @Test(arguments: 0..<UInt64(50))
  func `after every edit, every track matches the reference list`(seed: UInt64) throws {
    var script = EditScript(seed: seed, assets: try assets())
    for step in 1...Self.steps {
      let operation = try script.step()
      let presented = try script.composition.tracks.map { try ReferenceTrack($0) }
      try #require(
        presented == script.reference, "seed \(seed), step \(step): \(operation.rawValue)")
      for track in script.composition.tracks {
        try Track.validateSegments(track.segments)
        let mappings = try track.timeMappings
        let ends = [.zero] + mappings.map(\.target.end)
        #expect(mappings.map(\.target.start) == ends.dropLast())
        #expect(ends.last == track.duration)
        #expect(mappings.last?.isEmpty != true)
      }
    }
  }

  @Test func `the scripts carry out every kind of edit many times`() throws {
    var counts: [EditScript.Operation: Int] = [:]
    for seed in 0..<UInt64(50) {
      var script = EditScript(seed: seed, assets: try assets())
      for _ in 1...Self.steps { _ = try script.step() }
      counts.merge(script.counts, uniquingKeysWith: +)
    }
    for operation in EditScript.Operation.allCases {
      #expect(counts[operation, default: 0] >= 30, "\(operation.rawValue)")
    }
  }

  @Test(arguments: 0..<UInt64(10))
  func `rejected edits leave a composition unchanged`(seed: UInt64) throws {
    let assets = try assets()
    var script = EditScript(seed: seed, assets: assets)
    for _ in 1...Self.steps {
      _ = try script.step()
      var composition = script.composition
      let backwards = try EditingFixture.range("3", "2")
      let outside = try EditingFixture.range("999", "1001")
      let early = try EditingFixture.range("-1", "1")
      let refused: [(inout Composition) throws -> Void] = [
        { try $0.insertTimeRange(outside, of: assets[0], at: .zero) },
        { try $0.insertTimeRange(outside, of: assets[0]) },
        { try $0.insertTimeRange(EditingFixture.range("0", "1"), of: assets[3], at: early.start) },
        { try $0.insertEmptyTimeRange(early) }, { try $0.removeTimeRange(backwards) },
        { try $0.scaleTimeRange(early, toDuration: RationalTime(1)) },
        { try $0.scaleTimeRange(EditingFixture.range("0", "1"), toDuration: .zero) },
        { try $0.removeTrack(-1) },
      ]
      for edit in refused { #expect(throws: EditError.self) { try edit(&composition) } }
      #expect(composition == script.composition)
    }
  }
}
