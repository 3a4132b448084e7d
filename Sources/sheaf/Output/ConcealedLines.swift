import FarmAPI
import Foundation

extension JobStatus {
  /// The parts of the job's file that show or play concealed damage, one line each.
  package var concealedLines: [String] { (concealed ?? []).map { $0.line(frameDuration) } }
}

extension ConcealedMedia {
  /// The part in one line for the terminal, with the timecodes of the output's frames.
  ///
  /// - Parameter frameDuration: the length of one output frame in seconds, if it is known.
  package func line(_ frameDuration: Double?) -> String {
    let place = "\(asset) at \(TimeText.seconds(time))"
    guard let firstFrame, let frameCount else {
      return "concealed: the sound of \(place), for \(TimeText.seconds(duration ?? 0))"
    }
    let last = firstFrame + frameCount - 1
    let frames =
      frameCount == 1 ? "output frame \(firstFrame)" : "output frames \(firstFrame) to \(last)"
    guard let frameDuration else { return "concealed: \(place), in \(frames)" }
    let begin = TimeText.frames(firstFrame, ofSeconds: frameDuration)
    let end = TimeText.frames(last, ofSeconds: frameDuration)
    return "concealed: \(place), in \(frames) (\(frameCount == 1 ? begin : "\(begin) to \(end)"))"
  }
}
