import Foundation
import Processes
import Support
import Testing

/// The API's reports on rendered jobs, checked with other tools.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct JobHistoryTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// The response to a request, written to a file.
  private func fetch(_ farm: WorkedFarm, _ path: String) throws -> String {
    let file = folder.path(UUID().uuidString)
    _ = try Tool.run(
      "curl", ["-sS", "--fail-with-body", "-o", file, "\(farm.origin)/api/v1\(path)"])
    return file
  }

  private func list(_ farm: WorkedFarm, _ path: String) throws -> [[String: Any]] {
    let data = try Data(contentsOf: URL(fileURLWithPath: fetch(farm, path)))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
  }

  private func object(_ farm: WorkedFarm, _ path: String) throws -> [String: Any] {
    let data = try Data(contentsOf: URL(fileURLWithPath: fetch(farm, path)))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  /// The number of frames of each letter in a job's strip.
  private func letters(_ job: [String: Any]) throws -> [Character: Int] {
    var letters: [Character: Int] = [:]
    for run in try #require(job["strip"] as? String).split(separator: ",") {
      letters[try #require(run.first), default: 0] += try #require(Int(run.dropFirst()))
    }
    return letters
  }

  private func render(_ project: String, by farm: WorkedFarm) throws -> [String: Any] {
    let process = try farm.submit(project)
    #expect(process.wait() == .exited(0), "\(farm.complaint)")
    return try #require(try list(farm, "/jobs?limit=1").first)
  }

  @Test func `a job tells which frames were copied, encoded and reused, and shows them`() throws {
    for source in 1...2 {
      try FrameNamingClip(
        source: source, frameCount: 96, encoding: FrameNamingClip.h264 + ["-sc_threshold", "0"]
      ).write(to: folder.path("\(source).mp4"))
    }
    // A click in the middle of two seconds of silence.
    try ClickTrack(sampleCount: 96_000, clicks: [48_000], level: 1).write(to: folder.path("m.wav"))
    let farm = try WorkedFarm(in: folder)
    func project(_ end: String) -> String {
      """
      {"version": 1, "music": [{"clip": "m.wav"}], "sequence": [
        {"clip": "1.mp4"}, {"transition": "dissolve", "duration": "2/5"},
        {"clip": "2.mp4", "out": "\(end)"}], "export": {"preset": "passthrough"}}
      """
    }
    let first = try render(project("16/5"), by: farm)
    let id = try #require(first["id"] as? String)
    let letters = try letters(first)
    #expect(Set(letters.keys) == ["c", "e"])
    #expect(letters.values.reduce(0, +) == first["frameCount"] as? Int)
    #expect(letters["c"] == first["framesCopied"] as? Int)
    #expect(letters["e"] == first["framesEncoded"] as? Int)
    #expect(first["framesReused"] as? Int == 0)
    #expect(letters["e"].map { $0 >= 12 } == true)

    let names = try FrameNameReader.names(in: folder.path("out.mp4"))
    for segment in try list(farm, "/jobs/\(id)/segments") {
      let (index, start) = (
        try #require(segment["index"] as? Int), try #require(segment["first"] as? Int)
      )
      let isCopied = segment["kind"] as? String == "copied"
      #expect((segment["reason"] == nil) == isCopied)
      let picture = try fetch(farm, "/jobs/\(id)/segments/\(index)/thumbnail")
      #expect(try FrameNameReader.size(of: picture) == (320, 180))
      let shown = try FrameNameReader.names(in: picture)
      #expect(shown == [names[start]], "segment \(index)")
      #expect(!isCopied || shown.first.flatMap { $0 } != nil)
      let attempts = try list(farm, "/jobs/\(id)/segments/\(index)/attempts")
      #expect(attempts.map { $0["outcome"] as? String } == ["completed"])
      let log = try #require(attempts.first?["log"] as? String)
      #expect(log.contains("worker: leased") && log.contains("coordinator: the chunk was accepted"))
    }

    let timeline = try object(farm, "/jobs/\(id)/timeline")
    let transitions = try #require(timeline["transitions"] as? [[String: Any]])
    #expect(transitions.map { $0["kind"] as? String } == ["dissolve"])
    #expect(transitions.first?["start"] as? Double == 2.8)
    let waveform = try object(farm, "/jobs/\(id)/waveform")
    let peaks = try #require(waveform["peaks"] as? [Int])
    let samples = try #require(waveform["samplesPerPoint"] as? Int)
    #expect(peaks.firstIndex { $0 > 100 } == 48_000 / samples)
    #expect(peaks.count { $0 > 100 } == 1)

    // Only the second clip is longer, so what is made of the first one is reused.
    let second = try render(project("3"), by: farm)
    let again = try self.letters(second)
    #expect(again["u"].map { $0 > 0 } == true && again["u"] == second["framesReused"] as? Int)
    #expect(again.values.reduce(0, +) == second["frameCount"] as? Int)
    let sum = ["framesCopied", "framesReused", "framesEncoded"].reduce(0) {
      $0 + (second[$1] as? Int ?? 0)
    }
    #expect(sum == second["frameCount"] as? Int)
  }
}
