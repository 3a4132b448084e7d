import Synchronization

/// Shows progress on standard error: a bar that is redrawn on a terminal, an occasional line elsewhere.
package final class ProgressDisplay: Sendable {
  private struct State {
    var pacing = PlainPacing()
    var drawnAt: Duration?
    var isDrawn = false
    var activity: String?
  }

  private let console: Console
  private let isQuiet: Bool
  private let begin = ContinuousClock.now
  private let state = Mutex(State())

  /// A display on a console; a quiet one shows nothing.
  package init(on console: Console, isQuiet: Bool = false) {
    self.console = console
    self.isQuiet = isQuiet
  }

  /// Shows a line, or skips it if the previous one was shown a moment ago.
  package func show(_ line: ProgressLine) {
    guard !isQuiet else { return }
    let instant = ContinuousClock.now - begin
    state.withLock { state in
      guard console.isTerminal else {
        if state.pacing.shouldPrint(line, at: instant) { console.report(line.plain) }
        return
      }
      let isSoon = state.drawnAt.map { instant - $0 < .milliseconds(50) } ?? false
      guard !isSoon || line.activity != state.activity else { return }
      console.redraw(line.bar(columns: console.columns))
      (state.drawnAt, state.isDrawn, state.activity) = (instant, true, line.activity)
    }
  }

  /// Removes the bar, so that later output starts on its own line.
  package func clear() {
    state.withLock { state in
      if state.isDrawn { console.redraw("") }
      state.isDrawn = false
    }
  }
}
