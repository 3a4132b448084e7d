import Foundation

/// The body of `POST /workers`.
public struct WorkerRegistration: Hashable, Codable, Sendable {
  /// A name for people, e.g. the host's.
  public var name: String
  /// The number of segments that it renders at a time.
  public var slots: Int
  /// The versions of everything that decides a chunk's bytes. All chunks of a job come from workers with one
  /// fingerprint.
  public var fingerprint: String
  /// The memory that its segments may need together, in bytes; `nil` from a worker that does not limit it. The leases
  /// that a worker has at a time never need more.
  public var memory: Int?
  /// The name of its host, for people.
  public var host: String?
  /// The number of its host's processor cores that it may use.
  public var cores: Int?
  /// The version of its program (``SheafVersion``).
  public var version: String?
  /// The pools that it belongs to (``PoolName``); `nil` for none.
  public var pools: [String]?
  /// Of several waiting workers, those with a higher priority get leases first; `nil` for 0.
  public var priority: Int?

  /// The priorities that a worker may have.
  public static let priorities = -100...100
  /// The numbers of slots that a worker may have.
  public static let slotCounts = 1...1024
  /// The possible sizes of a fingerprint in bytes.
  public static let fingerprintSizes = 1...4096
  /// The maximum number of pools of a worker.
  public static let mostPools = 32

  /// Creates a registration.
  public init(
    name: String, slots: Int, fingerprint: String, memory: Int? = nil, host: String? = nil,
    cores: Int? = nil, version: String? = nil, pools: [String]? = nil, priority: Int? = nil
  ) {
    self.name = name
    self.slots = slots
    self.fingerprint = fingerprint
    self.memory = memory
    self.host = host
    self.cores = cores
    self.version = version
    self.pools = pools
    self.priority = priority
  }

  /// The registration with its texts for people shortened to the lengths that a coordinator keeps: 200 characters and
  /// 800 bytes for names, and 50 characters and 200 bytes for the version.
  public var shortened: WorkerRegistration {
    var registration = self
    registration.name = name.shortened(toCharacters: 200, bytes: 800)
    registration.host = host?.shortened(toCharacters: 200, bytes: 800)
    registration.version = version?.shortened(toCharacters: 50, bytes: 200)
    return registration
  }
}

/// The response to `POST /workers`.
public struct WorkerWelcome: Hashable, Codable, Sendable {
  /// The id to use in requests for leases.
  public var id: String
  /// Where the worker can leave chunks instead of sending them, if it shares the folder with the coordinator.
  public var chunkFolder: ChunkFolder?
  /// Whether the coordinator gives links to the farm's object store (``StorageLink``); `nil` if it has none.
  public var hasObjectStore: Bool?

  /// Creates a welcome.
  public init(
    id: String, chunkFolder: ChunkFolder? = nil, hasObjectStore: Bool? = nil
  ) {
    self.id = id
    self.chunkFolder = chunkFolder
    self.hasObjectStore = hasObjectStore
  }
}

/// A worker as the farm reports it.
public struct WorkerStatus: Hashable, Codable, Sendable {
  /// The state of a worker.
  public enum State: String, Hashable, Codable, Sendable, CaseIterable {
    /// Takes leases.
    case active = "active"
    /// Finishes its leases and takes no more.
    case draining = "draining"
    /// Set aside for a while after failures.
    case setAside = "setAside"
    /// Gets no leases until an operator resumes it, because its chunks differ from those of other workers.
    case distrusted = "distrusted"
    /// Has been silent for longer than a lease lasts.
    case lost = "lost"
  }

  /// The id that the coordinator gave it when it registered.
  public var id: String
  /// The name that it stated, by default its host's; other workers may share it.
  public var name: String
  /// The number of segments that it renders at a time.
  public var slots: Int
  /// The number of its current leases.
  public var leases: Int
  /// Whether it gets leases, and if not, why.
  public var state: State
  /// The number of its accepted segments.
  public var segmentsCompleted: Int
  /// The number of its failed attempts.
  public var segmentsFailed: Int
  /// Seconds since it was last heard of.
  public var secondsSinceSeen: Double
  /// The memory that its leases may need together, in bytes; `nil` if the worker does not limit it.
  public var memory: Int?
  /// The memory that its current leases are expected to need, in bytes.
  public var memoryInUse: Int
  /// The reason why it is distrusted; `nil` if it is not.
  public var reason: String?
  /// The name of its host, if it stated one.
  public var host: String?
  /// The number of processor cores that it may use, if it stated one.
  public var cores: Int?
  /// The version of its program, if it stated one.
  public var version: String?
  /// The segments that it is rendering, in the order of their jobs' ids.
  public var rendering: [Rendering]?
  /// Its recent speed in frames per second; `nil` if it renders nothing.
  public var framesPerSecond: Double?
  /// The time when it was last heard of.
  public var lastSeenAt: Date?
  /// The pools that it belongs to; `nil` for none.
  public var pools: [String]?
  /// Its priority; `nil` if that is 0.
  public var priority: Int?

  /// Creates a status.
  public init(
    id: String, name: String, slots: Int, leases: Int, state: State, segmentsCompleted: Int,
    segmentsFailed: Int, secondsSinceSeen: Double, memory: Int? = nil, memoryInUse: Int = 0,
    reason: String? = nil, pools: [String]? = nil, priority: Int? = nil
  ) {
    self.id = id
    self.name = name
    self.slots = slots
    self.leases = leases
    self.state = state
    self.segmentsCompleted = segmentsCompleted
    self.segmentsFailed = segmentsFailed
    self.secondsSinceSeen = secondsSinceSeen
    self.memory = memory
    self.memoryInUse = memoryInUse
    self.reason = reason
    self.pools = pools
    self.priority = priority
  }
}
