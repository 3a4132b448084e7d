import FarmAPI
import Foundation
import Support
import Synchronization
import Testing

/// A coordinator that can be killed and restarted, the files of a project, and commands that reach the coordinator
/// directly or through a proxy.
final class LosableFarm: Sendable {
  /// The folder in which commands run, with `cut.json`.
  let folder: TemporaryDirectory
  private let security: FarmSecurity
  private let coordinator: Mutex<(process: Subprocess, url: String)>
  /// With TLS: the relays that decrypt for a proxy, and those that encrypt behind it, one per start of the coordinator.
  private let relays = Mutex<[TLSRelay]>([])
  private let proxies = Mutex<[FaultyProxy]>([])

  /// Starts a coordinator on an empty data directory.
  init(_ security: FarmSecurity) throws {
    self.security = security
    let folder = try TemporaryDirectory()
    self.folder = folder
    if security == .secured {
      let files = try Certificates(in: folder.path)
      let both = try ["server.pem", "server.key"].map {
        try Data(contentsOf: URL(filePath: files.path($0)))
      }
      try (both[0] + both[1]).write(to: URL(filePath: folder.path("both.pem")))
      for role in ["submitter", "worker"] {
        let made = try Program.coordinator.run(
          ["token", "create", "--data", folder.path("data"), "--role", role, "--name", role])
        try Data(made.standardOutput.utf8).write(to: URL(filePath: folder.path("\(role).token")))
      }
    }
    coordinator = Mutex(try Self.start(folder, security))
    try SolidClip(color: (80, 128, 128), frameCount: 60).write(to: folder.path("a.mp4"))
    let project = #"{"version": 1, "sequence": [{"clip": "a.mp4"}, {"clip": "a.mp4", "in": 1}]}"#
    try Data(project.utf8).write(to: URL(filePath: folder.path("cut.json")))
  }

  deinit { kill() }

  private static func start(
    _ folder: TemporaryDirectory, _ security: FarmSecurity, port: String = "0"
  ) throws -> (Subprocess, String) {
    let secrets =
      security == .open
      ? []
      : [
        "--require-tokens", "--tls-certificate", folder.path("server.pem"), "--tls-key",
        folder.path("server.key"), "--tls-client-ca", folder.path("ca.pem"),
      ]
    let process = Program.coordinator.process(
      [
        "serve", "--data", folder.path("data"), "--port", port, "--access-log",
        folder.path("access.log"),
      ] + secrets)
    process.standardError = .null
    return (process, try process.startListening())
  }

  /// The coordinator's own URL.
  var url: String { coordinator.withLock { $0.url } }

  /// The port to which a proxy sends plain-text requests.
  private func port() throws -> UInt16 {
    let port = url.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
    guard security == .secured else { return port }
    let relay = try TLSRelay(.encrypting, to: port)
    relays.withLock { $0.append(relay) }
    return relay.port
  }

  /// Kills the coordinator.
  func kill() {
    coordinator.withLock {
      // The id of a process that has ended may belong to another one.
      guard $0.process.isRunning else { return }
      $0.process.destroy()
    }
  }

  /// Starts the coordinator again on the same port.
  func startAgain() throws {
    let port = url.split(separator: ":").last.map(String.init) ?? "0"
    let new = try Self.start(folder, security, port: port)
    coordinator.withLock { $0 = new }
  }

  /// Starts the coordinator again on another port, and redirects the proxy to it.
  func startAgain(behind proxy: FaultyProxy) throws {
    let new = try Self.start(folder, security)
    coordinator.withLock { $0 = new }
    proxy.redirect(to: try port())
  }

  /// A proxy, and the URL at which commands reach it.
  struct Entrance {
    let proxy: FaultyProxy
    let url: String
  }

  /// Puts a proxy in front of the coordinator.
  func entrance(
    _ fault: @escaping @Sendable (ScriptedRequest) -> FaultyProxy.Fault? = { _ in nil }
  ) throws -> Entrance {
    let proxy = try FaultyProxy(to: port(), fault)
    proxies.withLock { $0.append(proxy) }
    guard security == .secured else { return Entrance(proxy: proxy, url: proxy.origin) }
    let listening = proxy.origin.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
    let relay = try TLSRelay(.decrypting(certificate: folder.path("both.pem")), to: listening)
    relays.withLock { $0.append(relay) }
    return Entrance(proxy: proxy, url: "https://127.0.0.1:\(relay.port)")
  }

  /// Puts a proxy in front of the coordinator that applies faults to the first matching requests.
  func entrance(
    _ faults: [FaultyProxy.Fault], of isMeant: @escaping @Sendable (ScriptedRequest) -> Bool
  ) throws -> Entrance {
    let left = Left(faults)
    return try entrance { isMeant($0) ? left.next() : nil }
  }

  /// The faults that have not been applied yet.
  private final class Left: Sendable {
    private let faults: Mutex<ArraySlice<FaultyProxy.Fault>>
    init(_ faults: [FaultyProxy.Fault]) { self.faults = Mutex(faults[...]) }
    func next() -> FaultyProxy.Fault? { faults.withLock { $0.popFirst() } }
  }

  private var credentials: [String] {
    security == .open
      ? []
      : ["--ca-file", folder.path("ca.pem"), "--token-file", folder.path("submitter.token")]
  }

  /// Runs a command to its end.
  ///
  /// - Parameter url: the URL at which it reaches the coordinator; the coordinator's own by default.
  func sheaf(_ arguments: [String], at url: String? = nil) throws -> Program.Outcome {
    try Program.sheaf.run(
      arguments + ["--coordinator", url ?? self.url] + credentials, in: folder.path)
  }

  /// Runs a command to its end on a separate thread.
  func sheafElsewhere(_ arguments: [String], at url: String? = nil) async throws -> Program.Outcome
  {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(with: Result { try self.sheaf(arguments, at: url) })
      }
    }
  }

  /// A command that has not started yet.
  func command(_ arguments: [String], at url: String) -> Subprocess {
    Program.sheaf.process(arguments + ["--coordinator", url] + credentials, in: folder.path)
  }

  /// Submits a job, and returns its id.
  func submit() throws -> String {
    let outcome = try sheaf(["submit", "cut.json"])
    #expect(outcome.status == 0, "\(outcome.standardError)")
    return outcome.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The jobs that the coordinator has.
  func jobs() throws -> [JobStatus] {
    let outcome = try sheaf(["jobs", "--json"])
    return try FarmCoding.decode([JobStatus].self, from: Data(outcome.standardOutput.utf8))
  }

  /// Starts a worker that exits when the returned pipe closes.
  func startWorker() throws -> SubprocessPipe {
    let input = try SubprocessPipe()
    let credentials =
      security == .open
      ? []
      : [
        "--token-file", folder.path("worker.token"), "--ca-file", folder.path("ca.pem"),
        "--client-certificate", folder.path("client.pem"), "--client-key",
        folder.path("client.key"),
      ]
    let worker = Program.worker.process(
      [
        "--coordinator", url, "--slots", "1", "--cache", folder.path, "--exit-with-parent",
      ] + credentials)
    worker.standardInput = .pipe(input)
    worker.standardError = .null
    try worker.run()
    return input
  }
}
