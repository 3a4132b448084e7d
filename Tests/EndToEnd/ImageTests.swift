import Foundation
import Support
import Testing

/// HEIC, AVIF and animated images, from the command line to the file.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct ImageTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func make(_ color: String, _ name: String, _ options: [String]) throws {
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "color=\(color):s=64x48:r=10:d=0.5"] + options
        + [folder.path(name)])
  }

  /// The red, green and blue of the middle pixel at a time.
  private func middle(of path: String, at seconds: Double) throws -> [Int] {
    let bytes = try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-ss", "\(seconds)", "-i", path, "-frames:v", "1", "-vf",
        "crop=2:2,format=rgb24", "-f", "rawvideo", "-",
      ])
    return bytes.prefix(3).map(Int.init)
  }

  @Test func `clips may be HEIC or AVIF, or animated GIF, APNG or WebP`() throws {
    try make("red", "still.png", ["-frames:v", "1"])
    try make("blue", "other.png", ["-frames:v", "1"])
    try Tool.run("heif-enc", [folder.path("still.png"), "-o", folder.path("still.heic")])
    try Tool.run("heif-enc", [folder.path("other.png"), "-o", folder.path("still.avif")])
    try make("lime", "moving.gif", [])
    try make("yellow", "moving.png", ["-f", "apng"])
    try make("white", "moving.webp", ["-c:v", "libwebp_anim", "-lossless", "1"])
    let rendered = try Rendered(
      [
        "still.heic", "moving.gif", "still.avif", "moving.png", "moving.webp", "--still-duration",
        "1/2",
      ], in: folder, workers: 1)
    // 60 frames at 23.976, the lowest standard rate that shows every frame of a clip with 10 per second.
    #expect(
      try rendered.ffprobe(["-show_entries", "format=duration", "-of", "csv=p=0"]) == "2.502500")
    let expected = [
      (0.2, [255, 0, 0]), (0.7, [0, 255, 0]), (1.2, [0, 0, 255]), (1.7, [255, 255, 0]),
      (2.2, [255, 255, 255]),
    ]
    for (time, color) in expected {
      let found = try middle(of: rendered.path, at: time)
      #expect(zip(found, color).allSatisfy { abs($0 - $1) <= 12 }, "\(time) s: \(found)")
    }
  }

  @Test func `an image layer may be HEIC or AVIF`() throws {
    try make("black", "clip.mp4", ["-c:v", "libx264"])
    try make("red", "still.png", ["-frames:v", "1"])
    for kind in ["heic", "avif"] {
      try Tool.run("heif-enc", [folder.path("still.png"), "-o", folder.path("logo.\(kind)")])
      let rendered = try Rendered(
        project: """
          {"version": 1, "sequence": [{"clip": "clip.mp4"}], "animation": {"layers": [
            {"type": "image", "asset": "logo.\(kind)"}]}}
          """, in: folder, workers: 1)
      let found = try middle(of: rendered.path, at: 0.2)
      #expect(zip(found, [255, 0, 0]).allSatisfy { abs($0 - $1) <= 12 }, "\(kind): \(found)")
    }
  }
}
