import Dispatch
import FarmAPI
import Foundation
import Synchronization

/// The lines at the end of standard error that are redrawn in place, and everything else that is written there.
///
/// It redraws at most ten times a second, when the content changes, once a second, and when the terminal's size changes.
package final class Screen: Sendable {
  /// The content for a width.
  package typealias Content = @Sendable (_ columns: Int, _ style: TerminalStyle) -> [StyledLine]

  private struct State {
    var painter = Painter()
    var content: Content?
    var isChanged = false
    var isStopped = false
    var columns = 0
    var paintedAt: ContinuousClock.Instant?
    var timer: (any DispatchSourceTimer)?
    var signals: [any DispatchSourceSignal] = []
  }

  /// The screen of this process.
  package static let standard = Screen(environment: ProcessInfo.processInfo.environment)

  /// Whether lines can be redrawn: standard error is a terminal that is not dumb.
  package let canRedraw: Bool
  private let style: TerminalStyle
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "screen")

  private static let interval = Duration.milliseconds(100)

  private init(environment: [String: String]) {
    canRedraw = isatty(STDERR_FILENO) == 1 && TerminalStyle.canRedraw(environment)
    style = TerminalStyle(environment: environment)
  }

  /// Shows content until ``clear()``. It is asked for its lines whenever they are drawn.
  package func show(_ content: @escaping Content) {
    guard canRedraw else { return }
    state.withLock { state in
      state.content = content
      state.isChanged = true
      start(&state)
      paintIfDue(&state)
    }
  }

  /// Removes the content and shows the cursor again.
  package func clear() {
    state.withLock { state in
      state.timer?.cancel()
      for source in state.signals { source.cancel() }
      (state.timer, state.signals, state.content) = (nil, [], nil)
      Self.write(state.painter.erase())
    }
  }

  /// Writes something above the content.
  func interrupted<Value>(_ write: () -> Value) -> Value {
    state.withLock { state in
      let isShown = state.painter.isActive
      Self.write(state.painter.erase())
      let value = write()
      if isShown, state.content != nil { paint(&state) }
      return value
    }
  }

  private func start(_ state: inout State) {
    guard state.timer == nil else { return }
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + .milliseconds(100), repeating: .milliseconds(100))
    timer.setEventHandler { [self] in self.state.withLock { paintIfDue(&$0) } }
    timer.resume()
    state.timer = timer
    let resized = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: queue)
    resized.setEventHandler { [self] in self.state.withLock { resize(&$0) } }
    let stopped = DispatchSource.makeSignalSource(signal: SIGTSTP, queue: queue)
    stopped.setEventHandler { [self] in stop() }
    let continued = DispatchSource.makeSignalSource(signal: SIGCONT, queue: queue)
    continued.setEventHandler { [self] in
      self.state.withLock { state in
        state.isStopped = false
        if state.content != nil { paint(&state) }
      }
    }
    state.signals = [resized, stopped, continued]
    for source in state.signals { source.resume() }
  }

  /// Stops the process as Ctrl-Z does, with a visible cursor meanwhile.
  private func stop() {
    state.withLock { state in
      Self.write(state.painter.erase())
      state.isStopped = true
    }
    kill(getpid(), SIGSTOP)
  }

  private func resize(_ state: inout State) {
    guard state.content != nil, !state.isStopped else { return }
    let columns = TerminalWidth.columns(of: STDERR_FILENO) ?? state.columns
    guard columns != state.columns else { return }
    Self.write(state.painter.eraseWrapped(columns: columns))
    paint(&state)
  }

  private func paintIfDue(_ state: inout State) {
    guard state.content != nil, !state.isStopped else { return }
    let age = state.paintedAt.map { ContinuousClock.now - $0 } ?? .seconds(1)
    guard age >= (state.isChanged ? Self.interval : .seconds(1)) else { return }
    paint(&state)
  }

  private func paint(_ state: inout State) {
    guard let content = state.content else { return }
    state.columns = TerminalWidth.columns(of: STDERR_FILENO) ?? 80
    let rows = TerminalWidth.rows(of: STDERR_FILENO)
    let lines = Array(content(state.columns, style).prefix(max(rows - 1, 1)))
    Self.write(state.painter.paint(lines, columns: state.columns, hasColor: style.hasColor))
    state.isChanged = false
    state.paintedAt = .now
  }

  private static func write(_ text: String) {
    guard !text.isEmpty else { return }
    _ = Self.write(text, to: STDERR_FILENO)
  }

  /// Writes all of a text. Returns the system's error number, or 0.
  static func write(_ text: String, to descriptor: Int32) -> Int32 {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        guard errno == EINTR else { return errno }
        continue
      }
      bytes = bytes.dropFirst(count)
    }
    return 0
  }
}
