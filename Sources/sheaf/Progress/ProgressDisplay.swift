import FarmAPI
import Synchronization

/// Shows progress on standard error: lines that are redrawn on a terminal, an occasional line elsewhere.
package final class ProgressDisplay: Sendable {
  private struct State {
    var pacing = PlainPacing()
    var workers: WorkerFigures?
    var job: JobStatus?
    var jobArrived: ContinuousClock.Instant?
  }

  let console: Console
  private let isQuiet: Bool
  private let begin = ContinuousClock.now
  private let state = Mutex(State())

  /// Creates a display; `isQuiet` shows nothing.
  package init(on console: Console, isQuiet: Bool = false) {
    self.console = console
    self.isQuiet = isQuiet
  }

  /// Whether lines are redrawn in place.
  package var isLive: Bool { !isQuiet && console.screen.canRedraw }

  /// The time since the display was created.
  package var elapsed: Duration { ContinuousClock.now - begin }

  /// Shows an activity.
  package func show(_ line: ProgressLine) {
    guard !isQuiet else { return }
    guard isLive else { return showPlain(line) }
    state.withLock { $0.job = nil }
    console.screen.show { columns, style in
      [StyledLine(line.bar(columns: columns, hasBlocks: style.hasBlocks))]
    }
  }

  package func show(_ job: JobStatus) {
    guard !isQuiet else { return }
    guard isLive else { return showPlain(ProgressLine(job)) }
    state.withLock { ($0.job, $0.jobArrived) = (job, .now) }
    console.screen.show { [self] columns, style in
      view.map { $0.lines(columns: columns, style: style) } ?? []
    }
  }

  /// Shows the farm's workers beside the job.
  package func show(workers: WorkerFigures?) { state.withLock { $0.workers = workers } }

  /// Removes the progress from the terminal.
  package func clear() {
    if isLive { console.screen.clear() }
  }

  private var view: LiveView? {
    state.withLock { state in
      guard let job = state.job else { return nil }
      let age = state.jobArrived.map { ContinuousClock.now - $0 } ?? .zero
      return LiveView(job, workers: state.workers, age: age / .seconds(1))
    }
  }

  private func showPlain(_ line: ProgressLine) {
    let instant = elapsed
    if state.withLock({ $0.pacing.shouldPrint(line, at: instant) }) { console.report(line.plain) }
  }
}
