import Support
import Testing
import Timeline
import sheaf

@Suite(.mayBlock) struct PictureSizeTests {
  @Test(arguments: [
    ("1080p", 1920, 1080), ("720P", 1280, 720), ("4k", 3840, 2160), ("UHD", 3840, 2160),
    ("480p", 854, 480), ("1920x1080", 1920, 1080), ("1080X1920", 1080, 1920), ("640×360", 640, 360),
  ])
  func `a size is two sides or a usual name`(text: String, width: Int, height: Int) {
    #expect(PixelSize(argument: text) == PixelSize(width: width, height: height))
  }

  @Test(arguments: ["", "1080", "x", "1920x", "big", "1920x1080x3"])
  func `anything else is not a size`(text: String) {
    #expect(PixelSize(argument: text) == nil)
  }
}
