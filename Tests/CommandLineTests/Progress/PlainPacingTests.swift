import Support
import Testing
import sheaf

@Suite(.mayBlock) struct PlainPacingTests {
  /// A line of progress at an instant.
  private struct Moment {
    var activity = "rendering"
    var percent: Int
    var at: Duration
  }

  /// Whether each of the moments is printed.
  private func printed(_ moments: Moment...) -> [Bool] {
    var pacing = PlainPacing()
    return moments.map { moment in
      pacing.shouldPrint(
        ProgressLine(
          activity: moment.activity, fraction: (Double(moment.percent) + 0.5) / 100, figures: []),
        at: moment.at)
    }
  }

  @Test func `a new activity is printed at once`() {
    #expect(
      printed(
        Moment(activity: "planning", percent: 0, at: .zero),
        Moment(percent: 0, at: .milliseconds(1))) == [true, true])
  }

  @Test func `a change below five percent is not printed`() {
    #expect(
      printed(Moment(percent: 10, at: .zero), Moment(percent: 11, at: .seconds(5)))
        == [true, false])
  }

  @Test func `a change of five percent is printed`() {
    #expect(
      printed(Moment(percent: 10, at: .zero), Moment(percent: 15, at: .seconds(5)))
        == [true, true])
  }

  @Test func `lines of one activity are at least a second apart`() {
    #expect(
      printed(Moment(percent: 10, at: .zero), Moment(percent: 50, at: .milliseconds(999)))
        == [true, false])
  }

  @Test func `a line is printed after ten seconds without one`() {
    #expect(
      printed(Moment(percent: 10, at: .zero), Moment(percent: 10, at: .seconds(10)))
        == [true, true])
  }
}
