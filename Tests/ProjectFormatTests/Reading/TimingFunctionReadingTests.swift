import Foundation
import ProjectFormat
import Support
import Testing
import Timeline

/// Timing functions in project files.
@Suite(.mayBlock) struct TimingFunctionReadingTests {
  private static let functions: [TimingFunction] = [
    .linear, .easeIn, .easeOut, .easeInEaseOut, .equalPowerRise, .equalPowerFall,
    .cubicBezier(x1: 0.1, y1: 0.25, x2: 0.75, y2: 0.9),
  ]

  @Test(arguments: functions)
  func `a project file's ramp is written back as it was read`(timing: TimingFunction) throws {
    let written = String(decoding: try JSONEncoder().encode(timing), as: UTF8.self)
    let text = ProjectText.composition(audioMix: ProjectText.fade(timing: written))
    guard case .composition(let project) = try ProjectText.parse(text) else {
      Issue.record("the project is a sequence")
      return
    }
    let range = try TimeRange(start: .zero, duration: RationalTime(1))
    #expect(
      project.audioMix?.inputParameters[0].volume
        == Ramps([.ramp(timeRange: range, from: 0, to: 1, timingFunction: timing)]))
    #expect(try ProjectDocument.parse(Array(project.json())) == .composition(project))
  }

  @Test func `the default curve has its own name`() throws {
    #expect(TimingFunction.default == .cubicBezier(x1: 0.25, y1: 0.1, x2: 0.25, y2: 1))
    let text = ProjectText.composition(audioMix: ProjectText.fade(timing: #""default""#))
    guard case .composition(let project) = try ProjectText.parse(text) else {
      Issue.record("the project is a sequence")
      return
    }
    guard case .ramp(_, _, _, .default) = project.audioMix?.inputParameters[0].volume.pieces[0]
    else {
      Issue.record("the function is not a curve")
      return
    }
    #expect(String(decoding: try project.json(), as: UTF8.self).contains("\"default\""))
  }
}
