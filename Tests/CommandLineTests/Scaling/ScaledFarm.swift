import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization

/// A coordinator with segments that wait, and some workers, for `sheaf scale`.
final class ScaledFarm: Sendable {
  /// The segments that wait, of all jobs.
  let pending = Mutex(0)
  /// Those of jobs that ask for a pool.
  let pools = Mutex<[String: Int]>([:])
  /// The names of the workers.
  let active = Mutex<[String]>([])
  let isDown = Mutex(false)
  private let server: Server

  init() throws {
    let box = Box()
    var router = Router()
    router.get("/api/v1/farm") { _ in
      guard let farm = box.farm, !farm.isDown.withLock({ $0 }) else {
        throw HTTPError(.notFound, type: ProblemType.notFound.rawValue, detail: "down")
      }
      let pools = farm.pools.withLock { $0 }.map {
        JSON.object(["name": .string($0.key), "pending": .integer($0.value), "leased": .integer(0)])
      }
      let segments: JSON = [
        "pending": .integer(farm.pending.withLock { $0 }), "leased": .integer(0),
      ]
      let sums: JSON = ["segments": segments, "pools": .array(pools)]
      return .json(data: try FarmCoding.encode(sums))
    }
    router.get("/api/v1/workers") { _ in
      let names = box.farm?.active.withLock { $0 } ?? []
      return .json(
        data: try FarmCoding.encode(
          names.map {
            WorkerStatus(
              id: $0, name: $0, slots: 1, leases: 0, state: .active, segmentsCompleted: 0,
              segmentsFailed: 0, secondsSinceSeen: 1)
          }))
    }
    server = try Server(ServerConfiguration(), router: router)
    box.set(self)
  }

  private final class Box: Sendable {
    private struct Reference: Sendable { weak var farm: ScaledFarm? }
    private let reference = Mutex(Reference())
    var farm: ScaledFarm? { reference.withLock { $0.farm } }
    func set(_ farm: ScaledFarm) { reference.withLock { $0.farm = farm } }
  }

  var url: String { "http://127.0.0.1:\(server.port)" }

  func stop() async { await server.shutdown(grace: .zero) }
}

/// A run of `sheaf scale`, whose output is in files of a folder.
struct ScaleRun {
  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Starts the command, which looks every second. Programs in the folder come first in its search path.
  func start(_ farm: ScaledFarm, _ arguments: [String]) throws -> Subprocess {
    let process = Program.sheaf.process(
      ["scale", "--coordinator", farm.url, "--interval", "1", "--cool-down", "0"] + arguments)
    process.environment["PATH"] = "\(folder.path):\(process.environment["PATH"] ?? "")"
    process.environment["SHEAF_TOKEN"] = "sheaf_observer_secret"
    for name in ["out", "errors"] {
      _ = FileManager.default.createFile(atPath: folder.path(name), contents: nil)
    }
    process.standardOutput = try .writing(folder.path("out"))
    process.standardError = try .writing(folder.path("errors"))
    try process.run()
    return process
  }

  /// The content of a file in the folder; empty if there is none.
  func text(_ file: String) -> String {
    (try? String(contentsOfFile: folder.path(file), encoding: .utf8)) ?? ""
  }
}
