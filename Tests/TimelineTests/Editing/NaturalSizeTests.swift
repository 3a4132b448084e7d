import Support
import Testing
import Timeline

@Suite(.mayBlock) struct NaturalSizeTests {
  private let indexes: [String: MediaIndex]

  init() throws {
    indexes = [
      "portrait": try .clip(
        seconds: RationalTime(4), orientation: Orientation(quarterTurns: 1, isMirrored: false)),
      "dv": try .clip(
        seconds: RationalTime(4), size: PixelSize(width: 720, height: 576),
        pixelAspectRatio: RationalTime(16, 15)),
      "song": .sound(seconds: RationalTime(4)),
    ]
  }

  private func composition(_ names: [String]) throws -> Composition {
    var composition = Composition()
    for name in names {
      guard let index = indexes[name] else { continue }
      try composition.insertTimeRange(
        EditingFixture.range("0", "4"), of: IndexedAsset(name: name, index: index))
    }
    return composition
  }

  @Test func `the natural size is that of the first picture before its rotation`() throws {
    let composition = try composition(["portrait", "dv"])
    #expect(composition.naturalSize(indexes: indexes) == NaturalSize(width: 1920, height: 1080))
    #expect(
      composition.preferredTransform(indexes: indexes)
        == AffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 1080, ty: 0))
  }

  @Test func `pixels that are not square change the width of the natural size`() throws {
    let composition = try composition(["dv"])
    #expect(composition.naturalSize(indexes: indexes) == NaturalSize(width: 768, height: 576))
    #expect(composition.preferredTransform(indexes: indexes) == .identity)
  }

  @Test func `tracks without video are skipped`() throws {
    var composition = try composition(["song", "portrait"])
    composition.tracks.insert(Track(id: 9, mediaType: .video), at: 0)
    #expect(composition.track(9)?.naturalSize(indexes: indexes) == nil)
    #expect(composition.track(1)?.naturalSize(indexes: indexes) == nil)
    #expect(composition.naturalSize(indexes: indexes) == NaturalSize(width: 1920, height: 1080))
  }

  @Test func `an audio-only composition has no natural size and no rotation`() throws {
    let composition = try composition(["song"])
    #expect(composition.naturalSize(indexes: indexes) == nil)
    #expect(composition.preferredTransform(indexes: indexes) == .identity)
  }

  @Test func `an asset without an index has no natural size`() throws {
    #expect(try composition(["portrait"]).naturalSize(indexes: [:]) == nil)
  }

  @Test func `a composition is as long as its longest track`() throws {
    var composition = try composition(["portrait"])
    #expect(composition.duration == RationalTime(4))
    try composition.tracks[1].removeTimeRange(EditingFixture.range("0", "1"))
    #expect(composition.tracks.map(\.duration) == [RationalTime(4), RationalTime(3)])
    #expect(composition.duration == RationalTime(4))
  }
}
