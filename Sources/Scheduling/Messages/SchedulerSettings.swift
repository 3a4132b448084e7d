/// How patient the farm is.
public struct SchedulerSettings: Hashable, Sendable {
  /// How long a lease holds without a heartbeat.
  public let leaseDuration: Duration
  /// How long a lease that was running before a restart is kept for its worker to come back.
  public let gracePeriod: Duration
  /// The number of distinct workers that may fail a segment before its job fails. Workers whose disks are full or whose
  /// render processes were killed do not count.
  public let distinctWorkerLimit: Int
  /// How many attempts at a segment may fail, on however few workers, before its job fails.
  public let failureLimit: Int
  /// How many times an attempt's chunk may come with other bytes than those of its digest before the attempt fails.
  public let damagedUploadLimit: Int
  /// The number of leases of a segment that may expire, and of its render processes that may be killed, before its job
  /// fails. Such a segment probably brings its workers down.
  public let expiryLimit: Int
  /// How long a worker that failed a segment waits for it after a render process was killed at it; twice as long with each
  /// kill.
  public let killPause: Duration
  /// The longest that such a worker waits.
  public let longestKillPause: Duration
  /// How many different segments a worker may fail in a row before it is set aside.
  public let setAsideAfter: Int
  /// How long a worker is set aside the first time; twice as long each time after.
  public let setAsideDuration: Duration
  /// The longest that a worker is set aside.
  public let longestSetAside: Duration
  /// How long a worker may be silent before it is forgotten.
  public let forgetWorkerAfter: Duration
  /// Whether slow segments at a job's end are given to a second worker.
  public let allowsCopies: Bool
  /// How many times its expected length an attempt has taken before its segment is copied.
  public let copySlowness: Double
  /// How long an attempt has taken at least before its segment is copied.
  public let copyAfter: Duration
  /// How long an attempt's progress may stand still at least.
  public let stuckAfter: Duration
  /// For how many times its segment's expected length an attempt's progress may stand still, where that is longer.
  public let stuckSlowness: Double
  /// For how long bytes of assets count as progress without a new frame.
  public let longestTransfer: Duration
  /// How long a job lacks workers before that is said.
  public let starvationGrace: Duration
  /// How long a job that has chunks lacks workers of their fingerprint before others begin it again.
  public let restartAfter: Duration

  /// Settings that hold together.
  ///
  /// - Throws: ``SettingsError`` where a duration or count is not positive or they contradict each other.
  public init(
    leaseDuration: Duration = .seconds(30), gracePeriod: Duration = .seconds(60),
    distinctWorkerLimit: Int = 3, failureLimit: Int = 6, damagedUploadLimit: Int = 5,
    expiryLimit: Int = 10, killPause: Duration = .seconds(1),
    longestKillPause: Duration = .seconds(60), setAsideAfter: Int = 3,
    setAsideDuration: Duration = .seconds(30),
    longestSetAside: Duration = .seconds(960), forgetWorkerAfter: Duration = .seconds(900),
    allowsCopies: Bool = true, copySlowness: Double = 2, copyAfter: Duration = .seconds(10),
    stuckAfter: Duration = .seconds(120), stuckSlowness: Double = 4,
    longestTransfer: Duration = .seconds(1800),
    starvationGrace: Duration = .seconds(30), restartAfter: Duration = .seconds(900)
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
    self.starvationGrace = starvationGrace
    self.restartAfter = restartAfter
    if let problem { throw SettingsError(message: problem) }
  }

  private var problem: String? {
    if leaseDuration < .milliseconds(100) { return "a lease must hold for at least 100 ms" }
    if gracePeriod < .zero { return "the grace period must not be negative" }
    if [distinctWorkerLimit, damagedUploadLimit, expiryLimit, setAsideAfter].contains(where: {
      $0 < 1
    }) {
      return "limits of failures must be positive"
    }
    if failureLimit < distinctWorkerLimit {
      return "a segment's failure limit must not be below its limit of distinct workers"
    }
    if killPause <= .zero || longestKillPause < killPause {
      return "the longest pause after a killed render process must not be shorter than the first"
    }
    if setAsideDuration <= .zero || longestSetAside < setAsideDuration {
      return "the longest time aside must not be shorter than the first"
    }
    if forgetWorkerAfter < leaseDuration {
      return "a worker must not be forgotten before its lease expires"
    }
    if !(copySlowness >= 1) || copyAfter <= .zero {
      return "a segment must not be copied before its expected time is over"
    }
    if stuckAfter < leaseDuration || !(stuckSlowness >= 1) {
      return "progress must not have to come faster than heartbeats and expected work"
    }
    if longestTransfer < stuckAfter {
      return "bytes of assets must count as progress for as long as progress may stand still"
    }
    if starvationGrace <= .zero || restartAfter < starvationGrace {
      return "a job must not begin again before it is said that it lacks workers"
    }
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
