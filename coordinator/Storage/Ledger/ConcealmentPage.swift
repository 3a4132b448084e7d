import FarmAPI
import Foundation
import Planning

/// A page of the damaged media in a job's file, as the ledger stores it.
package struct ConcealmentPage: Sendable {
  /// A list of parts that begins on the page, or continues on it.
  package struct Section: Sendable {
    /// A list of `Concealment`.
    package let list: Data
    /// The output frame from which the list counts frames.
    package var firstFrame = 0
    /// The number of the list's parts that come before the page.
    package var skipped = 0

    package init(list: Data, firstFrame: Int = 0, skipped: Int = 0) {
      self.list = list
      self.firstFrame = firstFrame
      self.skipped = skipped
    }
  }

  /// The lists, in order.
  package var sections: [Section] = []
  /// The maximum number of parts on the page.
  package let limit: Int

  package init(sections: [Section] = [], limit: Int) {
    self.sections = sections
    self.limit = limit
  }

  /// The size of the lists in bytes.
  package var byteCount: Int { sections.reduce(0) { $0 + $1.list.count } }

  /// Decodes the parts on the page.
  package func parts() throws -> [Concealment] {
    var parts: [Concealment] = []
    for section in sections where parts.count < limit {
      let listed = try FarmCoding.decode([Concealment].self, from: section.list)
      parts += listed.dropFirst(section.skipped).prefix(limit - parts.count).map { part in
        var part = part
        part.frames = part.frames.map { Self.moved($0, by: section.firstFrame) }
        return part
      }
    }
    return parts
  }

  /// Offsets a range of frames. A worker may send any frame numbers.
  private static func moved(_ frames: Range<Int>, by first: Int) -> Range<Int> {
    func shifted(_ frame: Int) -> Int { min(max(frame, 0), Int.max - first) + first }
    return shifted(frames.lowerBound)..<shifted(frames.upperBound)
  }
}
