/// How patient the farm is.
public struct SchedulerSettings: Hashable, Sendable {
  /// How long a lease holds without a heartbeat.
  public let leaseDuration: Duration
  /// How long a lease that was running before a restart is kept for its worker to come back.
  public let gracePeriod: Duration
  /// How many distinct workers may fail a segment before its job fails.
  public let distinctWorkerLimit: Int
  /// How many attempts at a segment may fail, on however few workers, before its job fails.
  public let failureLimit: Int
  /// How many leases of a segment may expire before its job fails: it takes its workers down.
  public let expiryLimit: Int
  /// How many different segments a worker may fail in a row before it is set aside.
  public let setAsideAfter: Int
  /// How long a worker is set aside the first time; twice as long each time after.
  public let setAsideDuration: Duration
  /// The longest that a worker is set aside.
  public let longestSetAside: Duration
  /// How long a worker may be silent before it is forgotten.
  public let forgetWorkerAfter: Duration

  /// Settings that hold together.
  ///
  /// - Throws: ``SettingsError`` where a duration or count is not positive or they contradict each other.
  public init(
    leaseDuration: Duration = .seconds(30), gracePeriod: Duration = .seconds(60),
    distinctWorkerLimit: Int = 3, failureLimit: Int = 6, expiryLimit: Int = 10,
    setAsideAfter: Int = 3, setAsideDuration: Duration = .seconds(30),
    longestSetAside: Duration = .seconds(960), forgetWorkerAfter: Duration = .seconds(900)
  ) throws(SettingsError) {
    self.leaseDuration = leaseDuration
    self.gracePeriod = gracePeriod
    self.distinctWorkerLimit = distinctWorkerLimit
    self.failureLimit = failureLimit
    self.expiryLimit = expiryLimit
    self.setAsideAfter = setAsideAfter
    self.setAsideDuration = setAsideDuration
    self.longestSetAside = longestSetAside
    self.forgetWorkerAfter = forgetWorkerAfter
    if let problem { throw SettingsError(message: problem) }
  }

  private var problem: String? {
    if leaseDuration < .milliseconds(100) { return "a lease must hold for at least 100 ms" }
    if gracePeriod < .zero { return "the grace period must not be negative" }
    if distinctWorkerLimit < 1 || expiryLimit < 1 || setAsideAfter < 1 {
      return "limits of failures must be positive"
    }
    if failureLimit < distinctWorkerLimit {
      return "a segment's failure limit must not be below its limit of distinct workers"
    }
    if setAsideDuration <= .zero || longestSetAside < setAsideDuration {
      return "the longest time aside must not be shorter than the first"
    }
    if forgetWorkerAfter < leaseDuration {
      return "a worker must not be forgotten before its lease expires"
    }
    return nil
  }
}

/// Settings of the scheduler that contradict each other.
public struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public let message: String
  /// What is wrong.
  public var description: String { message }
}
