import FarmAPI

extension SegmentStrip {
  /// The strip of a job. If its status has none, the number of segments in each state stands for it; `nil` if it is not
  /// planned yet.
  package init?(_ job: JobStatus) {
    if let strip = job.strip.flatMap({ SegmentStrip($0) }), strip.frameCount > 0 {
      self = strip
      return
    }
    guard job.segments.total > 0 else { return nil }
    self.init([
      Run(.encoded, job.segments.completed), Run(.failed, job.segments.failed),
      Run(.rendering, job.segments.leased), Run(.waiting, job.segments.pending),
    ])
  }

  /// The states in which there are frames, in the order of the legend.
  package var states: [State] {
    let found = Set(runs.map(\.state))
    return [.copied, .reused, .encoded, .rendering, .waiting, .failed].filter(found.contains)
  }

  /// The state of each of a number of cells. A cell has the most interesting of the states of its frames, so that a
  /// failed segment is visible however short it is.
  package func cells(_ count: Int) -> [State] {
    let total = frameCount
    guard count > 0, total > 0 else { return [] }
    var cells = [State?](repeating: nil, count: count)
    var begin = 0
    for run in runs {
      let end = begin + run.frameCount
      // The cells of its first and its last frame. If there are more cells than frames, a frame has several.
      let first = begin * count / total
      let last = max(first, (end * count + total - 1) / total - 1)
      for cell in first...min(last, count - 1) {
        if let other = cells[cell], other.rank <= run.state.rank { continue }
        cells[cell] = run.state
      }
      begin = end
    }
    return cells.compactMap(\.self)
  }
}

extension SegmentStrip.State {
  /// The place in the order of interest; 0 is the most interesting.
  fileprivate var rank: Int {
    [.failed, .rendering, .waiting, .encoded, .copied, .reused].firstIndex(of: self) ?? 0
  }

  /// The character that shows the state, with or without color.
  package func glyph(hasBlocks: Bool) -> Character {
    switch self {
    case .waiting: hasBlocks ? "░" : "."
    case .rendering: hasBlocks ? "▒" : ">"
    case .encoded: hasBlocks ? "█" : "#"
    case .copied: hasBlocks ? "▤" : "="
    case .reused: hasBlocks ? "▦" : "+"
    case .failed: hasBlocks ? "✗" : "x"
    }
  }

  /// Its color.
  package var style: StyledLine.Style {
    switch self {
    case .waiting: .faint
    case .rendering: .yellow
    case .encoded: .green
    case .copied: .cyan
    case .reused: .blue
    case .failed: .red
    }
  }

  /// Its name in the legend.
  package var name: String {
    switch self {
    case .waiting: "waiting"
    case .rendering: "rendering"
    case .encoded: "encoded"
    case .copied: "copied"
    case .reused: "reused"
    case .failed: "failed"
    }
  }
}
