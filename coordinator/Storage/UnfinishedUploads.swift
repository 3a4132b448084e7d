import Crypto

/// Counts each owner's unfinished uploads and their bytes, so that another upload can be checked against the owner's
/// limits without examining the disk.
package struct UnfinishedUploads: Sendable {
  /// The unfinished uploads of an owner.
  package struct Sum: Hashable, Sendable {
    package var count = 0
    /// Their total size in bytes. Uploads in progress count with their full size.
    package var byteCount: Int64 = 0

    package init() {}
  }

  private struct Owner {
    /// The size of each upload that has a file.
    var sizes: [Digest: Int64] = [:]
    var byteCount: Int64 = 0
    /// The uploads that were announced and are not open yet, by number.
    var announced: [UInt64: (digest: Digest, total: Int64)] = [:]
  }

  private var owners: [String: Owner] = [:]
  private var lastNumber: UInt64 = 0

  /// Creates a record without uploads.
  package init() {}

  /// Records the bytes with which an owner's upload counts, or `nil` if the upload no longer exists.
  package mutating func set(_ digest: Digest, of owner: String, to size: Int64?) {
    var record = owners.removeValue(forKey: owner) ?? Owner()
    record.byteCount += (size ?? 0) - (record.sizes[digest] ?? 0)
    record.sizes[digest] = size
    keep(record, of: owner)
  }

  /// Announces an upload of an owner.
  ///
  /// - Returns: a number to pass to ``retract(_:of:)``, and the owner's other unfinished uploads, including earlier
  ///   announcements.
  package mutating func announce(
    _ digest: Digest, of owner: String, total: Int64
  ) -> (number: UInt64, others: Sum) {
    var record = owners.removeValue(forKey: owner) ?? Owner()
    var others = Sum()
    others.count = record.sizes.count - (record.sizes[digest] == nil ? 0 : 1)
    others.byteCount = record.byteCount - (record.sizes[digest] ?? 0)
    var announced: [Digest: Int64] = [:]
    for entry in record.announced.values where entry.digest != digest {
      announced[entry.digest] = max(announced[entry.digest] ?? 0, entry.total)
    }
    for (other, total) in announced {
      let size = record.sizes[other]
      if size == nil { others.count += 1 }
      others.byteCount += max(0, total - (size ?? 0))
    }
    lastNumber += 1
    record.announced[lastNumber] = (digest, total)
    owners[owner] = record
    return (lastNumber, others)
  }

  /// Drops an announcement of an owner.
  package mutating func retract(_ number: UInt64, of owner: String) {
    guard var record = owners.removeValue(forKey: owner) else { return }
    record.announced[number] = nil
    keep(record, of: owner)
  }

  private mutating func keep(_ record: Owner, of owner: String) {
    guard !record.sizes.isEmpty || !record.announced.isEmpty else { return }
    owners[owner] = record
  }
}
