import Foundation
import Planning
import Timeline

extension FrameRateReport {
  /// The lines that `sheaf plan`, `render` and `job` print: the rate with its reason, one line for each listed asset
  /// with frames that are not shown, and the number of other assets with such frames.
  package var lines: [String] {
    ["frame rate: \(Self.shown(frameRate)), \(explanation)"] + unshown.map(Self.line)
      + moreAssets
  }

  /// The line on one asset with frames that are not shown.
  private static func line(_ frames: UnshownFrames) -> String {
    let times = frames.times.map { decimal($0) }.joined(separator: ", ")
    let rest = frames.count > frames.times.count ? ", …" : ""
    return "frame rate: \(frames.count) of \(frames.total) frames of \"\(frames.asset)\" are not"
      + " shown at this rate: at \(times)\(rest) s"
  }

  /// The line on the assets that ``unshown`` does not list.
  private var moreAssets: [String] {
    let count = (unshownAssets ?? 0) - unshown.count
    guard count > 0 else { return [] }
    return [
      "frame rate: frames of \(count) more \(count == 1 ? "asset" : "assets") are not shown at this rate"
    ]
  }

  private var explanation: String {
    let source = fastest.map { source in
      let rate =
        source.frameRate.map { Self.shown($0) }
        ?? source.shortestFrame.map { "variable, shortest frame \(Self.decimal($0)) s" }
      return "\"\(source.asset)\" (\(rate ?? "one frame"))"
    }
    switch (reason, source) {
    case (.showsEveryFrame, let source?):
      return "the lowest standard rate that shows every frame of \(source)"
    case (.highestStandard, let source?):
      return "the highest standard rate, for \(source)"
    case (.copiedSource, let source?): return "the rate of \(source), which is copied"
    case (.project, let source?):
      return "set by the project; the fastest source is \(source)"
    case (.project, nil): return "set by the project"
    default: return "the default, because the project has no moving picture"
    }
  }

  /// A rate with up to three decimals.
  private static func shown(_ rate: RationalTime) -> String { TimeText.rate(rate) }

  /// A number with up to three decimals.
  private static func decimal(_ number: RationalTime) -> String {
    var text = String(format: "%.3f", number.seconds)
    while text.hasSuffix("0") { text.removeLast() }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}
