import FarmAPI
import Foundation

extension JobStatus {
  /// The parts of the file with concealed damage, one line each.
  package var concealedLines: [String] { (concealed ?? []).map(\.line) }
}

extension ConcealedMedia {
  /// The part in one line.
  package var line: String {
    let place = "\(asset) at \(String(format: "%.3f", time)) s"
    guard let firstFrame, let frameCount else {
      return "concealed: the sound of \(place), for \(String(format: "%.3f", duration ?? 0)) s"
    }
    let frames =
      frameCount == 1
      ? "output frame \(firstFrame)"
      : "output frames \(firstFrame) to \(firstFrame + frameCount - 1)"
    return "concealed: \(place), in \(frames)"
  }
}
