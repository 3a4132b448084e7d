import Foundation
import Support
import Testing
import Timeline

/// The names of members in stored media indexes.
@Suite(.mayBlock) struct MediaIndexCodingTests {
  @Test func `a stored index tells whether an image is gray`() throws {
    let stored = """
      {"version": 16, "format": "png_pipe", "start": 0, "duration": 0, "isStillImage": true,
       "isGreyScale": false, "video": [], "audio": []}
      """
    let index = try JSONDecoder().decode(MediaIndex.self, from: Data(stored.utf8))
    #expect(index.isGrayscale == false)
  }
}
