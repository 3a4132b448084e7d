/// The scheduler's time limits and other limits.
public struct SchedulerSettings: Hashable, Sendable {
  /// The time that a lease lasts without a heartbeat.
  public let leaseDuration: Duration
  /// The time for which leases from before a restart are kept, so that their workers can come back.
  public let gracePeriod: Duration
  /// The number of distinct workers that may fail a segment before its job fails. Workers whose disks are full or whose
  /// render processes were killed do not count.
  public let distinctWorkerLimit: Int
  /// The number of attempts at a segment that may fail before its job fails, regardless of the number of workers.
  public let failureLimit: Int
  /// The number of times that an attempt's chunk may arrive damaged before the attempt fails.
  public let damagedUploadLimit: Int
  /// The number of expired leases, and of killed render processes, of a segment after which its job fails. Such a
  /// segment probably crashes its workers.
  public let expiryLimit: Int
  /// The time that a worker that failed a segment waits for it after the segment's render process was killed. It
  /// doubles with each kill.
  public let killPause: Duration
  /// The maximum time that such a worker waits.
  public let longestKillPause: Duration
  /// The number of different segments that a worker may fail in a row before it is set aside.
  public let setAsideAfter: Int
  /// The time for which a worker is set aside the first time. It doubles each time.
  public let setAsideDuration: Duration
  /// The maximum time for which a worker is set aside.
  public let longestSetAside: Duration
  /// The time that a worker may be silent before it is forgotten.
  public let forgetWorkerAfter: Duration
  /// Whether slow segments at the end of a job get a second worker.
  public let allowsCopies: Bool
  /// A segment is copied after an attempt has taken this many times its expected time.
  public let copySlowness: Double
  /// The minimum time that an attempt must have taken before its segment is copied.
  public let copyAfter: Duration
  /// The minimum time that an attempt may make no progress.
  public let stuckAfter: Duration
  /// An attempt may go without progress for this many times its segment's expected time, if that is longer than
  /// ``stuckAfter``.
  public let stuckSlowness: Double
  /// The time for which arriving asset bytes count as progress without a new frame.
  public let longestTransfer: Duration
  /// The minimum time that workers may pass over a segment for lack of memory before one is kept free for it.
  public let memoryPatience: Duration
  /// The time that a job lacks workers before this is reported.
  public let starvationGrace: Duration
  /// The time that a job with chunks lacks workers of their fingerprint before other workers restart it.
  public let restartAfter: Duration
  /// The number of identical segments that get a delivered chunk in one event. The others follow in later events, so
  /// that sharing one chunk among thousands of segments does not delay other events.
  public let sharingSlice: Int

  /// Creates consistent settings.
  ///
  /// - Throws: ``SettingsError`` if a duration or count is not positive, or the settings contradict each other.
  public init(
    leaseDuration: Duration = .seconds(30), gracePeriod: Duration = .seconds(60),
    distinctWorkerLimit: Int = 3, failureLimit: Int = 6, damagedUploadLimit: Int = 5,
    expiryLimit: Int = 10, killPause: Duration = .seconds(1),
    longestKillPause: Duration = .seconds(60), setAsideAfter: Int = 3,
    setAsideDuration: Duration = .seconds(30),
    longestSetAside: Duration = .seconds(960), forgetWorkerAfter: Duration = .seconds(900),
    allowsCopies: Bool = true, copySlowness: Double = 2, copyAfter: Duration = .seconds(10),
    stuckAfter: Duration = .seconds(120), stuckSlowness: Double = 4,
    longestTransfer: Duration = .seconds(1800), memoryPatience: Duration = .seconds(30),
    starvationGrace: Duration = .seconds(30), restartAfter: Duration = .seconds(900),
    sharingSlice: Int = 250
  ) throws(SettingsError) {
    self.leaseDuration = leaseDuration
    self.gracePeriod = gracePeriod
    self.distinctWorkerLimit = distinctWorkerLimit
    self.failureLimit = failureLimit
    self.damagedUploadLimit = damagedUploadLimit
    self.expiryLimit = expiryLimit
    self.killPause = killPause
    self.longestKillPause = longestKillPause
    self.setAsideAfter = setAsideAfter
    self.setAsideDuration = setAsideDuration
    self.longestSetAside = longestSetAside
    self.forgetWorkerAfter = forgetWorkerAfter
    self.allowsCopies = allowsCopies
    self.copySlowness = copySlowness
    self.copyAfter = copyAfter
    self.stuckAfter = stuckAfter
    self.stuckSlowness = stuckSlowness
    self.longestTransfer = longestTransfer
    self.memoryPatience = memoryPatience
    self.starvationGrace = starvationGrace
    self.restartAfter = restartAfter
    self.sharingSlice = sharingSlice
    if let problem { throw SettingsError(message: problem) }
  }

  private var problem: String? {
    if leaseDuration < .milliseconds(100) { return "a lease must hold for at least 100 ms" }
    if gracePeriod < .zero { return "the grace period must not be negative" }
    if [distinctWorkerLimit, damagedUploadLimit, expiryLimit, setAsideAfter].contains(where: {
      $0 < 1
    }) {
      return "failure limits must be positive"
    }
    if failureLimit < distinctWorkerLimit {
      return "a segment's failure limit must not be below its limit of distinct workers"
    }
    if killPause <= .zero || longestKillPause < killPause {
      return "the longest pause after a killed render process must not be shorter than the first"
    }
    if setAsideDuration <= .zero || longestSetAside < setAsideDuration {
      return "the longest time for which a worker is set aside must not be shorter than the first"
    }
    if forgetWorkerAfter < leaseDuration {
      return "a worker must not be forgotten before its lease expires"
    }
    if !(copySlowness >= 1) || copyAfter <= .zero {
      return "a segment must not be copied before its expected time is over"
    }
    if stuckAfter < leaseDuration || !(stuckSlowness >= 1) {
      return "the time without progress must be at least as long as a lease, and at least a "
        + "segment's expected time"
    }
    if longestTransfer < stuckAfter {
      return "the longest transfer must not be shorter than the time without progress"
    }
    if memoryPatience <= .zero {
      return "the time that a segment waits for memory must be positive"
    }
    if starvationGrace <= .zero || restartAfter < starvationGrace {
      return "a job must not restart before its lack of workers is reported"
    }
    if sharingSlice < 1 { return "at least one segment must get a shared chunk in an event" }
    return nil
  }
}

/// Settings of the scheduler that contradict each other.
public struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem.
  public let message: String
  /// The problem.
  public var description: String { message }
}
