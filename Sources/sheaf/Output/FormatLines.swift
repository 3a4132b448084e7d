import FarmAPI
import Planning
import Timeline

extension Plan {
  /// The lines that `sheaf plan` prints about the format that the preset `automatic` continues, and about the frames
  /// that are copied and encoded. There are none if the preset encodes every frame.
  package var formatLines: [String] {
    var counts: [SegmentMethod.Kind: Int] = [:]
    for (segment, method) in zip(segments, methods ?? []) {
      method.count(segment.frameCount, in: &counts)
    }
    counts[.preset] = nil
    guard !counts.isEmpty else { return [] }
    var lines = continuedFormat.map { ["format: \($0)"] } ?? []
    let copied = counts[.copied] ?? 0
    lines.append(
      "frames: \(TimeText.grouped(copied)) of \(TimeText.grouped(frameCount)) are copied,"
        + " \(TimeText.grouped(frameCount - copied)) are encoded")
    let reasons = counts.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
    lines += reasons.compactMap { kind, count in
      kind.reason.map { "frames: \(TimeText.grouped(count)) encoded because \($0)" }
    }
    return lines
  }

  private var continuedFormat: String? {
    guard export.isAutomatic else { return nil }
    guard let format = export.continued else { return "that of the preset \"highestQuality\"" }
    return "that of \"\(format.asset.shortened(toBytes: FrameRateReport.nameLimit))\", which fills"
      + " most of the time"
  }
}
