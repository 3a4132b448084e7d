import FarmAPI
import Foundation
import Support
import Synchronization
import Testing
import sheaf

/// The driver for Kubernetes with a simulated API server.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct KubernetesDriverTests {
  private let cluster: SimulatedCluster
  private let folder: TemporaryDirectory
  private let driver: KubernetesDriver

  init() throws {
    (cluster, folder) = (try SimulatedCluster(), try TemporaryDirectory())
    driver = try Self.driver(cluster, folder)
    try write(token: "first-token")
  }

  private static func driver(
    _ cluster: SimulatedCluster, _ folder: TemporaryDirectory, name: String = "night-ab12cd",
    pool: String? = nil
  ) throws -> KubernetesDriver {
    try Data("first-token\n".utf8).write(to: URL(fileURLWithPath: folder.path("token")))
    return KubernetesDriver(
      WorkerTemplate(
        name: name, slots: 4, idleSeconds: 90, pool: pool,
        coordinators: ["https://a:7420", "https://b:7420"]), from: "sheaf-worker",
      access: try KubernetesAccess(
        server: cluster.url, namespace: "studio", tokenFile: folder.path("token")))
  }

  private func write(token: String) throws {
    try Data("\(token)\n".utf8).write(
      to: URL(fileURLWithPath: folder.path("token")), options: .atomic)
  }

  /// The report of a call that fails.
  private func problem(_ call: () async throws -> some Sendable) async -> String {
    do {
      _ = try await call()
      return "it succeeded"
    } catch let failure as CommandFailure {
      return failure.lines.joined(separator: "\n")
    } catch {
      return "\(error)"
    }
  }

  @Test func `each worker is a job from the cron job's template`() async throws {
    let driver = try Self.driver(cluster, folder, pool: "gpu")
    let names = try await driver.start(2, lifetime: 3600)
    #expect(names.count == 2 && names.sorted() == cluster.jobs.map(\.name))
    let first = cluster.jobs.first { $0.name == names[0] }
    let manifest = try #require(first?.manifest)
    let name = manifest["metadata"]["name"].text
    #expect(name.wholeMatch(of: /night-ab12cd-[a-z0-9]{10}/) != nil)
    #expect(
      manifest["metadata"] == [
        "name": .string(name), "annotations": ["studio.example/owner": "ada"],
        "labels": [
          "kueue.x-k8s.io/queue-name": "render", "sheaf/scaled-by": "night-ab12cd",
        ],
      ])
    let spec = manifest["spec"]
    #expect(spec["parallelism"] == .integer(1) && spec["completions"] == .integer(1))
    #expect(spec["backoffLimit"] == .integer(0))
    #expect(spec["ttlSecondsAfterFinished"] == .integer(600))
    let pod = spec["template"]
    #expect(
      pod["metadata"]["labels"] == [
        "app.kubernetes.io/component": "worker", "sheaf/scaled-by": "night-ab12cd",
      ])
    #expect(pod["spec"]["restartPolicy"] == "Never")
    #expect(pod["spec"]["activeDeadlineSeconds"] == .integer(4200))
    #expect(pod["spec"]["terminationGracePeriodSeconds"] == .integer(10))
    let containers = pod["spec"]["containers"].arrayElements
    #expect(
      containers[0] == [
        "name": "worker", "image": "sheaf-worker:0.9.0",
        "args": [
          "--token-file=/run/secrets/worker/token", "--name", .string(name), "--slots", "4",
          "--exit-when-idle", "90", "--max-lifetime", "3600", "--pool", "gpu",
        ],
        "env": [["name": "SHEAF_COORDINATOR", "value": "https://a:7420 https://b:7420"]],
        "resources": ["requests": ["cpu": "2"]],
      ])
    #expect(containers[1] == ["name": "side", "image": "side:1"])
  }

  @Test func `the workers of one start begin and end one after the other`() async throws {
    let clock = ContinuousClock()
    let begin = clock.now
    let names = try await driver.start(3, lifetime: 3600)
    #expect(clock.now - begin >= .milliseconds(500))
    let jobs = cluster.jobs
    let limits = names.compactMap { name in
      jobs.first { $0.name == name }?.manifest["spec"]["template"]["spec"]["activeDeadlineSeconds"]
    }
    #expect(limits == [.integer(4200), .integer(4194), .integer(4188)])
  }

  @Test func `the template's own times and addresses stay`() async throws {
    cluster.state.withLock { state in
      var object = SimulatedCluster.cronJob()
      var spec = object["spec"]["jobTemplate"]["spec"]
      spec["ttlSecondsAfterFinished"] = .integer(60)
      spec["template"]["spec"]["containers"] = [
        [
          "image": "sheaf-worker", "command": ["sheaf-worker"],
          "env": [["name": "SHEAF_COORDINATOR", "value": "https://inside:7420"]],
        ]
      ]
      object["spec"]["jobTemplate"]["spec"] = spec
      state.cronJobs["sheaf-worker"] = object
    }
    _ = try await driver.start(1, lifetime: 60)
    let spec = try #require(cluster.jobs.first?.manifest["spec"])
    #expect(spec["ttlSecondsAfterFinished"] == .integer(60))
    let container = try #require(spec["template"]["spec"]["containers"].arrayElements.first)
    #expect(container["env"].arrayElements.count == 1)
    #expect(container["args"].arrayElements.first == "--name")
  }

  @Test(arguments: [
    ("suspend", "the cron job starts jobs itself: sheaf-worker: set spec.suspend to true"),
    ("containers", "the cron job has no container"),
    ("--slots=2", "this command sets --slots itself: sheaf-worker: leave it out"),
    ("--name", "this command sets --name itself"),
  ])
  func `a template that does not suit is reported at the first look`(
    flaw: String, expected: String
  ) async throws {
    cluster.state.withLock { state in
      var object = SimulatedCluster.cronJob(args: flaw.hasPrefix("--") ? [.string(flaw)] : [])
      if flaw == "suspend" { object["spec"]["suspend"] = false }
      if flaw == "containers" {
        object["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"] = []
      }
      state.cronJobs["sheaf-worker"] = object
    }
    let report = await problem { try await driver.workers() }
    #expect(report.hasPrefix(expected), "\(report)")
  }

  @Test func `the jobs of others are ignored, and lists are read page by page`() async throws {
    cluster.state.withLock { $0.pageSize = 2 }
    let names = try await driver.start(5, lifetime: 60)
    let other = try Self.driver(cluster, folder, name: "day-ab12cd")
    let others = try await other.start(3, lifetime: 60)
    #expect(try await driver.workers().keys.sorted() == names.sorted())
    #expect(try await other.workers().keys.sorted() == others.sorted())
    let lists = cluster.state.withLock {
      $0.requests.count { $0 == "GET /apis/batch/v1/namespaces/studio/jobs" }
    }
    #expect(lists == 5)
  }

  @Test func `a list whose snapshot expires is read again`() async throws {
    let names = try await driver.start(3, lifetime: 60)
    cluster.state.withLock { ($0.pageSize, $0.expiringPages) = (2, 1) }
    #expect(try await driver.workers().keys.sorted() == names.sorted())
    cluster.state.withLock { $0.expiringPages = 99 }
    let report = await problem { try await driver.workers() }
    #expect(report.contains("too old to display a consistent list"), "\(report)")
  }

  @Test func `a worker waits until its pod runs, and ends with its job`() async throws {
    let names = try await driver.start(7, lifetime: 60)
    cluster.change(names[1]) { $0.waiting = nil }
    cluster.change(names[2]) { $0.waiting = .container("ImagePullBackOff") }
    cluster.change(names[3]) { $0.waiting = .initContainer("CrashLoopBackOff") }
    cluster.change(names[4]) { $0.isSuspended = true }
    cluster.change(names[4]) { $0.hasPod = false }
    cluster.change(names[5]) { $0.hasPod = false }
    cluster.change(names[6]) { $0.waiting = .container("ContainerCreating") }
    func waiting(_ reason: String) -> StartedWorker { .init(isRunning: false, reason: reason) }
    #expect(
      try await driver.workers() == [
        names[0]: waiting("Unschedulable"), names[1]: .init(isRunning: true),
        names[2]: waiting("ImagePullBackOff"), names[3]: waiting("CrashLoopBackOff"),
        names[4]: waiting("Suspended"), names[5]: waiting("no pod yet"),
        names[6]: waiting("ContainerCreating"),
      ])
    cluster.change(names[0]) { $0.end = "Complete" }
    // A pod that exceeds its time limit fails its job.
    cluster.change(names[1]) { $0.end = "Failed" }
    cluster.change(names[2]) { $0.isBeingDeleted = true }
    _ = cluster.state.withLock { $0.jobs.removeValue(forKey: names[3]) }
    #expect(try await driver.workers().keys.sorted() == names[4...].sorted())
  }

  @Test(arguments: [SimulatedCluster.Fault.lostBefore, .lostAfter, .failedAfter])
  func `a request without a response never starts a worker twice`(
    fault: SimulatedCluster.Fault
  ) async throws {
    cluster.state.withLock { $0.faults = [fault] }
    let report = await problem { try await driver.start(1, lifetime: 60) }
    #expect(report.hasPrefix("cannot create a job in the namespace studio"), "\(report)")
    // The same name is used again, whether or not the job exists.
    let names = try await driver.start(1, lifetime: 60)
    #expect(cluster.state.withLock { $0.createdNames } == names + names)
    #expect(cluster.jobs.map(\.name) == names)
    #expect(try await driver.workers().keys.sorted() == names)
    #expect(try await driver.start(1, lifetime: 60) != names)
  }

  @Test func `a job that exists although its response was lost counts`() async throws {
    cluster.state.withLock { $0.faults = [.lostAfter] }
    _ = await problem { try await driver.start(1, lifetime: 60) }
    let first = try await driver.workers().keys.sorted()
    #expect(first.count == 1)
    let second = try await driver.start(1, lifetime: 60)
    #expect(try await driver.workers().count == 2 && first != second)
  }

  @Test func `the workers that a quota allows are started`() async throws {
    cluster.state.withLock { $0.quota = 2 }
    #expect(try await driver.start(3, lifetime: 60).count == 2)
    let report = await problem { try await driver.start(1, lifetime: 60) }
    #expect(report.contains("exceeded quota: render"), "\(report)")
    #expect(try await driver.workers().count == 2)
  }

  @Test func `a conflict with another change is not a success`() async throws {
    let message =
      "Operation cannot be fulfilled on resourcequotas \"render\": the object has been modified"
    cluster.state.withLock {
      $0.faults = [.rejected(409, reason: "Conflict", message: message)]
    }
    let report = await problem { try await driver.start(1, lifetime: 60) }
    #expect(report.contains(message), "\(report)")
    #expect(cluster.jobs.isEmpty)
  }

  @Test(arguments: ["create jobs", "list jobs", "list pods", "get cronjobs"])
  func `a missing permission is named`(permission: String) async throws {
    cluster.state.withLock { _ = $0.permissions.remove(permission) }
    let report = await problem {
      _ = try await driver.workers()
      _ = try await driver.start(1, lifetime: 60)
    }
    let words = permission.split(separator: " ")
    #expect(report.contains("cannot \(words[0]) resource \"\(words[1])\""), "\(report)")
    #expect(report.contains("needs a role with create and list for jobs"), "\(report)")
  }

  @Test func `a cron job that is missing is named`() async throws {
    cluster.state.withLock { $0.cronJobs = [:] }
    let report = await problem { try await driver.workers() }
    #expect(
      report.hasPrefix(
        "cannot read the cron job sheaf-worker in the namespace studio of Kubernetes: "
          + "cronjobs.batch \"sheaf-worker\" not found: create it"), "\(report)")
  }

  @Test func `a job that the server rejects leads to the template`() async throws {
    cluster.state.withLock { state in
      var object = SimulatedCluster.cronJob()
      object["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"] = [["name": "worker"]]
      state.cronJobs["sheaf-worker"] = object
    }
    let report = await problem { try await driver.start(1, lifetime: 60) }
    #expect(report.contains("containers[0].image: Required value"), "\(report)")
    #expect(report.hasSuffix("correct the cron job sheaf-worker"), "\(report)")
  }

  @Test func `no request is sent before the time that the server asked for has passed`()
    async throws
  {
    _ = try await driver.workers()
    cluster.state.withLock {
      $0.faults = [
        .rejected(
          429, reason: "TooManyRequests", message: "Too many requests, please try again later.",
          retryAfter: 3600)
      ]
    }
    let first = await problem { try await driver.start(1, lifetime: 60) }
    #expect(first.contains("Too many requests, please try again later."), "\(first)")
    let count = cluster.state.withLock { $0.requests.count }
    let second = await problem { try await driver.workers() }
    #expect(second.hasSuffix("\(cluster.url) is overloaded and asked for a pause"), "\(second)")
    #expect(cluster.state.withLock { $0.requests.count } == count)
  }

  @Test func `a token that expires is read again from its file`() async throws {
    _ = try await driver.workers()
    // The kubelet writes a new token before the old one expires.
    try write(token: "second-token")
    cluster.state.withLock { $0.tokens = ["second-token"] }
    #expect(try await driver.start(1, lifetime: 60).count == 1)
    cluster.state.withLock { $0.tokens = ["third-token"] }
    let report = await problem { try await driver.workers() }
    #expect(report.contains("Unauthorized: mount the token"), "\(report)")
    try write(token: "third-token")
    #expect(try await driver.workers().count == 1)
  }
}
