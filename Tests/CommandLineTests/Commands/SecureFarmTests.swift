import Foundation
import Support
import Synchronization
import Testing

/// A farm with tokens, TLS and client certificates for workers, as processes.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct SecureFarmTests {
  private let folder: TemporaryDirectory
  private let url: String
  private let inputs: [SubprocessPipe]

  init() throws {
    folder = try TemporaryDirectory()
    let files = try Certificates(in: folder.path)
    for (role, name) in [("submitter", "ada"), ("submitter", "bob"), ("worker", "rack")] {
      let made = try Program.coordinator.run(
        ["token", "create", "--data", folder.path("data"), "--role", role, "--name", name])
      try Data(made.standardOutput.utf8).write(
        to: URL(fileURLWithPath: folder.path("\(name).token")))
    }
    let (coordinatorInput, workerInput) = (try SubprocessPipe(), try SubprocessPipe())
    let coordinator = Program.coordinator.process([
      "serve", "--data", folder.path("data"), "--bind", "0.0.0.0", "--port", "0",
      "--exit-with-parent", "--tls-certificate", files.path("server.pem"), "--tls-key",
      files.path("server.key"), "--tls-client-ca", files.path("ca.pem"),
    ])
    coordinator.standardInput = .pipe(coordinatorInput)
    coordinator.standardError = .null
    let port = try coordinator.startListening().split(separator: ":").last ?? ""
    url = "https://127.0.0.1:\(port)"
    let worker = Program.worker.process([
      "--coordinator", url, "--slots", "2", "--cache", folder.path, "--exit-with-parent",
      "--token-file", folder.path("rack.token"), "--ca-file", files.path("ca.pem"),
      "--client-certificate", files.path("client.pem"), "--client-key", files.path("client.key"),
    ])
    worker.standardInput = .pipe(workerInput)
    worker.standardError = .null
    try worker.run()
    inputs = [coordinatorInput, workerInput]
    try SolidClip(color: (80, 128, 128), frameCount: 60).write(to: folder.path("a.mp4"))
    let project = #"{"version": 1, "sequence": [{"clip": "a.mp4"}, {"clip": "a.mp4", "in": 1}]}"#
    try Data(project.utf8).write(to: URL(fileURLWithPath: folder.path("cut.json")))
  }

  private func sheaf(_ holder: String?, _ arguments: String...) throws -> Program.Outcome {
    let token = holder.map { ["--token-file", folder.path("\($0).token")] } ?? []
    return try Program.sheaf.run(
      arguments + ["--coordinator", url, "--ca-file", folder.path("ca.pem")] + token,
      in: folder.path)
  }

  private func end() { for input in inputs { try? input.writing.close() } }

  @Test func `a project is rendered, and another submitter cannot see it`() throws {
    defer { end() }
    let outcome = try sheaf("ada", "submit", "cut.json", "--watch", "-o", "out.mp4", "--json")
    #expect(outcome.status == 0, "\(outcome.standardError)")
    #expect(FileManager.default.fileExists(atPath: folder.path("out.mp4")))
    let own = try sheaf("ada", "jobs").standardOutput
    #expect(own.contains("completed"))
    let others = try sheaf("bob", "jobs")
    #expect(others.status == 0 && !others.standardOutput.contains("completed"))
    let id = own.split(separator: "\n").last?.split(separator: " ").first.map(String.init) ?? ""
    let fetched = try sheaf("bob", "fetch", id, "-o", "stolen.mp4")
    #expect(fetched.status == 1)
    #expect(!FileManager.default.fileExists(atPath: folder.path("stolen.mp4")))
  }

  @Test func `a command without a token or a CA certificate says what is missing`() throws {
    defer { end() }
    let stranger = try sheaf(nil, "jobs")
    #expect(stranger.status == 5)
    #expect(stranger.standardError.contains("--token-file"))
    let distrustful = try Program.sheaf.run(
      ["jobs", "--coordinator", url, "--token-file", folder.path("ada.token")], in: folder.path)
    #expect(distrustful.status == 4)
    #expect(distrustful.standardError.contains("cannot verify the coordinator's certificate"))
    #expect(distrustful.standardError.contains("--ca-file"))
    #expect(!distrustful.standardError.contains("waiting"))
  }

  @Test func `the health of a coordinator with TLS can be checked without a token`() throws {
    defer { end() }
    func health(_ url: String, _ arguments: String...) throws -> Program.Outcome {
      try Program.coordinator.run(["health", "--url", url] + arguments)
    }
    let authority = folder.path("ca.pem")
    let healthy = try health(url, "--ca-file", authority)
    #expect(healthy.status == 0, "\(healthy.standardError)")
    #expect(healthy.standardOutput.isEmpty && healthy.standardError.isEmpty)
    #expect(try health(url, "--ca-file", authority, "--ready").status == 0)
    #expect(try health(url).status == 1)
    let port = url.split(separator: ":").last ?? ""
    let named = ["--connect", "127.0.0.1", "--ca-file", authority]
    // The certificate is not for this name, so the connection was opened although the name does not exist.
    let other = try Program.coordinator.run(
      ["health", "--url", "https://farm.invalid:\(port)"] + named)
    #expect(other.status == 1)
    #expect(other.standardError.contains("certificate"), "\(other.standardError)")
    let worker = try Program.worker.run([
      "--coordinator", url, "--ca-file", authority, "--cache", folder.path, "--check",
    ])
    #expect(worker.status == 0, "\(worker.standardError)")
    #expect(try health("http://127.0.0.1:1").status == 1)
    #expect(try health("farm").status == 2)
  }

  @Test func `the doctor checks the certificate and the token`() throws {
    defer { end() }
    let token = folder.path("ada.token")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: token)
    let healthy = try sheaf("ada", "doctor").standardOutput
    #expect(healthy.contains("ok       token: ada's token has the role submitter"), "\(healthy)")
    // The test's certificate is valid for two days.
    #expect(healthy.contains("warning  certificate: it is trusted, but expires in 1 day"))
    #expect(healthy.contains("ok       clock: it agrees with the coordinator's"))
    #expect(healthy.contains("ok       version: "))
    #expect(healthy.contains("ok       token file: "))
    let worker = try sheaf("rack", "doctor").standardOutput
    #expect(worker.contains("failed   token: the coordinator rejects it: "), "\(worker)")
    #expect(worker.contains("warning  token file: other users can read "))
    let stranger = try sheaf(nil, "doctor")
    #expect(stranger.status == 5)
    #expect(stranger.standardOutput.contains("failed   token: the coordinator requires one"))
    try Data("sheaf_wrong\n".utf8).write(to: URL(fileURLWithPath: token))
    let wrong = try sheaf("ada", "doctor")
    #expect(wrong.status == 5)
    #expect(wrong.standardOutput.contains("the token is not valid"), "\(wrong.standardOutput)")
    #expect(!wrong.standardOutput.contains("sheaf_wrong"))
  }

  @Test func `the doctor explains why a connection with TLS fails`() throws {
    defer { end() }
    let untrusted = try Program.sheaf.run(["doctor", "--coordinator", url])
    #expect(untrusted.status == 4)
    #expect(untrusted.standardOutput.contains("is not signed by a trusted authority"))
    #expect(untrusted.standardOutput.contains("fix: pass the CA certificate with --ca-file FILE"))
    let authority = ["--ca-file", folder.path("ca.pem")]
    let named = url.replacingOccurrences(of: "127.0.0.1", with: "localhost")
    let other = try Program.sheaf.run(["doctor", "--coordinator", named] + authority)
    #expect(other.status == 4)
    #expect(
      other.standardOutput.contains("the certificate is for another name"),
      "\(other.standardOutput)")
    let plain = url.replacingOccurrences(of: "https:", with: "http:")
    let scheme = try Program.sheaf.run(["doctor", "--coordinator", plain] + authority)
    #expect(scheme.status == 4)
    #expect(
      scheme.standardOutput.contains("failed   coordinator: the coordinator uses TLS: \(plain)"))
    #expect(scheme.standardOutput.contains("         fix: use \(url)\n"))
  }

  @Test func `a worker with the wrong scheme names the right one`() throws {
    defer { end() }
    let plain = url.replacingOccurrences(of: "https:", with: "http:")
    let message = "the coordinator uses TLS: \(plain): use \(url)"
    let checked = try Program.worker.run([
      "--coordinator", plain, "--cache", folder.path, "--check",
    ])
    #expect(checked.status == 1)
    #expect(checked.standardError == "sheaf-worker: \(message)\n")
    let log = folder.path("worker.log")
    try Data().write(to: URL(fileURLWithPath: log))
    let worker = Program.worker.process(["--coordinator", plain, "--cache", folder.path])
    worker.standardOutput = .null
    worker.standardError = try .writing(log)
    try worker.run()
    defer {
      worker.terminate()
      worker.wait()
    }
    try blockUntil("the worker has logged the reason") {
      try String(contentsOfFile: log, encoding: .utf8).contains(message)
    }
  }

  /// A relay to the coordinator that closes its first connections during the TLS handshake.
  private func relay(breakingFirst count: Int) throws -> ScriptedServer {
    let port = url.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
    let left = Mutex(count)
    return try ScriptedServer { connection in
      let breaks = left.withLock { left in
        left -= 1
        return left >= 0
      }
      if breaks {
        _ = connection.receive()
        return
      }
      guard let upstream = try? ScriptedConnection(to: port) else { return }
      Thread.detachNewThread {
        while case let bytes = upstream.receive(), !bytes.isEmpty, connection.send(bytes) {}
        connection.breakOff()
      }
      while case let bytes = connection.receive(), !bytes.isEmpty, upstream.send(bytes) {}
      upstream.breakOff()
    }
  }

  @Test func `a command retries an interrupted TLS handshake`() throws {
    defer { end() }
    let relay = try relay(breakingFirst: 3)
    defer { relay.close() }
    let origin = relay.origin.replacingOccurrences(of: "http:", with: "https:")
    let outcome = try Program.sheaf.run(
      [
        "submit", "cut.json", "--coordinator", origin, "--ca-file", folder.path("ca.pem"),
        "--token-file", folder.path("ada.token"),
      ], in: folder.path)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    #expect(outcome.standardError.contains("waiting up to 600 s for the coordinator"))
  }

  @Test func `a worker without a client certificate is rejected and exits`() throws {
    defer { end() }
    let outcome = try Program.worker.run([
      "--coordinator", url, "--cache", folder.path, "--token-file", folder.path("rack.token"),
      "--ca-file", folder.path("ca.pem"), "--token-patience", "0",
    ])
    #expect(outcome.status == 3)
    #expect(outcome.standardError.contains("client certificate"))
  }
}
