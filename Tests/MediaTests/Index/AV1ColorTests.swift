import Foundation
import Media
import Support
import Testing
import Timeline

/// The colors of AV1 streams.
@Suite(.mayBlock) struct AV1ColorTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func color(_ encoding: [String], _ name: String, declared: [String]) throws
    -> ColorTags
  {
    let path = try AV1Clip.write(encoding, named: name, in: folder, then: [declared])
    return try MediaProber.index(of: try FileByteSource(path: path), named: path).video[0].color
  }

  private static let bt2020 = [
    "-color_primaries", "bt2020", "-color_trc", "bt2020-10", "-colorspace", "bt2020nc",
  ]

  @Test(arguments: ["clip.mp4", "clip.mkv"])
  func `the container's colors apply if the sequence header states none`(_ name: String) throws {
    #expect(
      try color(AV1Clip.svt, name, declared: Self.bt2020)
        == ColorTags(primaries: "bt2020", transfer: "bt2020-10", matrix: "bt2020nc", range: "tv"))
    #expect(
      try color(AV1Clip.svt, name, declared: [])
        == ColorTags(primaries: nil, transfer: nil, matrix: nil, range: "tv"))
  }

  @Test func `the sequence header's colors apply if it states any`() throws {
    let own = ["-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace", "bt709"]
    #expect(
      try color(AV1Clip.svt + own, "clip.mp4", declared: Self.bt2020)
        == ColorTags(primaries: "bt709", transfer: "bt709", matrix: "bt709", range: "tv"))
  }
}
