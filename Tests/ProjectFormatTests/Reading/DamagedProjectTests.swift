import ProjectFormat
import Support
import Testing
import Timeline

/// A randomly damaged file is read or rejected, and never crashes the program.
@Suite(.mayBlock) struct DamagedProjectTests {
  private let whole = Array(
    ProjectText.composition(
      videoComposition: ProjectText.videoComposition(
        layers: """
          [{"track": 1, "opacity": [{"timeRange": {"start": "9.5", "duration": "1/2"}, "from": 1, "to": 0}],
            "transform": [{"at": 0, "value": [1, 0, 0, 1, 0, 0]}]}]
          """),
      audioMix: #"{"inputParameters": [{"track": 3, "volume": [{"at": 0, "value": "0.5"}]}]}"#,
      export: #"{"preset": "highestQuality", "video": {"crf": 18}}"#
    ).utf8)

  @Test(arguments: 0..<20)
  func `a randomly damaged file is either read or rejected`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let index = try MediaIndex.clip(seconds: RationalTime(10))
    for _ in 0..<100 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = .random(in: 0...255, using: &random)
        case 1:
          bytes[place] = Array("0123456789-\"{}[],:/.e".utf8).randomElement(using: &random) ?? 0
        case 2: bytes.remove(at: place)
        default: bytes.insert(bytes[place], at: place)
        }
      }
      do throws(ProjectError) {
        guard case .composition(let project) = try ProjectDocument.parse(bytes) else { continue }
        _ = project.findings(indexes: ["a": index])
      } catch {
        #expect(!error.findings.isEmpty)
        #expect(error.lines.allSatisfy { !$0.contains("\n") || bytes.contains(0x0A) })
      }
    }
  }
}
