import FarmAPI
import Foundation
import HTTP

/// Simulates workers and watchers of a farm.
struct Load: Sendable {
  private let configuration: LoadConfiguration

  init(_ configuration: LoadConfiguration) { self.configuration = configuration }

  /// The number of workers that share a client, which keeps up to 64 connections open.
  private static let workersPerClient = 32
  /// The run ends if no chunk is delivered for this time.
  private static let patience = Duration.seconds(180)

  /// Runs the simulation to its end.
  func run() async -> LoadReport {
    let tally = Tally(
      segments: configuration.segments,
      stage: configuration.segments.map { configuration.stage ?? max(1, $0 / 10) })
    let chunks = Chunks(still: configuration.still, paddingBytes: configuration.paddingBytes)
    let watchers = Client(stallTimeout: .seconds(90))
    let end = ContinuousClock.now + .seconds(configuration.seconds ?? 24 * 3600)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<configuration.streams {
        group.addTask { await watch(configuration.coordinators[0] + "/api/v1", watchers, tally) }
      }
      // Each client has a thread and connections of its own, so that they are kept open as those of real workers are.
      var clients = SimulatedWorker.Clients()
      for number in 0..<configuration.workers {
        let place = number.quotientAndRemainder(dividingBy: Self.workersPerClient)
        if place.remainder == 0 { clients = SimulatedWorker.Clients() }
        let coordinator = place.quotient % configuration.coordinators.count
        let worker = SimulatedWorker(
          number: number, api: configuration.coordinators[coordinator] + "/api/v1",
          clients: clients, chunks: chunks, tally: tally,
          start: .seconds(
            configuration.segmentSeconds * Double(number) / Double(configuration.workers)),
          segmentSeconds: configuration.segmentSeconds)
        group.addTask { await worker.run(until: end) }
      }
      if configuration.segments != nil {
        await waitForSegments(tally, until: end)
      } else {
        try? await Task.sleep(until: end, clock: .continuous)
      }
      // The workers finish their leases after a time, but not after a number of segments. The streams are cancelled.
      if !tally.isComplete { for _ in 0..<configuration.workers { await group.next() } }
      group.cancelAll()
    }
    while let stage = tally.nextStage() { stage.print() }
    tally.lastStage()?.print()
    return tally.report(configuration)
  }

  /// Waits until all segments are delivered or the time is over, and prints the progress at each stage.
  private func waitForSegments(_ tally: Tally, until end: ContinuousClock.Instant) async {
    var (delivered, lastDelivery) = (0, ContinuousClock.now)
    while !tally.isComplete, .now < end {
      try? await Task.sleep(for: .milliseconds(100))
      while let stage = tally.nextStage() { stage.print() }
      let count = tally.delivered
      if count > delivered { (delivered, lastDelivery) = (count, .now) }
      guard lastDelivery.duration(to: .now) < Self.patience else {
        return tally.fail(
          "no chunk was delivered for \(Self.patience.components.seconds) s, after \(count) segments"
        )
      }
    }
  }

  /// Follows all events until it is cancelled.
  private func watch(_ api: String, _ client: Client, _ tally: Tally) async {
    tally.note { $0.streams += 1 }
    do {
      for try await _ in client.events(ClientRequest(.get, "\(api)/events")) {
        tally.note { $0.events += 1 }
      }
      if !Task.isCancelled { tally.fail("an event stream ended") }
    } catch {
      if !Task.isCancelled { tally.fail("an event stream: \(error)") }
    }
  }
}
