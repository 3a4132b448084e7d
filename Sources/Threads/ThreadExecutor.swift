import Foundation

extension TaskPriority {
  /// The priority of calls that must not wait for others. It is above that of tasks that the main thread starts.
  public static let urgent = TaskPriority(rawValue: 0x21)
}

/// A serial executor with its own thread, for an actor that owns a resource with blocking calls.
///
/// Jobs of tasks with the priority `urgent` overtake the others.
///
/// Keep it in a `let` of the actor, and return ``asUnownedSerialExecutor()`` from `unownedExecutor`. The thread ends
/// when the executor is released.
public final class ThreadExecutor: SerialExecutor {
  private let queue: JobQueue

  /// Creates an executor whose thread is called `name`, of which the system shows the first 15 bytes.
  public init(name: String) {
    let queue = JobQueue()
    self.queue = queue
    BlockingThread.start(named: name) { queue.runUntilClosed() }
  }

  deinit {
    queue.close()
  }

  /// Appends `job` to the thread's queue.
  public func enqueue(_ job: consuming ExecutorJob) {
    let isUrgent = job.priority.rawValue >= TaskPriority.urgent.rawValue
    queue.append(UnownedJob(job), for: self, isUrgent: isUrgent)
  }

  /// Traps unless the caller runs on this executor's thread.
  public func checkIsolated() {
    precondition(queue.isOwnThread, "not on the executor's thread")
  }
}

/// The jobs that wait for the thread of a ``ThreadExecutor``.
///
/// `@unchecked`: every access to its state holds `condition`.
private final class JobQueue: @unchecked Sendable {
  /// A job, with its executor kept alive until it has run.
  private typealias Entry = (job: UnownedJob, executor: ThreadExecutor)

  private let condition = NSCondition()
  private var entries: [Entry] = []
  private var urgentEntries: [Entry] = []
  private var isClosed = false
  private var thread: pthread_t?

  func append(_ job: UnownedJob, for executor: ThreadExecutor, isUrgent: Bool) {
    condition.withLock {
      if isUrgent { urgentEntries.append((job, executor)) } else { entries.append((job, executor)) }
      condition.signal()
    }
  }

  func close() {
    condition.withLock {
      isClosed = true
      condition.signal()
    }
  }

  var isOwnThread: Bool {
    condition.withLock { thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }

  func runUntilClosed() {
    condition.withLock { thread = pthread_self() }
    while let batch = nextBatch() {
      for urgent in takeUrgent() { run(urgent) }
      for entry in batch {
        run(entry)
        for urgent in takeUrgent() { run(urgent) }
      }
    }
  }

  private func run(_ entry: Entry) {
    entry.job.runSynchronously(on: entry.executor.asUnownedSerialExecutor())
  }

  /// Waits for jobs and returns those that have arrived, without the urgent ones; `nil` if the queue is closed and empty.
  private func nextBatch() -> [Entry]? {
    condition.withLock {
      while entries.isEmpty, urgentEntries.isEmpty, !isClosed { condition.wait() }
      defer { entries.removeAll() }
      return entries.isEmpty && urgentEntries.isEmpty ? nil : entries
    }
  }

  /// The urgent jobs that have arrived.
  private func takeUrgent() -> [Entry] {
    condition.withLock {
      defer { urgentEntries.removeAll() }
      return urgentEntries
    }
  }
}
