import FarmAPI
import HTTP
import Preparation
import Timeline

/// A coordinator's limits, which its operator may change.
package struct Limits: Hashable, Sendable {
  /// Connections in total, and for each address.
  package var connections = 8192
  package var connectionsPerClient = 1024
  /// Event streams in total, and for each token or, without one, address.
  package var eventStreams = 1024
  package var eventStreamsPerClient = 256
  /// Requests that wait for a lease, in total and for each token or address.
  package var longPolls = 8192
  package var longPollsPerClient = 2048
  /// Bytes of a request's line and headers, of a JSON body, and of the bodies that have limits of their own.
  package var headerBytes = 16 << 10
  package var bodyBytes = 64 << 10
  package var projectBytes = ProjectDocument.byteLimit
  package var assetBytes = 1 << 40
  package var chunkBytes = 4 << 30
  /// How deep lists and objects nest in a JSON body.
  package var jsonDepth = 32
  /// The unfinished jobs of a submitter. The limits that follow are on their segments and on the submitter's assets.
  package var jobsPerSubmitter = 1000
  package var segmentsPerSubmitter = 1_000_000
  package var assetsPerSubmitter = 100_000
  /// Bytes of a submitter's assets. An asset that several submitters have counts for each of them.
  package var assetBytesPerSubmitter = 4 << 40
  /// Segments of all unfinished jobs. The coordinator holds a record of each in memory.
  package var segments = 200_000
  /// Files that are assembled at a time, each by a process.
  package var assemblies = 8
  /// Workers that are known: those that were silent for long are forgotten.
  package var workers = 10_000
  /// Seconds per hour that processes may spend on reading, probing and planning for a submitter.
  package var planningSecondsPerSubmitter = 3600
  /// Limits on planning a project.
  package var planning = PlanningLimits()
  /// Seconds for a head, for each 16 KiB of a body, and without traffic.
  package var headSeconds = 30
  package var bodySeconds = 60
  package var idleSeconds = 60

  /// The limits by default.
  package init() {}

  /// One of them, as it is given and explained.
  struct Setting: Sendable {
    let option: String
    let path: any WritableKeyPath<Limits, Int> & Sendable
    let range: ClosedRange<Int>
    let help: String
  }

  private static let count = 1...10_000_000
  private static let bytes = 1024...(1 << 50)

  /// All of them.
  static let settings: [Setting] = [
    Setting(
      option: "--max-connections", path: \.connections, range: 2...1_000_000,
      help: "connections; 503"),
    Setting(
      option: "--max-connections-per-client", path: \.connectionsPerClient, range: 1...1_000_000,
      help: "connections of an address, where other hosts reach the coordinator; 429"),
    Setting(
      option: "--max-event-streams", path: \.eventStreams, range: count,
      help: "open event streams; 503"),
    Setting(
      option: "--max-event-streams-per-client", path: \.eventStreamsPerClient, range: count,
      help: "those of a token, or of an address without one; 429"),
    Setting(
      option: "--max-long-polls", path: \.longPolls, range: count,
      help: "requests that wait for a lease; 503"),
    Setting(
      option: "--max-long-polls-per-client", path: \.longPollsPerClient, range: count,
      help: "those of a token, or of an address without one; 429"),
    Setting(
      option: "--max-header-bytes", path: \.headerBytes, range: 16384...(16 << 20),
      help: "request line and headers; a connection may take twice as much memory; 431"),
    Setting(
      option: "--max-body-bytes", path: \.bodyBytes, range: 4096...(64 << 20),
      help: "a JSON body, except a project; 413"),
    Setting(
      option: "--max-json-depth", path: \.jsonDepth, range: 8...512,
      help: "lists and objects within each other in a body; 400"),
    Setting(
      option: "--max-project-bytes", path: \.projectBytes,
      range: 1024...ProjectDocument.byteLimit, help: "a project; 413"),
    Setting(
      option: "--max-asset-bytes", path: \.assetBytes, range: bytes,
      help: "an asset; 413, or a job that fails"),
    Setting(
      option: "--max-chunk-bytes", path: \.chunkBytes, range: bytes,
      help: "a chunk; 413"),
    Setting(
      option: "--max-jobs-per-submitter", path: \.jobsPerSubmitter, range: count,
      help: "a submitter's unfinished jobs; 429"),
    Setting(
      option: "--max-segments-per-submitter", path: \.segmentsPerSubmitter, range: count,
      help: "segments of these; a job with more fails when it is planned"),
    Setting(
      option: "--max-segments", path: \.segments, range: count,
      help: "segments of all unfinished jobs; a job that waits, or fails if it has more itself"),
    Setting(
      option: "--max-assemblies", path: \.assemblies, range: 1...1000,
      help: "files that are assembled at a time, the last free place only for a submitter that "
        + "holds none; a job that waits"),
    Setting(
      option: "--max-assets-per-submitter", path: \.assetsPerSubmitter, range: count,
      help: "a submitter's assets, uploads that broke off counted; 429, or a job that fails"),
    Setting(
      option: "--max-asset-bytes-per-submitter", path: \.assetBytesPerSubmitter, range: bytes,
      help: "bytes of a submitter's assets; 413, or a job that fails"),
    Setting(
      option: PlanningQuota.option, path: \.planningSecondsPerSubmitter, range: 1...10_000_000,
      help: "seconds of planning for a submitter per hour; 429, or a job that waits"),
    Setting(
      option: "--max-planning-memory", path: \.planning.memory, range: (256 << 20)...(1 << 40),
      help: "bytes of address space of a process that reads, probes or plans; a job that fails"),
    Setting(
      option: "--max-planning-seconds", path: \.planning.seconds, range: 1...86_400,
      help: "processor time for reading or planning a project; 413, or a job that fails"),
    Setting(
      option: "--max-probe-seconds", path: \.planning.probeSeconds, range: 1...86_400,
      help: "processor time for probing an asset, and one more for each 50 MB; a job that fails"),
    Setting(
      option: "--max-project-values", path: \.planning.values, range: 10...100_000_000,
      help: "values in a project's JSON; 413"),
    Setting(
      option: "--max-project-files", path: \.planning.files, range: count,
      help: "files that a project names; 413"),
    Setting(
      option: "--max-project-tracks", path: \.planning.tracks, range: count,
      help: "tracks of a composition; 413"),
    Setting(
      option: "--max-project-clips", path: \.planning.clips, range: count,
      help: "track segments, or clips of a sequence; 413"),
    Setting(
      option: "--max-segments-per-job", path: \.planning.segments, range: count,
      help: "segments of a plan; a job that fails"),
    Setting(
      option: "--max-segment-bytes", path: \.planning.segmentBytes, range: 4096...(1 << 30),
      help: "what a plan says of one segment; a job that fails"),
    Setting(
      option: "--max-index-frames", path: \.planning.frames, range: 1...(1 << 30),
      help: "frames in an asset's media index; a job that fails"),
    Setting(
      option: "--max-index-bytes", path: \.planning.indexBytes, range: 4096...(1 << 32),
      help: "an asset's media index; a job that fails"),
    Setting(
      option: "--max-edit-list-entries", path: \.planning.editListEntries, range: count,
      help: "entries in an edit list of an asset; a job that fails"),
    Setting(
      option: "--max-workers", path: \.workers, range: count,
      help: "workers that are registered; 429"),
    Setting(
      option: "--head-timeout", path: \.headSeconds, range: 1...3600,
      help: "seconds for a request's line and headers; 408"),
    Setting(
      option: "--body-timeout", path: \.bodySeconds, range: 1...3600,
      help: "seconds for each 16 KiB of a body; 408"),
    Setting(
      option: "--idle-timeout", path: \.idleSeconds, range: 1...3600,
      help: "seconds without traffic, after which a connection is closed"),
  ]

  /// Sets the limit of an option.
  ///
  /// - Throws: ``UsageError`` that says what to write.
  mutating func set(_ option: String, to text: String) throws(UsageError) {
    guard let setting = Self.settings.first(where: { $0.option == option }) else { return }
    let range = setting.range
    guard let number = Int(text), range.contains(number) else {
      throw UsageError("\(option) '\(text)' must be \(range.lowerBound) to \(range.upperBound)")
    }
    self[keyPath: setting.path] = number
  }

  /// The lines of `--help`.
  static var usage: String {
    let standard = Limits()
    return settings.map { setting in
      let name = "\(setting.option) N"
      let blanks = String(repeating: " ", count: max(1, 34 - name.count))
      return "  \(name)\(blanks)\(setting.help) (\(standard[keyPath: setting.path]))"
    }.joined(separator: "\n")
  }

  /// The limits of the HTTP server.
  ///
  /// - Parameter isLocal: whether only this host reaches it, so that all clients share an address.
  package func server(isLocal: Bool) -> ServerLimits {
    var limits = ServerLimits()
    limits.connections = connections
    limits.connectionsPerClient = isLocal ? nil : connectionsPerClient
    limits.headerBytes = headerBytes
    limits.headTimeout = .seconds(headSeconds)
    limits.bodyTimeout = .seconds(bodySeconds)
    limits.idleTimeout = .seconds(idleSeconds)
    return limits
  }
}

extension HTTPError {
  /// There is too much of something.
  static func limitReached(_ detail: String, status: Status = .tooManyRequests) -> HTTPError {
    HTTPError(
      status, type: ProblemType.limitReached.rawValue, detail: detail,
      headers: ["Retry-After": "5"])
  }

  /// A body is too large.
  static func bodyTooLarge(_ what: String, limit: Int) -> HTTPError {
    HTTPError(
      .contentTooLarge, type: ProblemType.tooLarge.rawValue,
      detail: "\(what) has more than \(limit) bytes")
  }
}
