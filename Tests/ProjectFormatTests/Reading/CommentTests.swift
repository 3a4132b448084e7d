import ProjectFormat
import Support
import Testing
import Timeline

/// Comments in project files: keys that begin with two slashes.
@Suite(.mayBlock) struct CommentTests {
  @Test func `comments may have any value, and change nothing`() throws {
    let plain = #"{"version": 1, "sequence": [{"clip": "a.mp4"}], "export": {"fileType": "mov"}}"#
    let commented = #"""
      {"// about": ["any", {"JSON": 1.5}], "version": 1,
       "sequence": [{"clip": "a.mp4", "//in": 2.5, "//": "a note"}],
       "//frameRate": 25, "//": null,
       "export": {"// more": {"crf": 99}, "fileType": "mov"}}
      """#
    #expect(try ProjectText.parse(commented) == ProjectText.parse(plain))
  }

  @Test func `a key with one slash is not a comment`() {
    let error = #expect(throws: ProjectError.self) {
      try ProjectText.parse(#"{"version": 1, "/about": 1, "sequence": [{"clip": "a.mp4"}]}"#)
    }
    #expect(error?.findings.map(\.problem) == ["\"/about\" is not a known key"])
  }

  @Test func `the name of an asset is never a comment`() throws {
    let document = try ProjectText.parse(
      #"""
      {"version": 1, "assets": {"//a": {"path": "a.mp4", "// note": 1}},
       "composition": {"tracks": [{"id": 1, "mediaType": "video", "segments": [
         {"asset": "//a", "source": {"start": 0, "duration": 1},
          "target": {"start": 0, "duration": 1}}]}]}}
      """#)
    #expect(document.assets["//a"]?.path == "a.mp4")
  }
}
