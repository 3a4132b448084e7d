import FarmAPI
import Foundation
import HTTP

extension FarmConnection {
  /// The numbers about the farm that a watcher shows.
  private struct FarmSums: Decodable {
    struct Workers: Decodable { var active: Int }
    var workers: Workers
    var slots: Int
    var slotsBusy: Int
  }

  /// The farm's workers in numbers; `nil` if the coordinator does not tell this token. It is asked once, without patience,
  /// because the numbers are a decoration.
  func workerFigures() async -> WorkerFigures? {
    if let body = await glance("/farm"),
      let sums = try? FarmCoding.decode(FarmSums.self, from: body)
    {
      return WorkerFigures(workers: sums.workers.active, busy: sums.slotsBusy, slots: sums.slots)
    }
    guard let body = await glance("/workers") else { return nil }
    return (try? FarmCoding.decode([WorkerStatus].self, from: body)).map { WorkerFigures($0) }
  }

  private func glance(_ path: String) async -> Data? {
    let request = ClientRequest(.get, url(path), timeout: .seconds(5))
    guard let response = try? await client.send(request), response.status.isSuccess else {
      return nil
    }
    return response.body
  }
}
