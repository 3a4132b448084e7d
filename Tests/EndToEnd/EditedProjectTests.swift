import Crypto
import Foundation
import Processes
import Support
import Testing

/// A project that is edited and submitted again.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct EditedProjectTests {
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

  @Test func `a moved title renders only what it covers, and the sound is not mixed again`() throws
  {
    let folder = try TemporaryDirectory()
    try Tool.run(
      "ffmpeg",
      [
        "-f", "lavfi", "-i", "testsrc2=s=320x180:r=30:d=12", "-f", "lavfi", "-i",
        "aevalsrc=0.3*sin(2*PI*(300+40*t)*t):s=48000:d=12", "-c:v", "libx264", "-preset",
        "veryfast",
        "-g", "30", "-bf", "2", "-pix_fmt", "yuv420p", "-c:a", "aac", folder.path("clip.mp4"),
      ])
    func project(titleAt start: Int) -> String {
      """
      {"version": 1, "sequence": [{"clip": "clip.mp4", "in": "1/3"}],
       "titles": [{"title": "lower-third", "text": "Ada", "at": \(start), "duration": 2}],
       "export": {"preset": "highestQuality"}}
      """
    }
    let farm = try WorkedFarm(in: folder)
    for (start, name) in [(2, "first.mp4"), (8, "second.mp4")] {
      let submission = try farm.submit(project(titleAt: start), output: name)
      try #require(submission.wait() == .exited(0), "\(farm.complaint)")
    }
    let metrics = try Tool.run("curl", ["--silent", "--fail", "\(farm.origin)/metrics"])
    let lines = String(decoding: metrics, as: UTF8.self).split(separator: "\n")
    #expect(lines.contains("sheaf_mixes_reused_total 1"))
    let listed = try Program.sheaf.run(["jobs", "--json", "--coordinator", farm.origin])
    let jobs = try JSONDecoder().decode([Job].self, from: Data(listed.standardOutput.utf8))
    #expect(try #require(jobs.first?.segmentsReused) >= 1)
    let expected = try Rendered(
      project: project(titleAt: 8), in: folder, workers: 1, output: "whole.mp4")
    #expect(try Digest.of(file: folder.path("second.mp4")) == expected.digest)
    let sounds = try ["first.mp4", "second.mp4"].map { name in
      try Tool.run(
        "ffmpeg", ["-v", "error", "-i", folder.path(name), "-map", "0:a", "-f", "md5", "-"])
    }
    #expect(sounds[0] == sounds[1])
    #expect(sounds[0].starts(with: Data("MD5=".utf8)))
  }
}
