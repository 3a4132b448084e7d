import Arguments
import FarmAPI
import HTTP
import Preparation
import ProjectFormat
import Timeline

/// The limits of a coordinator, which its operator can change.
package struct Limits: Hashable, Sendable {
  /// Connections in total, and per address.
  package var connections = 8192
  package var connectionsPerClient = 1024
  /// Event streams in total, and per token, or per address without a token.
  package var eventStreams = 1024
  package var eventStreamsPerClient = 256
  /// Requests that wait for a lease, in total and per token, or per address without a token.
  package var longPolls = 8192
  package var longPollsPerClient = 2048
  /// Bytes of a request line with its headers, of a JSON body, and of the bodies that have their own limits.
  package var headerBytes = 16 << 10
  package var bodyBytes = 64 << 10
  package var projectBytes = ProjectDocument.byteLimit
  package var assetBytes = 1 << 40
  package var chunkBytes = 4 << 30
  /// The nesting depth of lists and objects in a JSON body.
  package var jsonDepth = 32
  /// Unfinished jobs of a submitter.
  package var jobsPerSubmitter = 1000
  /// Segments of a submitter's unfinished jobs.
  package var segmentsPerSubmitter = 1_000_000
  /// Assets of a submitter, including interrupted uploads.
  package var assetsPerSubmitter = 100_000
  /// Bytes of a submitter's assets. An asset that several submitters share counts for each of them.
  package var assetBytesPerSubmitter = 4 << 40
  /// Segments of all unfinished jobs. The coordinator keeps a record of each in memory.
  package var segments = 200_000
  /// Files that are assembled at a time, each by its own process.
  package var assemblies = 8
  /// Registered workers. The coordinator forgets workers that have been silent for long.
  package var workers = 10_000
  /// Seconds per hour that processes may spend on reading, probing and planning for a submitter.
  package var planningSecondsPerSubmitter = 3600
  /// Limits on planning a project.
  package var planning = PlanningLimits()
  /// Seconds for a request line with its headers, for each 16 KiB of a body, and without traffic.
  package var headSeconds = 30
  package var bodySeconds = 60
  package var idleSeconds = 60

  package init() {}

  /// The option that sets a limit, its valid values, and its help without the default.
  private struct Setting: Sendable {
    let option: String
    let path: any WritableKeyPath<Limits, Int> & Sendable
    let range: ClosedRange<Int>
    let help: String

    var argument: Option<Int> {
      Option(
        String(option.dropFirst(2)), value: "N", in: range,
        help: "\(help) (default: \(Limits()[keyPath: path]))")
    }
  }

  private static let count = 1...10_000_000
  private static let bytes = 1024...(1 << 50)

  /// The options that set limits.
  private static let settings: [Setting] = [
    Setting(
      option: "--max-connections", path: \.connections, range: 2...1_000_000,
      help: "Connections; 503"),
    Setting(
      option: "--max-connections-per-client", path: \.connectionsPerClient, range: 1...1_000_000,
      help: "Connections from one address, if other hosts can reach the coordinator; 429"),
    Setting(
      option: "--max-event-streams", path: \.eventStreams, range: count,
      help: "Open event streams; 503"),
    Setting(
      option: "--max-event-streams-per-client", path: \.eventStreamsPerClient, range: count,
      help: "Open event streams per token, or per address without a token; 429"),
    Setting(
      option: "--max-long-polls", path: \.longPolls, range: count,
      help: "Requests waiting for a lease; 503"),
    Setting(
      option: "--max-long-polls-per-client", path: \.longPollsPerClient, range: count,
      help: "Requests waiting for a lease per token, or per address without a token; 429"),
    Setting(
      option: "--max-header-bytes", path: \.headerBytes, range: 16384...(16 << 20),
      help: "Bytes of the request line and headers (a connection may use twice as much memory); 431"
    ),
    Setting(
      option: "--max-body-bytes", path: \.bodyBytes, range: 4096...(64 << 20),
      help: "Bytes of a JSON body, except a project; 413"),
    Setting(
      option: "--max-json-depth", path: \.jsonDepth, range: 8...512,
      help: "Nesting depth of lists and objects in a JSON body; 400"),
    Setting(
      option: "--max-project-bytes", path: \.projectBytes,
      range: 1024...ProjectDocument.byteLimit, help: "Bytes of a project; 413"),
    Setting(
      option: "--max-asset-bytes", path: \.assetBytes, range: bytes,
      help: "Bytes of an asset; 413, or the job fails"),
    Setting(
      option: "--max-chunk-bytes", path: \.chunkBytes, range: bytes,
      help: "Bytes of a chunk; 413"),
    Setting(
      option: "--max-jobs-per-submitter", path: \.jobsPerSubmitter, range: count,
      help: "A submitter's unfinished jobs; 429"),
    Setting(
      option: "--max-segments-per-submitter", path: \.segmentsPerSubmitter, range: count,
      help: "Segments of a submitter's unfinished jobs; the job fails when it is planned"),
    Setting(
      option: "--max-segments", path: \.segments, range: count,
      help: "Segments of all unfinished jobs; the job waits, or fails if it alone exceeds this"),
    Setting(
      option: "--max-assemblies", path: \.assemblies, range: 1...1000,
      help: "Files assembled at a time (the last slot is reserved for a submitter without one); "
        + "the job waits"),
    Setting(
      option: "--max-assets-per-submitter", path: \.assetsPerSubmitter, range: count,
      help: "A submitter's assets, including interrupted uploads; 429 for an upload, 413 for a "
        + "project, or the job fails"),
    Setting(
      option: "--max-asset-bytes-per-submitter", path: \.assetBytesPerSubmitter, range: bytes,
      help: "Bytes of a submitter's assets; 413, or the job fails"),
    Setting(
      option: PlanningQuota.option, path: \.planningSecondsPerSubmitter, range: 1...10_000_000,
      help: "Seconds of planning per hour for a submitter; 429, or the job waits"),
    Setting(
      option: "--max-planning-memory", path: \.planning.memory, range: (256 << 20)...(1 << 40),
      help: "Bytes of address space for a process that reads, probes or plans; 413, or the job "
        + "fails"),
    Setting(
      option: "--max-planning-seconds", path: \.planning.seconds, range: 1...86_400,
      help: "CPU seconds for reading or planning a project; 413, or the job fails"),
    Setting(
      option: "--max-probe-seconds", path: \.planning.probeSeconds, range: 1...86_400,
      help: "CPU seconds for probing an asset, plus one for each 50 MB; the job fails"),
    Setting(
      option: "--max-project-values", path: \.planning.values, range: 10...100_000_000,
      help: "Values in a project's JSON; 413"),
    Setting(
      option: "--max-project-files", path: \.planning.files, range: count,
      help: "Files that a project names; 413"),
    Setting(
      option: "--max-project-tracks", path: \.planning.tracks, range: count,
      help: "Tracks in a composition; 413"),
    Setting(
      option: "--max-project-clips", path: \.planning.clips, range: count,
      help: "Track segments, or clips in a sequence; 413"),
    Setting(
      option: "--max-segments-per-job", path: \.planning.segments, range: count,
      help: "Segments in a plan; the job fails"),
    Setting(
      option: "--max-segment-bytes", path: \.planning.segmentBytes, range: 4096...(1 << 30),
      help: "Bytes that a plan uses to describe one segment; the job fails"),
    Setting(
      option: "--max-index-frames", path: \.planning.frames, range: 1...(1 << 30),
      help: "Frames in an asset's media index; the job fails"),
    Setting(
      option: "--max-index-bytes", path: \.planning.indexBytes, range: 4096...(1 << 32),
      help: "Bytes of an asset's media index; the job fails"),
    Setting(
      option: "--max-edit-list-entries", path: \.planning.editListEntries, range: count,
      help: "Entries in an edit list of an asset; the job fails"),
    Setting(
      option: "--max-workers", path: \.workers, range: count,
      help: "Registered workers; 429"),
    Setting(
      option: "--head-timeout", path: \.headSeconds, range: 1...3600,
      help: "Seconds to receive the request line and headers; 408"),
    Setting(
      option: "--body-timeout", path: \.bodySeconds, range: 1...3600,
      help: "Seconds to receive each 16 KiB of a body; 408"),
    Setting(
      option: "--idle-timeout", path: \.idleSeconds, range: 1...3600,
      help: "Seconds without traffic before a connection is closed"),
  ]

  /// The options of `serve` that set limits.
  static let options = settings.map(\.argument.declaration)

  /// Reads the limits from the arguments of `serve`.
  init(_ arguments: ParsedArguments) throws(UsageError) {
    for setting in Self.settings {
      if let number = try arguments.value(setting.argument) { self[keyPath: setting.path] = number }
    }
  }

  /// The limits of the HTTP server.
  ///
  /// - Parameter isLocal: whether only this host can reach the server, so that all clients share an address.
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
