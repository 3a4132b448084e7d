import Timeline

extension VideoComposition {
  /// Whether the instructions cover a range of a composition without overlaps and show only its tracks, and whether the
  /// size, scale and frame duration are valid.
  ///
  /// - Parameters:
  ///   - composition: The composition with the tracks. `nil` skips the checks that depend on them.
  ///   - timeRange: Only instructions that overlap this range are checked. `nil` checks all of them.
  public func isValid(for composition: Composition?, timeRange: TimeRange? = nil) -> Bool {
    validate(for: composition, timeRange: timeRange).isEmpty
  }

  /// The findings because of which ``isValid(for:timeRange:)`` is false, in file order.
  ///
  /// AVFoundation asks its delegate after each finding whether to continue. This method always reports all of them.
  public func validate(for composition: Composition?, timeRange: TimeRange? = nil)
    -> [VideoCompositionFinding]
  {
    let shown = instructions.enumerated().filter { _, instruction in
      // An empty range overlaps nothing, but is always invalid.
      instruction.timeRange.duration <= .zero
        || timeRange.map { $0.overlaps(instruction.timeRange) } ?? true
    }
    return valueFindings()
      + coverageFindings(of: shown, duration: composition?.duration, during: timeRange)
      + shown.flatMap { number, instruction in
        instruction.layers.enumerated().compactMap { layerNumber, layer in
          let path: FindingPath = "videoComposition.instructions[\(number)].layers[\(layerNumber)]"
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

  /// The findings for gaps and overlaps of instructions within the wanted range.
  func coverageFindings(
    of instructions: [(offset: Int, element: Instruction)], duration: RationalTime?,
    during wanted: TimeRange?
  ) -> [VideoCompositionFinding] {
    let path: FindingPath = "videoComposition.instructions"
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
            path: path, problem: "there are no instructions",
            remedy: "cover \(range.shown), or remove videoComposition to derive it"))
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
          problem: "no instruction covers [\(start), \(gap))", remedy: "start at \(start)"))
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
          problem: "no instruction covers [\(reached), \(end))",
          remedy: wanted?.end == end
            ? "extend the last instruction to \(end)"
            : "extend the last instruction to the end of the composition, \(end)"))
    }
    return findings
  }
}
