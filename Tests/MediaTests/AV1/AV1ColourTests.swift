import Foundation
import Media
import Support
import Testing
import Timeline

/// What is known of the colours of AV1.
struct AV1ColourTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func colour(_ encoding: [String], _ name: String, declared: [String]) throws
    -> ColourTags
  {
    let path = try AV1Clip.write(encoding, named: name, in: folder, then: [declared])
    return try MediaProber.index(of: try FileByteSource(path: path), named: path).video[0].colour
  }

  private static let bt2020 = [
    "-color_primaries", "bt2020", "-color_trc", "bt2020-10", "-colorspace", "bt2020nc",
  ]

  @Test(arguments: ["clip.mp4", "clip.mkv"])
  func `the container counts where the sequence header says nothing`(_ name: String) throws {
    #expect(
      try colour(AV1Clip.svt, name, declared: Self.bt2020)
        == ColourTags(primaries: "bt2020", transfer: "bt2020-10", matrix: "bt2020nc", range: "tv"))
    #expect(
      try colour(AV1Clip.svt, name, declared: [])
        == ColourTags(primaries: nil, transfer: nil, matrix: nil, range: "tv"))
  }

  @Test func `the sequence header counts where it says something`() throws {
    let own = ["-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace", "bt709"]
    #expect(
      try colour(AV1Clip.svt + own, "clip.mp4", declared: Self.bt2020)
        == ColourTags(primaries: "bt709", transfer: "bt709", matrix: "bt709", range: "tv"))
  }
}
