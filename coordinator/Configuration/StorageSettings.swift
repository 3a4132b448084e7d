/// The limits on what a coordinator stores, and the space that it leaves free.
package struct StorageSettings: Hashable, Sendable {
  /// The bytes on the data directory's disk that new work leaves free.
  package var reserve: Int64 = 128 << 20
  /// The time in seconds for which the chunks of ended jobs are kept for a retry or a later job.
  package var keepChunks: Double = 7 * 86_400
  /// The maximum total size of such chunks in bytes; the least recently needed ones are removed first. With 0, no
  /// chunks are kept for later jobs.
  package var chunkBytes: Int64 = 100 << 30
  /// The time in seconds for which an uploaded asset is kept if no job uses it.
  package var keepAssets: Double = 30 * 86_400
  /// The maximum total size of assets in bytes; unused assets are removed first, starting with the oldest.
  package var assetBytes: Int64 = 500 << 30
  /// The time in seconds for which files stay in the quarantine.
  package var keepQuarantine: Double = 30 * 86_400
  /// The bytes per second that the search for damaged files may read; 0 turns it off.
  package var scrubRate: Int64 = 16 << 20
  /// The time without a byte after which another request may take over an upload.
  package var uploadPatience = Duration.seconds(5)
  /// The time in seconds for which an interrupted upload can be continued.
  package var keepUploads: Double { keepChunks }

  /// Files younger than this many seconds are left alone, because a request may be about to refer to them.
  static let youth: Double = 3600

  /// The submitters whose chunks a job may reuse.
  package enum Reuse: String, Hashable, Sendable, CaseIterable {
    /// All submitters.
    case all
    /// Only the job's own submitter.
    case submitter
  }

  /// The submitters whose chunks a job may reuse.
  package var reuse = Reuse.all

  /// The defaults.
  package init() {}

  /// Parses an argument of `serve` and its value.
  ///
  /// - Returns: whether the argument is one of these settings.
  /// - Throws: ``UsageError`` if the value is not valid.
  mutating func take(
    _ argument: String, _ value: () throws(UsageError) -> String
  ) throws(UsageError) -> Bool {
    switch argument {
    case "--reserve-bytes": reserve = try Self.bytes(argument, value())
    case "--keep-chunks-days": keepChunks = try Self.days(argument, value())
    case "--keep-chunks-bytes": chunkBytes = try Self.bytes(argument, value())
    case "--keep-assets-days": keepAssets = try Self.days(argument, value())
    case "--keep-assets-bytes": assetBytes = try Self.bytes(argument, value())
    case "--reuse":
      let text = try value()
      guard let reuse = Reuse(rawValue: text) else {
        throw UsageError("--reuse must be all or submitter, not '\(text)'")
      }
      self.reuse = reuse
    case "--keep-quarantine-days": keepQuarantine = try Self.days(argument, value())
    case "--scrub-bytes-per-second": scrubRate = try Self.bytes(argument, value())
    default: return false
    }
    return true
  }

  private static func days(_ argument: String, _ text: String) throws(UsageError) -> Double {
    guard let number = Int(text), (1...36_500).contains(number) else {
      throw UsageError("\(argument) must be a number of days from 1 to 36500, not '\(text)'")
    }
    return Double(number) * 86_400
  }

  private static func bytes(_ argument: String, _ text: String) throws(UsageError) -> Int64 {
    guard let number = Int64(text), (0...(1 << 50)).contains(number) else {
      throw UsageError("\(argument) must be a number of bytes from 0 to 2^50, not '\(text)'")
    }
    return number
  }

  static let usage = """
      --reserve-bytes N    bytes of the disk that new work leaves free (134217728)
      --keep-chunks-days N   days to keep the chunks of ended jobs for retries and edited
                           projects (7)
      --keep-chunks-bytes N  bytes of such chunks; 0 keeps none for later jobs (107374182400)
      --reuse WHOSE        whose chunks a job may reuse: all, or submitter for those of its own
                           submitter's jobs (all)
      --keep-assets-days N   days to keep assets that no job uses (30)
      --keep-assets-bytes N  bytes of assets above which unused ones are removed (536870912000)
      --keep-quarantine-days N  days that damaged files stay in the quarantine (30)
      --scrub-bytes-per-second N  bytes per second to read in search of damaged files; 0 turns
                           the search off (16777216)
    """
}
