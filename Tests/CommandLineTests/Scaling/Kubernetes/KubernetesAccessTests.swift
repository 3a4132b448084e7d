import FarmAPI
import Foundation
import Support
import Testing
import sheaf

/// How the driver for Kubernetes finds its API server and trusts it.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct KubernetesAccessTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    for (name, text) in [("token", "first-token"), ("namespace", "studio\n"), ("ca.crt", "x")] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name)))
    }
  }

  private func environment(host: String, port: String = "443") -> [String: String] {
    ["KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port]
  }

  /// The report of settings that are rejected.
  private func problem(_ access: () throws -> KubernetesAccess) -> String {
    do {
      return "it succeeded: \(try access())"
    } catch let failure as CommandFailure where failure.exitCode == .usage {
      return failure.lines.joined(separator: "\n")
    } catch {
      return "\(error)"
    }
  }

  @Test func `in a pod, the service account is used`() throws {
    let access = try KubernetesAccess(
      environment: environment(host: "10.96.0.1"), account: folder.path)
    #expect(access.server == "https://10.96.0.1:443" && access.namespace == "studio")
    #expect(access.tokenFile == folder.path("token"))
    #expect(access.authorityFile == folder.path("ca.crt"))
    let other = try KubernetesAccess(
      namespace: "other", environment: environment(host: "fd00::1"), account: folder.path)
    #expect(other.server == "https://[fd00::1]:443" && other.namespace == "other")
  }

  @Test func `elsewhere, the server and the namespace must be named`() throws {
    #expect(
      problem { try KubernetesAccess(environment: [:], account: folder.path) }.hasPrefix(
        "this process does not run in a pod of Kubernetes"))
    #expect(
      problem {
        try KubernetesAccess(
          server: "https://k8s.example:6443", environment: environment(host: "10.96.0.1"),
          account: folder.path)
      } == "the namespace is unknown: https://k8s.example:6443: name it with --namespace")
    let access = try KubernetesAccess(
      server: "https://k8s.example:6443", namespace: "studio", environment: [:],
      account: folder.path)
    #expect(access.tokenFile == nil && access.authorityFile == nil)
  }

  @Test func `a token is sent without TLS only on this host`() throws {
    for host in ["127.0.0.1", "[::1]", "localhost"] {
      let access = try KubernetesAccess(
        server: "http://\(host):8001", namespace: "studio", environment: [:])
      #expect(access.server == "http://\(host):8001")
    }
    #expect(
      problem {
        try KubernetesAccess(server: "http://k8s.example", namespace: "studio", environment: [:])
      }.hasPrefix("the connection would not be encrypted: http://k8s.example"))
  }

  @Test func `files that cannot be used are named`() throws {
    #expect(
      problem {
        try KubernetesAccess(
          server: "https://k8s.example", namespace: "studio", tokenFile: folder.path("none"),
          environment: [:])
      }.hasPrefix("cannot read a token from the file: \(folder.path("none"))"))
    #expect(
      problem {
        try KubernetesAccess(
          server: "https://k8s.example", namespace: "studio", authorityFile: folder.path("none"),
          environment: [:])
      }.hasPrefix("cannot read the CA certificate"))
  }

  @Test func `the server's certificate is verified with the cluster's authority`() async throws {
    let cluster = try SimulatedCluster()
    let files = try Certificates(in: folder.path)
    let both = ["server.pem", "server.key"].map {
      (try? String(contentsOfFile: files.path($0), encoding: .utf8)) ?? ""
    }
    try Data(both.joined().utf8).write(to: URL(fileURLWithPath: folder.path("both.pem")))
    let relay = try TLSRelay(
      .decrypting(certificate: folder.path("both.pem")), to: cluster.port)
    func driver(authority: String) throws -> KubernetesDriver {
      KubernetesDriver(
        WorkerTemplate(name: "night-ab12cd", slots: 1, idleSeconds: 9, coordinators: []),
        from: "sheaf-worker",
        access: try KubernetesAccess(
          authorityFile: files.path(authority),
          environment: environment(host: "127.0.0.1", port: "\(relay.port)"),
          account: folder.path))
    }
    #expect(try await driver(authority: "ca.pem").start(1, lifetime: 60).count == 1)
    let stranger = try driver(authority: "other.pem")
    let failure = await #expect(throws: CommandFailure.self) { try await stranger.workers() }
    let report = failure?.lines.joined() ?? ""
    #expect(report.hasSuffix("name the cluster's CA certificate with --kubernetes-ca-file"))
  }
}
