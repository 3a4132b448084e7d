import FarmAPI
import Foundation
import Support
import Testing
import sheaf

@Suite(.mayBlock) struct ProgressLineTests {
  private func job(
    _ state: JobState, done: Int = 0, of total: Int? = nil, rate: Double? = nil,
    seconds: Double? = nil
  ) -> JobStatus {
    JobStatus(
      id: "j", name: "n", state: state, createdAt: Date(timeIntervalSince1970: 0),
      frameCount: total, framesRendered: done, framesPerSecond: rate, frameDuration: 1.0 / 30,
      secondsRemaining: seconds)
  }

  @Test func `a job that renders shows rate, speed and time left`() {
    let line = ProgressLine(job(.rendering, done: 120, of: 300, rate: 61.2, seconds: 2.94))
    #expect(line.plain == "rendering, 40 %, 120/300 frames, 61.2 fps, 2.04×, ETA 0:03")
  }

  @Test func `a job that is not planned yet shows its state`() {
    #expect(ProgressLine(job(.queued)).plain == "queued")
  }

  @Test func `a job that does not render has no rate`() {
    #expect(
      ProgressLine(job(.completed, done: 300, of: 300, rate: 60, seconds: 0)).plain
        == "completed, 100 %, 300/300 frames")
  }

  @Test func `a job that follows a recording has no total`() {
    var following = job(.rendering, done: 1264, of: 1300, rate: 30)
    following.isFollowing = true
    #expect(
      ProgressLine(following).plain
        == "rendering, 1264 frames so far (following a recording), 30.0 fps, 1.00×")
    let lines = LiveView(following).lines(
      columns: 80, style: TerminalStyle(hasColor: false, hasBlocks: true)
    ).map { $0.parts.map(\.text.description).joined() }
    #expect(lines.contains("1,264 frames so far (following a recording)  30.0 fps  1.00×"))
  }

  @Test func `a job that waits for workers says so`() {
    var waiting = job(.rendering, done: 75, of: 300)
    waiting.waitingFor = "available workers (registered: none)"
    #expect(
      ProgressLine(waiting).plain
        == "rendering, 25 %, 75/300 frames, waiting for available workers (registered: none)")
  }

  @Test(arguments: [(0, 0), (1, 0), (150, 50), (299, 99), (300, 100), (400, 100)])
  func `percentages are rounded down`(done: Int, percent: Int) {
    #expect(ProgressLine(job(.rendering, done: done, of: 300)).percent == percent)
  }

  @Test(arguments: [(40, 10), (80, 30), (200, 30)])
  func `a bar fits in the terminal`(columns: Int, longest: Int) {
    let bar = ProgressLine(activity: "rendering", fraction: 0.5, figures: ["1/2 frames"])
      .bar(columns: columns)
    #expect(bar.count < columns)
    #expect(bar.filter { "█░".contains($0) }.count <= longest)
  }

  @Test func `a bar at one half is half full`() {
    let bar = ProgressLine(activity: "a", fraction: 0.5, figures: []).bar(columns: 100)
    #expect(bar.filter { $0 == "█" }.count == 15)
    #expect(bar.filter { $0 == "░" }.count == 15)
  }

  @Test func `a narrow terminal shows only the words that fit`() {
    let bar = ProgressLine(activity: "rendering", fraction: 0.5, figures: ["x"]).bar(columns: 12)
    #expect(bar == "rendering  ")
  }

  @Test(arguments: [
    (0, "0:00"), (0.2, "0:01"), (61, "1:01"), (3600, "1:00:00"), (-1, "unknown"),
    (Double.infinity, "unknown"), (Double.nan, "unknown"),
  ])
  func `a duration is formatted as a clock time`(seconds: Double, text: String) {
    #expect(ProgressLine.clock(seconds) == text)
  }

  @Test(arguments: [
    (0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (1 << 30, "1.0 GiB"),
    (Int64.max, "8388608.0 TiB"),
  ])
  func `a byte count uses the largest suitable unit`(count: Int64, text: String) {
    #expect(ByteCount(count).description == text)
  }
}
