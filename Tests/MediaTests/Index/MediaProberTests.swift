import Foundation
import Media
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct MediaProberTests {
  @Test(.needsSharedMedia, arguments: Footage.video)
  func `the index lists exactly the frames that a decoder presents`(name: String) throws {
    let path = SharedMedia.path(name)
    let index = try Footage.index(of: path)
    #expect(index.video[0].frames.times == (try Footage.decodedTimes(of: path)))
  }
}
