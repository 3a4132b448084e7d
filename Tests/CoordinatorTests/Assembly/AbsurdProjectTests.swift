import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Testing

/// Projects and bodies that nobody writes by hand. The coordinator refuses each with a clear message, and keeps
/// running.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct AbsurdProjectTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// A project, and a part of the message with which it is refused.
  struct Absurdity: CustomTestStringConvertible {
    let testDescription: String
    let project: @Sendable () -> String
    let refusal: String

    init(_ name: String, _ refusal: String, _ project: @escaping @Sendable () -> String) {
      testDescription = name
      self.refusal = refusal
      self.project = project
    }
  }

  private static func repeated(_ item: String, _ count: Int) -> String {
    String(String(repeating: item + ",", count: count).dropLast())
  }

  private static func sequence(_ items: String, _ rest: String = "") -> String {
    #"{"version": 1, "sequence": [\#(items)]\#(rest)}"#
  }

  private static let clip = #"{"clip": "a.mp4"}"#

  private static func composition(_ segment: String, _ rest: String = "") -> String {
    #"""
    {"version": 1, "assets": {"a": {"path": "a.mp4"}}, "composition": {"tracks": [
      {"id": 1, "mediaType": "video", "segments": [\#(segment)]}]}\#(rest)}
    """#
  }

  private static let segment =
    #"{"asset": "a", "source": {"start": 0, "duration": 1}, "target": {"start": 0, "duration": 1}}"#

  private static func ramp(_ count: Int) -> String {
    let points = repeated(#"{"at": 0, "value": 1}"#, count)
    return composition(
      segment,
      #"""
      , "videoComposition": {"renderSize": {"width": 64, "height": 36}, "frameDuration": "1/25",
        "instructions": [{"timeRange": {"start": 0, "duration": 1},
          "layers": [{"track": 1, "opacity": [\#(points)]}]}]}
      """#)
  }

  static let absurdities = [
    Absurdity("lists in lists", "nested more than 80 levels deep") {
      sequence(String(repeating: "[", count: 20_000) + String(repeating: "]", count: 20_000))
    },
    Absurdity("objects in objects", "nested more than 80 levels deep") {
      sequence(
        String(repeating: #"{"a":"#, count: 20_000) + "1" + String(repeating: "}", count: 20_000))
    },
    Absurdity("a clip of a million billion seconds", "1000000000000000 s is beyond") {
      sequence(#"{"clip": "a.mp4", "out": "1000000000000000"}"#)
    },
    Absurdity("a composition of a million billion seconds", "is too long") {
      composition(
        segment.replacingOccurrences(
          of: #""target": {"start": 0, "#, with: #""target": {"start": "1000000000000000", "#))
    },
    Absurdity("a second in a million billion", "is out of range") {
      composition(
        segment.replacingOccurrences(
          of: #""target": {"start": 0, "duration": 1"#,
          with: #""target": {"start": 0, "duration": "1000000000000000""#))
    },
    Absurdity("a billion frames a second", "frameRate: ") {
      sequence(clip, #", "frameRate": 1000000000"#)
    },
    Absurdity("a frame of a billionth of a second", "is not a valid frame duration") {
      composition(
        segment,
        #"""
        , "videoComposition": {"renderSize": {"width": 64, "height": 36},
          "frameDuration": "1/1000000000", "instructions": []}
        """#)
    },
    Absurdity("a number of a million digits", "does not fit in 64 bits") {
      sequence(#"{"clip": "a.mp4", "out": \#(String(repeating: "9", count: 1_000_000))}"#)
    },
    Absurdity("a hundred thousand clips", "(--max-project-values)") {
      sequence(repeated(clip, 100_000))
    },
    Absurdity("twenty thousand clips", "(--max-project-clips)") {
      sequence(repeated(clip, 20_000))
    },
    Absurdity("ten thousand transitions", "(--max-project-clips)") {
      sequence(
        repeated(clip + #",{"transition": "dissolve", "duration": "1/25"}"#, 10_000) + "," + clip)
    },
    Absurdity("a hundred thousand points of a ramp", "(--max-project-values)") { ramp(100_000) },
    Absurdity("a hundred thousand layers", "(--max-project-values)") {
      sequence(clip, #", "animation": {"layers": [\#(repeated(#"{"type": "group"}"#, 100_000))]}"#)
    },
    Absurdity("two thousand layers", "more than the limit of 1000") {
      sequence(
        clip,
        #", "animation": {"layers": [\#(repeated(#"{"type": "group", "layers": []}"#, 2000))]}"#)
    },
  ]

  @Test func `absurd projects are refused or fail, and the error says what is too much`()
    async throws
  {
    let submitter = try Submitter(data: scratch.path("data"))
    // A tenth of the usual limits: text of many megabytes takes long in a debug build.
    let farm = try RunningCoordinator(
      data: scratch.path("data"), ["--max-project-values", "100000", "--max-project-clips", "5000"])
    defer { farm.kill() }
    try SolidClip(color: (80, 128, 128), frameCount: 30).write(to: scratch.path("a.mp4"))
    let clip = try await submitter.upload(
      Data(contentsOf: URL(fileURLWithPath: scratch.path("a.mp4"))), to: farm)
    for absurdity in Self.absurdities {
      let response = try await submitter.propose(
        absurdity.project(), ["a.mp4": clip], to: farm)
      var words = String(decoding: response.body, as: UTF8.self)
      if response.status == .created {
        let job = try FarmCoding.decode(JobStatus.self, from: response.body)
        let end = try await submitter.wait(for: job, at: farm, until: .rendering)
        #expect(end.state == .failed, "\(absurdity.testDescription)")
        words = end.failure?.message ?? ""
      } else {
        #expect(
          [.contentTooLarge, .unprocessableContent].contains(response.status),
          "\(absurdity.testDescription): \(response.status)")
      }
      #expect(
        words.contains(absurdity.refusal), "\(absurdity.testDescription): \(words.prefix(300))")
    }
    #expect(farm.process.isRunning)
  }

  @Test(arguments: ["/jobs", "/workers"])
  func `a body of only brackets is rejected with a one-sentence error`(path: String) async throws {
    let submitter = try Submitter(data: scratch.path("data"))
    let farm = try RunningCoordinator(data: scratch.path("data"))
    defer { farm.kill() }
    let body = Data(repeating: UInt8(ascii: "["), count: 60_000)
    let response = try await submitter.post(body, to: path, of: farm)
    #expect(response.status == .badRequest)
    let problem = try JSONDecoder().decode(ProblemDocument.self, from: response.body)
    #expect(problem.detail == "lists and objects are nested more than 32 levels deep")
    #expect(farm.process.isRunning)
  }
}
