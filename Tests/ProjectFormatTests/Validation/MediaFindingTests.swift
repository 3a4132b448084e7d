import ProjectFormat
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct MediaFindingTests {
  private func findings(_ text: String, _ indexes: [String: MediaIndex]) throws -> [String] {
    guard case .composition(let project) = try ProjectText.parse(text) else { return ["sequence"] }
    return project.findings(indexes: indexes).map(\.description)
  }

  private let path = "composition.tracks[0].segments[0]"

  @Test func `a range up to the exact end of the asset is valid`() throws {
    let index = try MediaIndex.clip(seconds: RationalTime(10))
    #expect(try findings(ProjectText.composition(), ["a": index]) == [])
  }

  @Test func `a range beyond the end of the asset is reported with both`() throws {
    let index = try MediaIndex.clip(seconds: RationalTime(249, 25))
    #expect(
      try findings(ProjectText.composition(), ["a": index]) == [
        "\(path).source: [0, 10) extends beyond the end of the asset \"a\", 249/25; end at 249/25 or earlier"
      ])
  }

  @Test func `damage within the range is reported unless it is concealed`() throws {
    var index = try MediaIndex.clip(seconds: RationalTime(10))
    let times = index.video[0].frames.times
    index.video[0].damage = [
      DamagedRange(kind: .missing, start: times[200], end: index.video[0].frames.end)
    ]
    let text = ProjectText.composition()
    #expect(
      try findings(text, ["a": index]) == [
        "\(path).source: the asset \"a\" is truncated: everything from frame 200 at 8.000 s to 10.000 s is missing; copy the file again, end the segment before it, or set export.onDamage to \"conceal\""
      ])
    guard case .composition(var project) = try ProjectText.parse(text) else { return }
    project.export.onDamage = .conceal
    #expect(project.findings(indexes: ["a": index]) == [])
    index.video[0].damage = [DamagedRange(kind: .broken, start: times[249] + 90_000, end: .max / 2)]
    #expect(try findings(text, ["a": index]) == [])
  }

  @Test func `a stream that cannot be decoded is reported`() throws {
    var index = try MediaIndex.clip(seconds: RationalTime(10))
    index.video[0].unreadable = "is encrypted (encv)"
    #expect(
      try findings(ProjectText.composition(), ["a": index]) == [
        "\(path).asset: video stream 0 of the asset \"a\" is encrypted (encv); use a copy that can be read, e.g. H.264 with AAC"
      ])
  }

  @Test func `a still image can have any duration`() throws {
    let index = MediaIndex.stillImage(size: PixelSize(width: 640, height: 480))
    #expect(try findings(ProjectText.composition(), ["a": index]) == [])
  }

  @Test func `an asset without an index is reported`() throws {
    #expect(
      try findings(ProjectText.composition(), [:]) == [
        "\(path).asset: \"a\" has not been read; check that the file exists and is a media file"
      ])
  }

  @Test func `an audio-only file has no video stream`() throws {
    let index = MediaIndex.sound(seconds: RationalTime(20))
    #expect(
      try findings(ProjectText.composition(), ["a": index]) == [
        "\(path).trackIndex: the asset \"a\" has no video stream; use an asset that has one"
      ])
  }

  @Test func `a stream index that is out of range is reported`() throws {
    let text = ProjectText.composition().replacing(#""trackIndex": 0"#, with: #""trackIndex": 1"#)
    #expect(
      try findings(text, ["a": try MediaIndex.clip(seconds: RationalTime(20))]) == [
        "\(path).trackIndex: the asset \"a\" has no video stream 1; use 0"
      ])
  }

  @Test func `overlapping and unsorted segments of a track are reported`() throws {
    func segment(_ start: Int) -> String {
      """
      {"asset": "a", "source": {"start": 0, "duration": 4}, "target": {"start": \(start), "duration": 4}}
      """
    }
    let tracks = """
      [{"id": 1, "mediaType": "video", "segments": [\(segment(4)), \(segment(7)), \(segment(0))]}]
      """
    #expect(
      ProjectText.findings(ProjectText.composition(tracks: tracks)).map(\.description) == [
        "composition.tracks[0].segments[1].target: [7, 11) overlaps the previous segment, [4, 8); list the segments of a track in chronological order, without overlaps",
        "composition.tracks[0].segments[2].target: [0, 4) is listed after [7, 11), which is later; list the segments of a track in chronological order, without overlaps",
      ])
  }

  @Test func `a color that is not supported yet is reported`() throws {
    var index = try MediaIndex.clip(seconds: RationalTime(20))
    index.video[0].color.matrix = "ictcp"
    #expect(
      try findings(ProjectText.composition(), ["a": index]) == [
        "\(path).asset: the asset \"a\" has the color matrix \"ictcp\", which is not supported yet; "
          + "convert it to BT.709, BT.2020, HLG or PQ"
      ])
  }
}
