import FarmAPI
import Foundation
import HTTP

/// Simulates workers and watchers on one coordinator.
struct Load: Sendable {
  private let configuration: LoadConfiguration

  init(_ configuration: LoadConfiguration) { self.configuration = configuration }

  /// Runs the simulation to its end.
  func run() async throws -> LoadReport {
    let tally = Tally()
    let client = Client(stallTimeout: .seconds(90))
    let api = configuration.coordinator + "/api/v1"
    let chunks = Chunks(still: configuration.still)
    let end = ContinuousClock.now + .seconds(configuration.seconds)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<configuration.streams {
        group.addTask { await watch(api, client, tally) }
      }
      for number in 0..<configuration.workers {
        let worker = SimulatedWorker(
          number: number, api: api, client: client, chunks: chunks, tally: tally,
          segmentSeconds: configuration.segmentSeconds)
        group.addTask { await worker.run(until: end) }
      }
      group.addTask { try? await Task.sleep(until: end, clock: .continuous) }
      // The workers end by themselves, but the streams have to be cancelled.
      for _ in 0...configuration.workers { await group.next() }
      group.cancelAll()
    }
    return tally.report(configuration)
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
