import Crypto
import Foundation
import Processes
import Support
import Testing

/// A project that is edited and submitted again.
@Suite(.mayBlock, .timeLimit(.minutes(5))) struct EditedProjectTests {
  private struct Job: Decodable {
    struct Segments: Decodable { let completed: Int }
    let segments: Segments
    let segmentsReused: Int?
  }

  @Test
  func `an edit renders only the edited parts, and the file matches that of a new farm`() throws {
    let folder = try TemporaryDirectory()
    for name in 1...3 {
      try FrameNamingClip(source: name, frameCount: 150)
        .write(to: folder.path("\(name).mp4"))
    }
    func project(middle: String) -> String {
      """
      {"version": 1, "sequence": [
        {"clip": "1.mp4"}, {"transition": "dissolve", "duration": "1/2"},
        {"clip": "2.mp4", \(middle)}, {"transition": "push", "duration": "1/2"},
        {"clip": "3.mp4"}], "export": {"preset": "highestQuality"}}
      """
    }
    let farm = try WorkedFarm(in: folder)
    for (text, name) in [
      (project(middle: #""out": 5"#), "first.mp4"), (project(middle: #""out": 4"#), "second.mp4"),
    ] {
      let submission = try farm.submit(text, output: name)
      try #require(submission.wait() == .exited(0), "\(farm.complaint)")
    }
    let expected = try Rendered(
      project: project(middle: #""out": 4"#), in: folder, workers: 1, output: "whole.mp4")
    #expect(try Digest.of(file: folder.path("second.mp4")) == expected.digest)

    let listed = try Program.sheaf.run(["jobs", "--json", "--coordinator", farm.origin])
    let jobs = try JSONDecoder().decode([Job].self, from: Data(listed.standardOutput.utf8))
    let (second, first) = (try #require(jobs.first), try #require(jobs.last))
    #expect(first.segmentsReused == nil)
    // The end of the second clip and the transition after it are new. The rest has moved, but is unchanged.
    let reused = try #require(second.segmentsReused)
    #expect(reused >= 4)
    #expect(second.segments.completed - reused >= 1)
  }
}
