import Foundation

/// The state of the whole farm: the response to `GET /farm`. It contains only sums, and names nobody's jobs.
public struct FarmStatus: Hashable, Codable, Sendable {
  /// The number of jobs in each state.
  public struct Jobs: Hashable, Codable, Sendable {
    /// Accepted, but not started.
    public var queued = 0
    /// Being planned.
    public var planning = 0
    /// Being rendered.
    public var rendering = 0
    /// Having their files assembled.
    public var assembling = 0
    /// Finished.
    public var completed = 0
    /// Failed.
    public var failed = 0
    /// Cancelled.
    public var cancelled = 0

    /// Creates counts of zero.
    public init() {}
  }

  /// The number of segments that are not rendered yet.
  public struct Segments: Hashable, Codable, Sendable {
    /// Waiting for a worker.
    public var pending = 0
    /// Leased by a worker.
    public var leased = 0

    /// Creates counts.
    public init(pending: Int = 0, leased: Int = 0) {
      self.pending = pending
      self.leased = leased
    }
  }

  /// The segments of the jobs that ask for a pool.
  public struct Pool: Hashable, Codable, Sendable {
    /// The pool's name (``PoolName``).
    public var name: String
    /// The number of segments that wait for a worker of the pool.
    public var pending: Int
    /// The number of segments that are leased by its workers.
    public var leased: Int

    /// Creates counts.
    public init(name: String, pending: Int, leased: Int) {
      self.name = name
      self.pending = pending
      self.leased = leased
    }
  }

  /// The number of workers in each state.
  public struct Workers: Hashable, Codable, Sendable {
    /// Taking leases.
    public var active = 0
    /// Finishing their leases.
    public var draining = 0
    /// Set aside for a while after failures.
    public var setAside = 0
    /// Getting no leases, because their chunks differ from those of other workers.
    public var distrusted = 0
    /// Silent for longer than a lease lasts.
    public var lost = 0

    /// Creates counts of zero.
    public init() {}
  }

  /// The space on the disk of the data directory, in bytes.
  public struct Disk: Hashable, Codable, Sendable {
    /// The bytes that are free, of which new work leaves ``reserve``.
    public var free: Int64
    /// The size of the file system, including what other programs use.
    public var total: Int64
    /// The bytes that new work must leave free.
    public var reserve: Int64

    /// Creates a description of a disk.
    public init(free: Int64, total: Int64, reserve: Int64) {
      self.free = free
      self.total = total
      self.reserve = reserve
    }
  }

  /// The sizes of the coordinator's stores in bytes, measured at most once a minute.
  public struct Stores: Hashable, Codable, Sendable {
    /// Uploaded and fetched assets.
    public var assets: Int64
    /// Chunks of unfinished jobs, and those that are kept for later jobs.
    public var chunks: Int64
    /// Finished files.
    public var outputs: Int64

    /// Creates sizes.
    public init(assets: Int64, chunks: Int64, outputs: Int64) {
      self.assets = assets
      self.chunks = chunks
      self.outputs = outputs
    }
  }

  /// The version of the coordinator's program, as `sheaf-coordinator --version` prints it.
  public var version: String
  /// The time on the coordinator's host, from which clients compute ages.
  public var now: Date
  /// The time when the coordinator started.
  public var startedAt: Date
  /// The number of jobs in each state.
  public var jobs: Jobs
  /// The number of segments that are not rendered yet.
  public var segments: Segments
  /// Those of jobs that ask for a pool, by the names of the pools; `nil` from an earlier version.
  public var pools: [Pool]?
  /// The number of workers in each state.
  public var workers: Workers
  /// The number of slots of workers that are not lost.
  public var slots: Int
  /// The number of leases in force.
  public var slotsBusy: Int
  /// The number of workers that the pending and leased segments would keep busy, if each had as many slots as the farm's
  /// workers have on average.
  public var desiredWorkers: Int
  /// The recent speed of all workers together; `nil` if nothing is being rendered.
  public var framesPerSecond: Double?
  /// The disk of the data directory; `nil` if the system does not report it.
  public var disk: Disk?
  /// The sizes of the stores.
  public var stores: Stores?
  /// The time of the last backup of the ledger; `nil` if there was none.
  public var lastBackup: Date?
  /// The progress of the search for damaged files.
  public var search: ScrubStatus?

  /// Creates a status.
  public init(
    version: String = SheafVersion.current, now: Date, startedAt: Date, jobs: Jobs = Jobs(),
    segments: Segments = Segments(), workers: Workers = Workers(), slots: Int = 0,
    slotsBusy: Int = 0, desiredWorkers: Int = 0, framesPerSecond: Double? = nil
  ) {
    self.version = version
    self.now = now
    self.startedAt = startedAt
    self.jobs = jobs
    self.segments = segments
    self.workers = workers
    self.slots = slots
    self.slotsBusy = slotsBusy
    self.desiredWorkers = desiredWorkers
    self.framesPerSecond = framesPerSecond
  }
}
