/// How much a coordinator keeps, and how much it leaves free.
package struct StorageSettings: Hashable, Sendable {
  /// Bytes of the data directory's disk that new work leaves free.
  package var reserve: Int64 = 128 << 20
  /// Seconds that the chunks of ended jobs wait for a retry, or for a later job that has use for them.
  package var keepChunks: Double = 7 * 86_400
  /// Bytes of such chunks; those that were not needed for longest go first. With 0 none are kept for later jobs.
  package var chunkBytes: Int64 = 100 << 30
  /// Seconds that an uploaded asset is kept which no job uses.
  package var keepAssets: Double = 30 * 86_400
  /// Bytes of assets; what is not used goes first, the oldest of it.
  package var assetBytes: Int64 = 500 << 30
  /// Seconds that files stay in the quarantine.
  package var keepQuarantine: Double = 30 * 86_400
  /// Bytes a second that the search for damaged files may read; 0 turns it off.
  package var scrubRate: Int64 = 16 << 20
  /// Seconds that an upload that broke off waits to go on.
  package var keepUploads: Double { keepChunks }

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

  /// Takes an argument of `serve` with its value.
  ///
  /// - Returns: whether it is one of these.
  /// - Throws: ``UsageError`` if the value makes no sense.
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
        throw UsageError("--reuse '\(text)' must be all or submitter")
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
      throw UsageError("\(argument) '\(text)' is not a number of days: write 1 to 36500")
    }
    return Double(number) * 86_400
  }

  private static func bytes(_ argument: String, _ text: String) throws(UsageError) -> Int64 {
    guard let number = Int64(text), (0...(1 << 50)).contains(number) else {
      throw UsageError("\(argument) '\(text)' is not a number of bytes: write 0 to 2^50")
    }
    return number
  }

  static let usage = """
      --reserve-bytes N    bytes of the disk that new work leaves free (134217728)
      --keep-chunks-days N   days that chunks of ended jobs wait for a retry, or for an
                           edited project that has use for them (7)
      --keep-chunks-bytes N  bytes of such chunks; 0 keeps none for later jobs (107374182400)
      --reuse WHOSE        whose chunks a job may use instead of rendering: all, or submitter for
                           those of its own submitter's jobs (all)
      --keep-assets-days N   days that assets are kept which no job uses (30)
      --keep-assets-bytes N  bytes of assets, of which those that no job uses go (536870912000)
      --keep-quarantine-days N  days that damaged files stay in the quarantine (30)
      --scrub-bytes-per-second N  bytes a second that are read to find damaged files before they
                           are needed; 0 reads none (16777216)
    """
}
