import FarmAPI

/// The work of the farm and the workers that do it.
public struct FarmLoad: Hashable, Sendable {
  /// The number of segments that wait for a worker.
  public var pending = 0
  /// The number of segments that are leased.
  public var leased = 0
  /// The numbers of such segments of jobs that ask for a pool, if there are any.
  public var pools: [PoolName: FarmStatus.Segments] = [:]
  /// The number of workers in each state.
  public var workers = FarmStatus.Workers()
  /// The number of slots of workers that are not lost.
  public var slots = 0
  /// The number of leases in force. A segment may have two.
  public var slotsBusy = 0

  /// Creates the load of an idle farm without workers.
  public init() {}

  /// The number of workers that are not lost.
  public var presentWorkers: Int {
    workers.active + workers.draining + workers.setAside + workers.distrusted
  }

  /// The number of workers that the pending and leased segments would keep busy, if each had as many slots as the
  /// present workers have on average, or one if there are none. 0 if there is nothing to render.
  public var desiredWorkers: Int {
    let segments = pending + leased
    // Equal to segments / (slots / workers), rounded up, without rounding the average.
    guard presentWorkers > 0, slots > 0 else { return segments }
    return (segments * presentWorkers + slots - 1) / slots
  }
}

extension Scheduler {
  /// The work of the farm and the workers that do it, in O(n) of the jobs and workers.
  public var load: FarmLoad {
    var load = FarmLoad()
    for job in jobs.values {
      load.pending += job.counts.pending
      load.leased += job.counts.leased
      guard let pool = job.pool, job.counts.pending + job.counts.leased > 0 else { continue }
      load.pools[pool, default: FarmStatus.Segments()].pending += job.counts.pending
      load.pools[pool, default: FarmStatus.Segments()].leased += job.counts.leased
    }
    for worker in workers.values {
      switch worker.state {
      case .active: load.workers.active += 1
      case .draining: load.workers.draining += 1
      case .setAside: load.workers.setAside += 1
      case .distrusted: load.workers.distrusted += 1
      case .lost: load.workers.lost += 1
      }
      if !worker.isLost { load.slots += worker.entry.slots }
    }
    load.slotsBusy = leases.count
    return load
  }

  /// The running attempts of a worker, in the order of their jobs' ids and their segments.
  public func runningAttempts(of worker: WorkerID) -> [RunningAttempt] {
    let attempts = workers[worker]?.leases.compactMap(runningAttempt) ?? []
    return attempts.sorted {
      let (a, b) = ($0.grant.segment, $1.grant.segment)
      return (a.job.rawValue, a.index) < (b.job.rawValue, b.index)
    }
  }

  /// The jobs of which no segment has been leased yet although some are pending, in the order in which they would get
  /// workers: by priority, then in turns of the submitters, the one with the fewest leases first, then by age.
  public var waitingJobs: [JobID] {
    let waiting = jobs.values.filter { $0.counts.pending > 0 && !$0.hasBegun }
    var ordered: [JobID] = []
    let groups = Dictionary(grouping: waiting, by: \.key.share.priority)
    for (_, group) in groups.sorted(by: { $0.key > $1.key }) {
      // Whose turn it is depends on the leases that a submitter has, and on its jobs that come before.
      let keys = group.map(\.key).sorted { $0.order < $1.order }
      var turns: [String?: Int] = [:]
      let places = keys.map { key in
        let turn = turns[key.share.submitter] ?? running[key.share.submitter] ?? 0
        turns[key.share.submitter] = turn + 1
        return (turn: turn, key: key)
      }
      ordered += places.sorted { ($0.turn, $0.key.order) < ($1.turn, $1.key.order) }.map(\.key.id)
    }
    return ordered
  }
}
