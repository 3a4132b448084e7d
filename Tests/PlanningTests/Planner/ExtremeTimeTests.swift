import Crypto
import Planning
import ProjectFormat
import Support
import Testing
import Timeline

/// Times at the limits of 64 bits are planned or rejected, and never crash the program.
@Suite(.mayBlock) struct ExtremeTimeTests {
  private static let numbers: [Int64] = [
    0, 1, -1, 2, 3, 25, 1001, 30_000, 1 << 31, 1 << 40, .max, .max - 1, .min, .min + 1,
  ]

  private func time(_ random: inout SeededRandom) -> RationalTime {
    let isTame = Int.random(in: 0..<3, using: &random) > 0
    guard !isTame else {
      return (try? RationalTime(.random(in: 0...400, using: &random), 25)) ?? .zero
    }
    let numerator = Self.numbers.randomElement(using: &random) ?? 0
    let denominator = Self.numbers.randomElement(using: &random) ?? 1
    return (try? RationalTime(numerator, denominator)) ?? RationalTime(1)
  }

  @Test(arguments: 0..<40)
  func `extreme times are planned or rejected`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let index = try MediaIndex.clip(seconds: RationalTime(20), start: RationalTime(7, 5))
    let digests = ["a": try Planned.digest(1)]
    var answers = 0
    for _ in 0..<50 {
      let duration = time(&random)
      guard let source = try? TimeRange(start: time(&random), duration: duration),
        let target = try? TimeRange(start: time(&random), duration: duration),
        let ramp = try? TimeRange(start: time(&random), duration: time(&random))
      else { continue }
      let segment = TrackSegment(asset: "a", trackIndex: 0, source: source, target: target)
      let project = Project(
        assets: ["a": Asset(path: "a")],
        composition: Composition(tracks: [
          Track(id: 1, mediaType: .video, segments: [segment]),
          Track(id: 3, mediaType: .audio, segments: [segment]),
        ]),
        videoComposition: Bool.random(using: &random)
          ? nil
          : VideoComposition(
            renderSize: PixelSize(width: 2, height: 2), frameDuration: time(&random),
            instructions: [
              Instruction(
                timeRange: try TimeRange(start: .zero, end: target.end),
                layers: [
                  LayerInstruction(
                    track: 1, opacity: Ramps([.ramp(timeRange: ramp, from: 0, to: 1)]))
                ])
            ]))
      do throws(ProjectError) {
        let plan = try Planner.plan(
          project, indexes: ["a": index], digests: digests)
        Planned.check(plan)
        for segment in plan.segments.prefix(3) { _ = try? segment.contentKey(fingerprint: "x") }
      } catch {
        #expect(!error.findings.isEmpty)
      }
      answers += 1
    }
    #expect(answers > 0)
  }

  @Test(arguments: 0..<40)
  func `extreme times in a sequence are expanded or rejected`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let index = try MediaIndex.clip(seconds: RationalTime(20))
    for _ in 0..<50 {
      let sequence = ClipSequence(
        items: [
          .clip(SequenceClip(path: "a", inPoint: time(&random), duration: time(&random))),
          .transition(SequenceTransition(kind: .push, duration: time(&random))),
          .clip(SequenceClip(path: "a", inPoint: time(&random), outPoint: time(&random))),
        ],
        music: [
          MusicClip(
            path: "a", start: time(&random), inPoint: time(&random), fadeIn: time(&random),
            fadeOut: time(&random))
        ])
      do throws(ProjectError) {
        let project = try sequence.expanded(indexes: ["a": index])
        #expect(project.findings(indexes: ["a": index]) == [])
      } catch {
        #expect(!error.findings.isEmpty)
      }
    }
  }
}
