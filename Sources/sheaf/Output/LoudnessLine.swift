import Foundation
import Planning

extension LoudnessReport {
  /// The report in one line, as `sheaf job`, `render` and `watch` print it.
  package var line: String {
    func number(_ value: Double) -> String { String(format: "%.1f", value) }
    guard let before else { return "loudness: the sound is silent, so it was not changed" }
    let reached = after.map(number) ?? "-"
    let peak = truePeak.map { ", true peak \(number($0)) dBTP" } ?? ""
    return "loudness: \(number(before)) LUFS, gain \(String(format: "%+.1f", gain)) dB, now "
      + "\(reached) LUFS\(peak)\(isLimited ? ", peaks limited" : "")"
  }
}
