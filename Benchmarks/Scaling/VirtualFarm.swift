import FarmAPI
import Planning
import Scheduling

/// A farm in virtual time: the real scheduler, with models of hosts, links, the coordinator's calls, assembly and mix.
///
/// The coordinator handles one call at a time, in the order of their arrival. A transfer takes as long as the slower of
/// two links needs: the host's, and the coordinator's, which serves one transfer after the other. Hosts fetch sources
/// before they render; real ones do both at once.
struct VirtualFarm {
  private enum Happening {
    case arrival(Int)
    case departure(Int)
    /// A call reaches the coordinator, which takes a while to handle it.
    case call(Event)
    /// The coordinator has handled a call.
    case handled(Event)
    case grant(Int, Grant)
    case rendered(Int, Grant)
    case heartbeat(Int, LeaseToken, began: Instant, length: Duration)
    /// A deadline of the scheduler.
    case deadline
  }

  /// A chunk on its way.
  private struct Delivery {
    let host: Int
    let segment: Int
    /// How long its rendering took.
    let length: Duration
  }

  private let model: FarmModel
  private let heartbeat: Duration
  private var scheduler: Scheduler
  private var agenda = Agenda<Happening>()
  private var hosts: [VirtualHost]
  private var now = Instant(.zero)
  private var assembly: VirtualAssembly
  private var asking: [RequestID: Int] = [:]
  private var deliveries: [LeaseToken: Delivery] = [:]
  private var requestCount: UInt64 = 0
  /// When the coordinator has handled all calls that have arrived.
  private var free = Instant(.zero)
  /// When the coordinator's link has sent everything, and received everything.
  private var (sent, received) = (Instant(.zero), Instant(.zero))
  private var nextDeadline: Instant?
  private var attempts = 0

  init(_ model: FarmModel, _ hosts: [VirtualHost]) throws {
    (self.model, self.hosts) = (model, hosts)
    let settings = try SchedulerSettings()
    heartbeat = settings.leaseDuration / 3
    scheduler = Scheduler(settings: settings)
    assembly = VirtualAssembly(model)
  }

  /// Renders the job.
  mutating func run() -> ScalingResult {
    let segments = (0..<model.segmentCount).map { SegmentEntry(frames: $0 * 150..<$0 * 150 + 150) }
    handle(.jobAdded(JobEntry(id: JobID(rawValue: "film"), order: 1, segments: segments)))
    for number in hosts.indices { agenda.add(.arrival(number), at: Instant(hosts[number].arrives)) }
    while !assembly.isComplete, let (instant, happening) = agenda.next() {
      now = instant
      take(happening)
    }
    for number in hosts.indices where hosts[number].isPresent { endWait(of: number) }
    return ScalingResult(
      model: model, hosts: hosts, rendering: assembly.lastChunk.sinceStart,
      assembly: assembly.length, waitForMix: assembly.waitForMix, attempts: attempts)
  }

  private mutating func take(_ happening: Happening) {
    switch happening {
    case .arrival(let number):
      hosts[number].isPresent = true
      if let leaves = hosts[number].leaves { agenda.add(.departure(number), at: Instant(leaves)) }
      call(
        .workerRegistered(
          WorkerEntry(
            id: VirtualHost.id(number), name: "host-\(number)", slots: 1, fingerprint: "same")))
      ask(number)
    case .departure(let number):
      endWait(of: number)
      hosts[number].isPresent = false
      hosts[number].lease = nil
    case .call(let event):
      free = max(free, now) + model.callTime
      agenda.add(.handled(event), at: free)
    case .handled(let event):
      if case .chunkAccepted(let token) = event { accept(token) }
      handle(event)
    case .grant(let number, let grant): begin(grant, on: number)
    case .rendered(let number, let grant): deliver(grant, from: number)
    case .heartbeat(let number, let token, let began, let length):
      guard hosts[number].lease == token else { return }
      let share = min(max((now - began) / length, 0), 1)
      call(
        .heartbeat(token, framesRendered: Int(150 * share)))
      agenda.add(.heartbeat(number, token, began: began, length: length), at: now + heartbeat)
    case .deadline:
      nextDeadline = nil
      handle(.timePassed)
    }
  }

  // MARK: Hosts

  private mutating func ask(_ number: Int) {
    requestCount += 1
    let id = RequestID(rawValue: requestCount)
    asking[id] = number
    hosts[number].asked = now
    call(
      .leaseWanted(
        LeaseRequest(
          id: id, worker: VirtualHost.id(number), token: LeaseToken(rawValue: "\(requestCount)"),
          deadline: now + .seconds(30))))
  }

  private mutating func begin(_ grant: Grant, on number: Int) {
    guard hosts[number].isPresent else { return }
    endWait(of: number)
    hosts[number].lease = grant.token
    var ready = now
    if !model.hasSources {
      sent = max(sent, now) + .seconds(model.sourceBytes / model.coordinatorLink)
      ready = max(sent, now + .seconds(model.sourceBytes / hosts[number].link))
      hosts[number].transferring += ready - now
    }
    let length = model.renderTime(of: grant.segment.index) / hosts[number].speed
    agenda.add(.rendered(number, grant), at: ready + length)
    agenda.add(
      .heartbeat(number, grant.token, began: ready, length: length), at: now + heartbeat)
  }

  private mutating func deliver(_ grant: Grant, from number: Int) {
    let length = model.renderTime(of: grant.segment.index) / hosts[number].speed
    guard hosts[number].lease == grant.token else {
      // It vanished, or was told to stop.
      hosts[number].wasted += length
      return
    }
    received = max(received, now) + .seconds(model.chunkBytes / model.coordinatorLink)
    let arrival = max(received, now + .seconds(model.chunkBytes / hosts[number].link))
    hosts[number].transferring += arrival - now
    deliveries[grant.token] = Delivery(host: number, segment: grant.segment.index, length: length)
    call(.chunkAccepted(grant.token), at: arrival)
  }

  /// Takes a delivered chunk. Its host asks for the next lease.
  private mutating func accept(_ token: LeaseToken) {
    guard let delivery = deliveries.removeValue(forKey: token) else { return }
    let number = delivery.host
    if assembly.append(delivery.segment, at: now) {
      hosts[number].useful += delivery.length
    } else {
      hosts[number].wasted += delivery.length
    }
    guard hosts[number].lease == token else { return }
    hosts[number].lease = nil
    ask(number)
  }

  private func holder(of token: LeaseToken) -> Int? {
    hosts.firstIndex { $0.lease == token }
  }

  private mutating func endWait(of number: Int) {
    guard let asked = hosts[number].asked else { return }
    hosts[number].asked = nil
    // Up to a tenth of a second is the call's own time.
    if now - asked > .milliseconds(100) { hosts[number].idle += now - asked }
  }

  // MARK: The coordinator

  /// Sends a call at an instant, by default now. The coordinator handles it after those that arrived earlier.
  private mutating func call(_ event: Event, at instant: Instant? = nil) {
    agenda.add(.call(event), at: (instant ?? now) + model.latency)
  }

  private mutating func handle(_ event: Event) {
    for action in scheduler.handle(event, at: now) {
      switch action {
      case .grant(let request, let grant):
        attempts += 1
        guard let number = asking.removeValue(forKey: request) else { continue }
        agenda.add(.grant(number, grant), at: now + model.latency)
      case .refuse(let request, _):
        guard let number = asking.removeValue(forKey: request), hosts[number].isPresent else {
          continue
        }
        let asked = hosts[number].asked
        ask(number)
        hosts[number].asked = asked
      case .answerHeartbeat(let token, stop: true), .rejectStale(let token):
        guard let number = holder(of: token) else { continue }
        hosts[number].lease = nil
        ask(number)
      default: break
      }
    }
    if let next = scheduler.nextDeadline, nextDeadline.map({ next < $0 }) ?? true {
      nextDeadline = next
      agenda.add(.deadline, at: max(next, now))
    }
  }
}
