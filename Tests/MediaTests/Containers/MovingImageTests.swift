import Foundation
import Media
import Support
import Testing
import Timeline

/// Animated GIF, APNG and WebP files.
@Suite(.mayBlock) struct MovingImageTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Each picture is opaque in its own column and clear elsewhere.
  private static let colors = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]]

  /// Writes an animation of pictures that are each shown for some milliseconds.
  private func write(_ kind: String, _ durations: [Int]) throws -> String {
    for number in durations.indices {
      let name = ["red", "lime", "blue"][number]
      try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-y", "-f", "lavfi", "-i",
          "color=\(name):s=16x12,format=rgba,pad=48:12:\(number * 16):0:black@0", "-frames:v", "1",
          folder.path("\(number).png"),
        ])
    }
    let path = folder.path("moving.\(kind)")
    if kind == "webp" {
      let frames = durations.enumerated().flatMap { ["-d", "\($1)", folder.path("\($0).png")] }
      try Tool.run("img2webp", ["-lossless", "-loop", "3"] + frames + ["-o", path])
      return path
    }
    let starts = durations.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
    let times = starts.dropLast().enumerated().reduce("0") {
      "if(eq(N,\($1.offset)),\($1.element),\($0))"
    }
    let last = durations.last ?? 0
    let ending =
      kind == "gif"
      ? ["-final_delay", "\(last / 10)", "-f", "gif"]
      : ["-final_delay", "\(last)/1000", "-f", "apng", "-plays", "3"]
    let palette = "split[a][b];[a]palettegen=reserve_transparent=1[p];[b][p]paletteuse"
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-y", "-framerate", "1000", "-i", folder.path("%d.png"), "-vf"]
        + ["settb=1/1000,setpts='\(times)'" + (kind == "gif" ? ",\(palette)" : "")]
        + ["-vsync", "passthrough", "-enc_time_base", "1:1000"] + ending + [path])
    return path
  }

  @Test(arguments: ["gif", "apng", "webp"])
  func `an animated image is a video whose frames have their own durations`(kind: String) throws {
    let read = try ReadPictures(write(kind, [100, 250, 400]))
    #expect(!read.index.isStillImage)
    #expect(try read.milliseconds == [0, 100, 350, 750])
    #expect(read.index.duration == (try RationalTime(3, 4)))
    #expect(PixelFormat.named(read.index.video[0].pixelFormat)?.hasAlpha == true)
  }

  @Test(arguments: ["gif", "apng", "webp"])
  func `frames are drawn and cleared as the file specifies, in whatever order they are read`(
    kind: String
  ) throws {
    let read = try ReadPictures(write(kind, [100, 100, 100]))
    let order = [2, 0, 1, 2, 1]
    for (number, pixels) in zip(order, try read.frames(order)) {
      for column in 0..<3 {
        let found = pixels.at(column * 16 + 8, 6)
        if column == number {
          #expect(found == Self.colors[number], "frame \(number)")
        } else {
          #expect(found[3] == 0, "frame \(number), column \(column)")
        }
      }
    }
  }

  @Test(arguments: ["gif", "apng", "webp"])
  func `a frame of ten milliseconds or less lasts a tenth of a second`(kind: String) throws {
    let read = try ReadPictures(write(kind, [10, 10, 10]))
    #expect(try read.milliseconds == [0, 100, 200, 300])
  }

  @Test(arguments: ["gif", "apng"])
  func `an animation with one frame is a still image`(kind: String) throws {
    let read = try ReadPictures(write(kind, [100]))
    #expect(read.index.isStillImage)
    #expect(read.index.duration == .zero)
    #expect(try read.frames([0])[0].at(8, 6) == Self.colors[0])
  }

  @Test func `a WebP animation that is cut short is rejected, and the error names it`() throws {
    let path = try write("webp", [100, 100, 100])
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: path))
    let error = try #require(throws: MediaError.self) { try ReadPictures(path) }
    #expect(error.message.contains("moving.webp"))
  }
}
