import Media
import Support
import Testing

@Suite(.mayBlock) struct MediaVersionsTests {
  @Test(arguments: [
    "avcodec", "swscale", "x264 - core", "x265", "svtav1", "vpx", "dav1d", "heif", "webp",
  ])
  func `the fingerprint names the version of each library that decides a chunk's bytes`(
    _ library: String
  ) throws {
    let entries = MediaVersions.fingerprint.split(separator: ", ")
    let entry = try #require(entries.first { $0.hasPrefix("\(library) ") })
    #expect(entry.dropFirst(library.count).contains { $0.isNumber })
  }
}
