import FarmAPI
import Foundation
import Planning

/// The damaged media in a chunk or in a job's sound, as the ledger stores it.
///
/// Encoding or decoding tens of thousands of parts takes a considerable fraction of a second, so it happens outside the
/// farm's thread, which answers other calls meanwhile.
package struct StoredConcealments: Hashable, Sendable {
  /// The number of parts.
  package let count: Int
  /// A list of `Concealment`.
  package let list: Data
  /// The list's first parts, as many as a status shows.
  package let first: Data

  /// Encodes parts. Returns `nil` if there are none.
  package init?(_ parts: [Concealment]) throws {
    guard !parts.isEmpty else { return nil }
    count = parts.count
    list = try FarmCoding.encode(parts)
    first =
      parts.count > JobStatus.concealedLimit
      ? try FarmCoding.encode(Array(parts.prefix(JobStatus.concealedLimit))) : list
  }
}
