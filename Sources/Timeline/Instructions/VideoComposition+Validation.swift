extension VideoComposition {
  /// Whether the instructions cover a range of a composition without overlaps and show none but its tracks, and size, scale
  /// and frame duration can be.
  ///
  /// - Parameters:
  ///   - composition: The tracks; `nil` leaves out what depends on them.
  ///   - timeRange: Only instructions that meet it are looked at; all of them where `nil`.
  public func isValid(for composition: Composition?, timeRange: TimeRange? = nil) -> Bool {
    validate(for: composition, timeRange: timeRange).isEmpty
  }

  /// All that keeps ``isValid(for:timeRange:)`` from being true, in the order of the file.
  ///
  /// AVFoundation asks its delegate whether to go on after each finding; here all of them are reported.
  public func validate(for composition: Composition?, timeRange: TimeRange? = nil)
    -> [VideoCompositionFinding]
  {
    let shown = instructions.enumerated().filter { _, instruction in
      // A range without length meets nothing, and is wrong wherever it is.
      instruction.timeRange.duration <= .zero
        || timeRange.map { $0.overlaps(instruction.timeRange) } ?? true
    }
    return valueFindings()
      + coverageFindings(of: shown, duration: composition?.duration, during: timeRange)
      + shown.flatMap { number, instruction in
        instruction.layers.enumerated().compactMap { layerNumber, layer in
          let path = "videoComposition.instructions[\(number)].layers[\(layerNumber)]"
          return composition.flatMap {
            layer.trackFinding(at: path, composition: $0, animationTrack: animation?.track)
          }.map {
            .invalidTrackID(instruction: number, layer: layerNumber, $0)
          }
        }
      }
  }

  private func valueFindings() -> [VideoCompositionFinding] {
    renderSize.findings(at: "videoComposition.renderSize")
      .map { .invalidValue(key: "renderSize", $0) }
      + renderScaleFindings().map { .invalidValue(key: "renderScale", $0) }
      + frameDurationFindings().map { .invalidValue(key: "frameDuration", $0) }
  }

  /// Findings for instructions that do not follow one another through the wanted range.
  func coverageFindings(
    of instructions: [(offset: Int, element: Instruction)], duration: RationalTime?,
    during wanted: TimeRange?
  ) -> [VideoCompositionFinding] {
    let path = "videoComposition.instructions"
    let start = max(wanted?.start ?? .zero, .zero)
    let end = [wanted?.end, duration].compactMap(\.self).min()
    guard let first = instructions.first, let last = instructions.last else {
      guard let end, start < end, let range = try? TimeRange(start: start, end: end) else {
        return []
      }
      return [
        .emptyTimeRange(
          range,
          Finding(
            path: path, problem: "there is no instruction",
            remedy: "cover \(range.shown), or leave out videoComposition to have it derived"))
      ]
    }
    var findings: [VideoCompositionFinding] = []
    func empty(from: RationalTime, to: RationalTime, _ finding: Finding) {
      guard let range = try? TimeRange(start: from, end: to) else { return }
      findings.append(.emptyTimeRange(range, finding))
    }
    if first.element.timeRange.start > start {
      let gap = first.element.timeRange.start
      empty(
        from: start, to: gap,
        Finding(
          path: "\(path)[\(first.offset)].timeRange.start",
          problem: "[\(start), \(gap)) is not covered", remedy: "start at \(start)"))
    }
    var before: (offset: Int, element: Instruction)?
    for (number, instruction) in instructions {
      let range = instruction.timeRange
      if range.duration <= .zero {
        findings.append(
          .invalidTimeRange(
            instruction: number,
            TimeRange.lengthFinding(
              range.duration, at: "\(path)[\(number)].timeRange.duration")))
      }
      if let before, range.start != before.element.timeRange.end {
        let earlier = before.element.timeRange
        let isGap = range.start > earlier.end
        let finding = Finding(
          path: "\(path)[\(number)].timeRange.start",
          problem: isGap
            ? "there is a gap over [\(earlier.end), \(range.start)) after instructions[\(before.offset)]"
            : "\(range.shown) overlaps instructions[\(before.offset)], \(earlier.shown)",
          remedy: "start at \(earlier.end)")
        if isGap {
          empty(from: earlier.end, to: range.start, finding)
        } else {
          findings.append(.invalidTimeRange(instruction: number, finding))
        }
      }
      before = (number, instruction)
    }
    let reached = last.element.timeRange.end
    if let end, reached < end {
      empty(
        from: reached, to: end,
        Finding(
          path: "\(path)[\(last.offset)].timeRange",
          problem: "[\(reached), \(end)) is not covered",
          remedy: wanted?.end == end
            ? "let the last instruction reach \(end)"
            : "let the last instruction reach the composition's end, \(end)"))
    }
    return findings
  }
}
