import Testing
import sheaf

struct PlainPacingTests {
  /// A line of progress at an instant.
  private struct Moment {
    var activity = "rendering"
    var percent: Int
    var at: Duration
  }

  /// Which of the moments are worth a line.
  private func printed(_ moments: Moment...) -> [Bool] {
    var pacing = PlainPacing()
    return moments.map { moment in
      pacing.shouldPrint(
        ProgressLine(
          activity: moment.activity, fraction: (Double(moment.percent) + 0.5) / 100, figures: []),
        at: moment.at)
    }
  }

  @Test func `a new activity is told at once`() {
    #expect(
      printed(
        Moment(activity: "planning", percent: 0, at: .zero),
        Moment(percent: 0, at: .milliseconds(1))) == [true, true])
  }

  @Test func `the same percentage is not told again`() {
    #expect(
      printed(Moment(percent: 10, at: .zero), Moment(percent: 11, at: .seconds(5)))
        == [true, false])
  }

  @Test func `five percent more are told`() {
    #expect(
      printed(Moment(percent: 10, at: .zero), Moment(percent: 15, at: .seconds(5)))
        == [true, true])
  }

  @Test func `nothing is told twice in a second`() {
    #expect(
      printed(Moment(percent: 10, at: .zero), Moment(percent: 50, at: .milliseconds(999)))
        == [true, false])
  }

  @Test func `ten seconds are not passed in silence`() {
    #expect(
      printed(Moment(percent: 10, at: .zero), Moment(percent: 10, at: .seconds(10)))
        == [true, true])
  }
}
