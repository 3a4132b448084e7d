import Scheduling

/// Starts the runs that the farm asks for, one after another for each job. Cancels them when it is released.
actor JobRunner {
  private struct Run {
    let number: UInt64
    let task: Task<Void, Never>
  }

  private let shop: Workshop
  /// The last run of each job, which may still be cleaning up.
  private var runs: [JobID: Run] = [:]
  private var listener: Task<Void, Never>?

  init(shop: Workshop) { self.shop = shop }

  deinit {
    listener?.cancel()
    for run in runs.values { run.task.cancel() }
  }

  /// Starts runs until the farm stops.
  func start() {
    listener = Task { [weak self, requests = shop.farm.runRequests] in
      for await request in requests { await self?.begin(request) }
    }
  }

  /// Waits until every run has ended. The farm has stopped, which cancels them.
  func waitForRuns() async {
    await listener?.value
    for run in runs.values { await run.task.value }
  }

  private func begin(_ request: RunRequest) async {
    let earlier = runs[request.job]?.task
    // The farm has to know the task before the run's first call, so that it can cancel the run at any time.
    let (isKnown, known) = AsyncStream<Void>.makeStream()
    let task = Task { [weak self, shop] in
      for await _ in isKnown {}
      await earlier?.value
      await JobRun(id: request.job, shop: shop).run()
      await self?.end(request)
    }
    runs[request.job] = Run(number: request.number, task: task)
    await shop.farm.note(task, of: request)
    known.finish()
  }

  private func end(_ request: RunRequest) {
    if runs[request.job]?.number == request.number { runs[request.job] = nil }
  }
}
