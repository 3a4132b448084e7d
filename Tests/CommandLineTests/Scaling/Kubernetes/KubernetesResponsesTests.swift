import Foundation
import Support
import Testing
import sheaf

/// The driver for Kubernetes with whole responses of an API server, as its reference describes them. `make deployment`
/// validates them against Kubernetes' schemas.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct KubernetesResponsesTests {
  private static let folder = URL(filePath: #filePath)
    .appending(path: "../../../Fixtures/Kubernetes").standardized.path

  /// A driver whose server sends the response in a file for each kind of request.
  private func driver(
    _ files: [String: (status: Int, file: String)], _ body: (KubernetesDriver) async throws -> Void
  ) async throws {
    let texts = try files.mapValues { response in
      let text = try String(contentsOfFile: "\(Self.folder)/\(response.file).json", encoding: .utf8)
      return (status: response.status, text: text)
    }
    let server = try ScriptedServer { connection in
      while let request = connection.request() {
        let path = request.path.split(separator: "?")[0]
        let name = path.split(separator: "/").last { $0 != "sheaf-worker" } ?? ""
        let isNext = request.path.contains(
          "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTg0NDY3fQ")
        let answer = texts["\(request.method) \(isNext ? "more " : "")\(name)"] ?? (404, "{}")
        connection.send(
          "HTTP/1.1 \(answer.status) Status\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(answer.text.utf8.count)\r\n\r\n\(answer.text)")
      }
    }
    defer { server.close() }
    try await body(
      KubernetesDriver(
        WorkerTemplate(name: "scaled-4b6ae8", slots: 2, idleSeconds: 120, coordinators: []),
        from: "sheaf-worker",
        access: try KubernetesAccess(server: server.origin, namespace: "sheaf")))
  }

  private let lists: [String: (status: Int, file: String)] = [
    "GET cronjobs": (200, "cronjob"), "GET jobs": (200, "jobs"),
    "GET more jobs": (200, "more-jobs"),
    "GET pods": (200, "pods"),
  ]

  @Test func `jobs and pods are understood`() async throws {
    try await driver(lists) { driver in
      let workers = try await driver.workers()
      #expect(
        workers == [
          "scaled-4b6ae8-k3v9q0d2xa": .init(isRunning: true),
          "scaled-4b6ae8-q5s2b8n4yh": .init(isRunning: false, reason: "Unschedulable"),
          "scaled-4b6ae8-u8d4r6g1fe": .init(isRunning: false, reason: "ImagePullBackOff"),
        ])
    }
  }

  @Test func `a job that exists already counts as started`() async throws {
    var responses = lists
    responses["POST jobs"] = (409, "already-exists")
    try await driver(responses) { driver in
      let names = try await driver.start(1, lifetime: 60)
      #expect(names.count == 1)
    }
  }

  @Test(arguments: [
    (401, "unauthorized", "Unauthorized"),
    (403, "forbidden", "system:serviceaccount:sheaf:scale"),
    (422, "invalid", "spec.template.spec.containers[0].image: Required value"),
    (429, "too-many-requests", "Too many requests, please try again later."),
  ])
  func `a failure is reported in the server's words`(
    status: Int, file: String, words: String
  ) async throws {
    var responses = lists
    responses["POST jobs"] = (status, file)
    try await driver(responses) { driver in
      let failure = await #expect(throws: CommandFailure.self) {
        try await driver.start(1, lifetime: 60)
      }
      let report = failure?.lines.joined() ?? ""
      #expect(report.contains("cannot create a job in the namespace sheaf"), "\(report)")
      #expect(report.contains(words), "\(report)")
    }
  }

  @Test func `a server that is not Kubernetes is reported`() async throws {
    try await driver(lists.filter { $0.key == "GET cronjobs" }) { driver in
      let failure = await #expect(throws: CommandFailure.self) { try await driver.workers() }
      let report = failure?.lines.joined() ?? ""
      #expect(report.hasSuffix("make sure that --kubernetes-server names a Kubernetes API server"))
    }
  }
}
