import FarmAPI
import Foundation

/// The lines that a terminal shows while a job is rendered. They fit its width.
package struct LiveView: Sendable {
  package var job: JobStatus
  /// The farm's workers, if the coordinator tells.
  package var workers: WorkerFigures?
  /// The time since the job's status arrived, in seconds.
  package var age: Double

  package init(_ job: JobStatus, workers: WorkerFigures? = nil, age: Double = 0) {
    self.job = job
    self.workers = workers
    self.age = age
  }

  /// The lines for a terminal of a width.
  package func lines(columns: Int, style: TerminalStyle) -> [StyledLine] {
    let columns = max(columns, 1)
    var lines = [title(columns)]
    let strip = SegmentStrip(job)
    if let strip {
      var line = StyledLine()
      for cell in strip.cells(columns) {
        line.add(String(cell.glyph(hasBlocks: style.hasBlocks)), cell.style)
      }
      lines.append(line)
    }
    if let figures = figures(columns) { lines.append(figures) }
    if let missing = job.waitingFor {
      lines.append(StyledLine(shortened("waiting for \(missing)", columns, style), .yellow))
    }
    if let strip, let legend = legend(strip, columns, style) { lines.append(legend) }
    return lines
  }

  /// The job's name and state to the left, the percentage and the time that is left to the right.
  private func title(_ columns: Int) -> StyledLine {
    let progress = ProgressLine(job)
    var right: [String] = []
    if let percent = progress.percent { right.append("\(percent) %") }
    if let left = secondsLeft { right.append("ETA \(ProgressLine.clock(left))") }
    let state = job.state.rawValue
    var tail = right.joined(separator: "  ")
    var room = columns - PrintableText(tail).columns - state.count - 4
    if room < 4 {
      tail = right.first ?? ""
      room = columns - PrintableText(tail).columns - state.count - 4
    }
    var line = StyledLine()
    let name = PrintableText(job.name)
    if room >= 4 {
      line.add(
        name.columns <= room ? name.description : name.prefix(columns: room - 1) + "…", .bold)
      line.add("  ")
    }
    line.add(state, stateStyle)
    let blank = columns - line.columns - PrintableText(tail).columns
    line.add(String(repeating: " ", count: max(blank, 1)) + tail)
    return line.prefix(columns: columns)
  }

  private var stateStyle: StyledLine.Style {
    switch job.state {
    case .completed: .green
    case .failed, .cancelled: .red
    default: .plain
    }
  }

  private var secondsLeft: Double? {
    guard job.state == .rendering, let seconds = job.secondsRemaining else { return nil }
    return max(seconds - age, 0)
  }

  /// Frames, rate, speed and workers, as many as fit; the most important first.
  private func figures(_ columns: Int) -> StyledLine? {
    var figures: [[String]] = []
    if job.isFollowing == true {
      let done = TimeText.grouped(job.framesRendered)
      figures.append(["\(done) frames so far (following a recording)", "\(done) frames"])
    } else if let total = job.frameCount, total > 0 {
      let (done, all) = (TimeText.grouped(job.framesRendered), TimeText.grouped(total))
      figures.append(["\(done) of \(all) frames", "\(done)/\(all)"])
    }
    if job.state == .rendering, let rate = job.framesPerSecond, rate > 0 {
      figures.append([String(format: "%.1f fps", rate)])
      if let duration = job.frameDuration {
        figures.append([String(format: "%.2f×", rate * duration)])
      }
    }
    if !job.state.isFinal, let workers { figures.append([workers.text, workers.shortText]) }
    guard !figures.isEmpty else { return nil }
    // The longest forms that fit, and fewer figures if even the shortest do not.
    for count in stride(from: figures.count, to: 0, by: -1) {
      for form in 0..<2 {
        let text = figures.prefix(count).map { $0[min(form, $0.count - 1)] }
          .joined(separator: "  ")
        if PrintableText(text).columns <= columns { return StyledLine(text) }
      }
    }
    return nil
  }

  /// The meanings of the glyphs, if they fit.
  private func legend(_ strip: SegmentStrip, _ columns: Int, _ style: TerminalStyle) -> StyledLine?
  {
    var line = StyledLine()
    for state in strip.states {
      if line.columns > 0 { line.add("  ") }
      line.add(String(state.glyph(hasBlocks: style.hasBlocks)), state.style)
      line.add(" \(state.name)", .faint)
    }
    return line.columns <= columns ? line : nil
  }

  private func shortened(_ text: String, _ columns: Int, _ style: TerminalStyle) -> String {
    let text = PrintableText(text)
    return text.columns <= columns || !style.hasBlocks
      ? text.prefix(columns: columns) : text.prefix(columns: columns - 1) + "…"
  }
}
