import Foundation
import Planning

extension StreamVerification {
  /// The maximum number of places to list for each kind of problem.
  private static let listed = 20

  /// The result in lines for the terminal.
  var lines: [String] {
    let name = "\(kind) \(number)"
    if let unreadable { return ["\(name): not verified: it \(unreadable)"] }
    let all = Self.counted(count, isVideo ? "frame" : "sample")
    if isSound {
      let keyframes = isVideo ? ", \(Self.counted(starts, "keyframe"))" : ""
      let rest = isVideo && compared < count ? ", \(compared) frames compared" : ""
      return ["\(name): no errors, \(all)\(keyframes)\(rest)"]
    }
    var lines: [String] = []
    if !damaged.isEmpty {
      let problem = isVideo ? "\(damaged.count) of \(all) damaged or missing" : "damaged or missing"
      lines.append("\(name): \(problem): \(list(damaged))")
    }
    if !differing.isEmpty {
      let problem =
        isVideo ? "\(differing.count) of \(all) decoded differently" : "decoded differently"
      lines.append("\(name): \(problem) after a seek: \(list(differing))")
    }
    if compared == 0 {
      lines.append(
        "\(name): not verified: \(isVideo ? "no frames" : "no samples") could be compared")
    }
    return lines
  }

  private var isVideo: Bool { kind == "video" }

  /// Lists the first places, with consecutive frames as one, and the number of the others.
  private func list(_ places: [Place]) -> String {
    var runs: [(first: Place, last: Place)] = []
    for place in places {
      if let last = runs.last?.last, isVideo, place.number == last.number + 1 {
        runs[runs.count - 1].last = place
      } else {
        runs.append((place, place))
      }
    }
    let what = isVideo ? "frame" : "sample"
    var text = runs.prefix(Self.listed).map { run in
      run.first == run.last
        ? "\(what) \(run.first.number) (\(Self.seconds(run.first)) s)"
        : "\(what)s \(run.first.number) to \(run.last.number)"
          + " (\(Self.seconds(run.first)) to \(Self.seconds(run.last)) s)"
    }.joined(separator: ", ")
    let rest = runs.dropFirst(Self.listed)
    if !rest.isEmpty {
      let more = rest.reduce(0) { $0 + (isVideo ? $1.last.number - $1.first.number + 1 : 1) }
      text += ", and \(Self.counted(more, isVideo ? "more frame" : "more place"))"
    }
    return text
  }

  private static func seconds(_ place: Place) -> String { String(format: "%.3f", place.seconds) }

  private static func counted(_ count: Int, _ what: String) -> String {
    "\(count) \(what)\(count == 1 ? "" : "s")"
  }
}
