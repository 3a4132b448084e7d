import Arguments

/// The limits on what a coordinator stores, and the space that it leaves free.
package struct StorageSettings: Hashable, Sendable {
  /// The bytes on the data directory's disk that new work leaves free.
  package var reserve: Int64 = 128 << 20
  /// The time in seconds for which the chunks of ended jobs are kept for a retry or a later job.
  package var keepChunks: Double = 7 * 86_400
  /// The maximum total size of such chunks in bytes; the least recently needed ones are removed first. With 0, no
  /// chunks are kept for later jobs.
  package var chunkBytes: Int64 = 100 << 30
  /// The maximum total size of finished mixes in bytes, which are kept as long as such chunks.
  var mixBytes: Int64 { chunkBytes / 10 }
  /// The time in seconds for which an uploaded asset is kept if no job uses it.
  package var keepAssets: Double = 30 * 86_400
  /// The maximum total size of assets in bytes; unused assets are removed first, starting with the oldest.
  package var assetBytes: Int64 = 500 << 30
  /// The number of days for which jobs are kept after they ended; `nil` if they are never deleted because of their age.
  package var keepJobsDays: Int?
  /// The same for the finished files of jobs.
  package var keepOutputsDays: Int?
  /// The time in seconds for which files stay in the quarantine.
  package var keepQuarantine: Double = 30 * 86_400
  /// The bytes per second that the search for damaged files may read; 0 turns it off.
  package var scrubRate: Int64 = 16 << 20
  /// Whether nothing waits for data to reach the disk, because the coordinator's parent process deletes the data
  /// directory.
  package var isTemporary = false
  /// The time without a byte after which another request may take over an upload.
  package var uploadPatience = Duration.seconds(5)
  /// The time in seconds for which an interrupted upload can be continued.
  package var keepUploads: Double { keepChunks }

  /// Files younger than this many seconds are left alone, because a request may be about to refer to them.
  static let youth: Double = 3600

  /// The submitters whose chunks a job may reuse.
  package enum Reuse: String, Hashable, Sendable, CaseIterable {
    /// All submitters.
    case all = "all"
    /// Only the job's own submitter.
    case submitter = "submitter"
  }

  /// The submitters whose chunks a job may reuse.
  package var reuse = Reuse.all

  package init() {}

  private static let reserve = bytes(
    "reserve-bytes", help: "Bytes of disk space that new work must leave free (default: 134217728)")
  private static let keepChunks = days(
    "keep-chunks-days",
    help: "Days to keep the chunks of ended jobs for retries and edited projects (default: 7)")
  private static let chunkBytes = bytes(
    "keep-chunks-bytes",
    help: "Maximum bytes of the chunks of ended jobs; 0 keeps none (default: 107374182400)")
  private static let reuse = Option<Reuse>(
    "reuse", choice: "WHOSE",
    help: "Whose chunks a job may reuse: all, or submitter (only those of its submitter's jobs) "
      + "(default: all)"
  )
  private static let keepAssets = days(
    "keep-assets-days", help: "Days to keep assets that no job uses (default: 30)")
  private static let assetBytes = bytes(
    "keep-assets-bytes",
    help: "Total bytes of assets above which unused ones are removed (default: 536870912000)")
  private static let keepJobs = days(
    "keep-jobs-days",
    help: "Days after its end at which a job is deleted with its file (default: never)")
  private static let keepOutputs = days(
    "keep-outputs-days",
    help: "Days after a job's end at which its finished file is deleted, but not the job "
      + "(default: never)")
  private static let keepQuarantine = days(
    "keep-quarantine-days", help: "Days that damaged files stay in the quarantine (default: 30)")
  private static let scrubRate = bytes(
    "scrub-bytes-per-second",
    help: "Bytes per second to read in the search for damaged files; 0 turns the search off "
      + "(default: 16777216)"
  )

  private static let isTemporary = Flag(
    "temporary",
    help: "Do not wait for data to reach the disk, because the caller deletes DIR afterwards; only "
      + "for a new DIR and a loopback address")

  /// The options of `serve` that set these.
  static let options = [
    reserve.declaration, keepChunks.declaration, chunkBytes.declaration, reuse.declaration,
    keepAssets.declaration, assetBytes.declaration, keepJobs.declaration, keepOutputs.declaration,
    keepQuarantine.declaration, scrubRate.declaration, isTemporary.declaration,
  ]

  private static func bytes(_ name: String, help: String) -> Option<Int64> {
    Option(name, value: "BYTES", in: 0...(1 << 50), of: "bytes", help: help)
  }

  private static func days(_ name: String, help: String) -> Option<Int> {
    Option(name, value: "N", in: 1...36_500, of: "days", help: help)
  }

  /// Reads the settings from the arguments of `serve`.
  init(_ arguments: ParsedArguments) throws(UsageError) {
    func seconds(_ option: Option<Int>) throws(UsageError) -> Double? {
      try arguments.value(option).map { Double($0) * 86_400 }
    }
    reserve = try arguments.value(Self.reserve) ?? reserve
    keepChunks = try seconds(Self.keepChunks) ?? keepChunks
    chunkBytes = try arguments.value(Self.chunkBytes) ?? chunkBytes
    reuse = try arguments.value(Self.reuse) ?? reuse
    keepAssets = try seconds(Self.keepAssets) ?? keepAssets
    assetBytes = try arguments.value(Self.assetBytes) ?? assetBytes
    keepJobsDays = try arguments.value(Self.keepJobs)
    keepOutputsDays = try arguments.value(Self.keepOutputs)
    keepQuarantine = try seconds(Self.keepQuarantine) ?? keepQuarantine
    scrubRate = try arguments.value(Self.scrubRate) ?? scrubRate
    isTemporary = arguments.has(Self.isTemporary)
  }
}
