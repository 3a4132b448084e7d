/// Finds the word that the writer of a mistyped one probably meant.
package enum Suggestion {
  /// The longest word that is compared.
  private static let longest = 64
  /// The shortest beginning of a word that is taken for it.
  private static let shortestBeginning = 3

  /// The candidate that is nearest to `word`; `nil` if none is similar enough.
  ///
  /// A candidate is similar if at most a third of the letters must change, or if it is the only one that begins with
  /// the word. Upper and lower case count as equal.
  package static func nearest(
    to word: String, among candidates: some Sequence<String>
  ) -> String? {
    let written = Array(word.lowercased())
    guard !written.isEmpty, written.count <= longest else { return nil }
    let allowed = max(1, min(3, written.count / 3))
    var best: (candidate: String, distance: Int)?
    var begun: [String] = []
    for candidate in candidates {
      let letters = Array(candidate.lowercased())
      if written.count >= shortestBeginning, letters.starts(with: written) {
        begun.append(candidate)
      }
      // A word of one or two letters is near to every other one.
      guard letters.count > 1, written.count > 1 || letters == written,
        abs(letters.count - written.count) <= allowed
      else { continue }
      let distance = distance(written, letters)
      if distance <= allowed, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.candidate ?? (begun.count == 1 ? begun[0] : nil)
  }

  /// The number of letters to insert, remove, replace or swap with the next one to turn one word into the other
  /// (optimal string alignment).
  private static func distance(_ first: [Character], _ second: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for (row, letter) in first.enumerated() {
      var current = [row + 1]
      for (column, other) in second.enumerated() {
        var cost = min(
          last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      (beforeLast, last) = (last, current)
    }
    return last[second.count]
  }
}
