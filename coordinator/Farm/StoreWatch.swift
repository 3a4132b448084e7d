/// Passes the events of a store to the farm, in order, until it is stopped or released.
actor StoreWatch<Event: Sendable> {
  private let events: AsyncStream<Event>
  private let act: @Sendable (Event) async -> Void
  private var watch: Task<Void, Never>?

  init(_ events: AsyncStream<Event>, _ act: @escaping @Sendable (Event) async -> Void) {
    self.events = events
    self.act = act
  }

  deinit { watch?.cancel() }

  /// Begins to watch the store.
  func start() {
    watch = Task { [events, act] in
      for await event in events { await act(event) }
    }
  }

  /// Stops watching.
  func stop() async {
    watch?.cancel()
    await watch?.value
  }
}
