import Scheduling

/// Counts the frames that workers render, and measures their recent speeds.
///
/// Frames count when a heartbeat reports them, and the rest of a segment when its chunk is accepted. The frames of an
/// attempt that fails have been rendered too.
package struct RenderMeter: Sendable {
  private struct Attempt {
    let worker: WorkerID
    var frames: Int
  }

  /// The frames of one worker.
  private struct Count {
    var frames = 0
    var meter = ProgressMeter()
    var attempts = 0
  }

  private var attempts: [LeaseToken: Attempt] = [:]
  private var workers: [WorkerID: Count] = [:]
  /// The frames of all workers together.
  private var all = Count()

  /// A meter that has seen nothing.
  package init() {}

  /// The number of frames that all workers have rendered.
  package var frames: Int { all.frames }

  /// Notes that a worker began an attempt.
  package mutating func begin(_ lease: LeaseToken, by worker: WorkerID) {
    begin(lease, by: worker, from: 0)
  }

  /// Notes how many frames of an attempt are rendered.
  ///
  /// If the attempt began before the coordinator started, the frames that it first reports are not counted.
  package mutating func note(
    _ lease: LeaseToken, by worker: WorkerID, _ frames: Int, at now: Instant
  ) {
    if attempts[lease] == nil { begin(lease, by: worker, from: frames) }
    count(lease, frames, at: now)
  }

  /// Notes that an attempt ended.
  ///
  /// - Parameter frames: the number of the segment's frames, if all of them are rendered.
  package mutating func end(_ lease: LeaseToken, rendered frames: Int?, at now: Instant) {
    if let frames { count(lease, frames, at: now) }
    guard let attempt = attempts.removeValue(forKey: lease) else { return }
    all.attempts -= 1
    workers[attempt.worker]?.attempts -= 1
  }

  /// Forgets a worker that is no longer known.
  package mutating func forget(_ worker: WorkerID) { workers[worker] = nil }

  /// A worker's recent speed; `nil` if it renders nothing or that is not known yet.
  package func framesPerSecond(of worker: WorkerID, at now: Instant) -> Double? {
    guard let count = workers[worker], count.attempts > 0 else { return nil }
    return count.meter.framesPerSecond(at: now)
  }

  /// The recent speed of all workers together; `nil` if nothing is being rendered or that is not known yet.
  package func framesPerSecond(at now: Instant) -> Double? {
    all.attempts > 0 ? all.meter.framesPerSecond(at: now) : nil
  }

  private mutating func begin(_ lease: LeaseToken, by worker: WorkerID, from frames: Int) {
    guard attempts.updateValue(Attempt(worker: worker, frames: frames), forKey: lease) == nil else {
      return
    }
    all.attempts += 1
    workers[worker, default: Count()].attempts += 1
  }

  private mutating func count(_ lease: LeaseToken, _ frames: Int, at now: Instant) {
    guard let attempt = attempts[lease] else { return }
    let new = max(0, frames - attempt.frames)
    attempts[lease]?.frames += new
    all.frames += new
    all.meter.note(all.frames, at: now)
    workers[attempt.worker, default: Count()].frames += new
    let total = workers[attempt.worker]?.frames ?? 0
    workers[attempt.worker]?.meter.note(total, at: now)
  }
}
