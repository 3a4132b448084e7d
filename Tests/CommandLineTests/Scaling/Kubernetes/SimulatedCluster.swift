import FarmAPI
import Foundation
import Support
import Synchronization
import sheaf

/// A Kubernetes API server with one namespace, as far as `sheaf scale` uses it. Its jobs have pods, which a test moves on.
final class SimulatedCluster: Sendable {
  /// A failure of the next request that creates a job.
  enum Fault: Sendable {
    /// The connection breaks before the request is carried out.
    case lostBefore
    /// The connection breaks afterwards.
    case lostAfter
    /// The request is carried out, and the response says that it failed.
    case failedAfter
    /// The request is rejected.
    case rejected(Int, reason: String, message: String, retryAfter: Int? = nil)
  }

  /// A job with its pod.
  struct Job: Sendable {
    var manifest: JSON
    /// The condition that ended it.
    var end: String?
    /// Whether a queue holds it back.
    var isSuspended = false
    /// Whether it waits for its pods to be deleted.
    var isBeingDeleted = false
    var hasPod = true
    /// `nil` once the pod runs.
    var waiting: Waiting? = .unscheduled

    var name: String { manifest["metadata"]["name"].text }
  }

  /// Why a pod does not run.
  enum Waiting: Sendable {
    case unscheduled
    case container(String)
    case initContainer(String)
  }

  struct State: Sendable {
    var jobs: [String: Job] = [:]
    var cronJobs: [String: JSON] = [:]
    var tokens: Set<String> = ["first-token"]
    /// The actions that the token permits, such as `list jobs`.
    var permissions: Set<String> = ["create jobs", "list jobs", "list pods", "get cronjobs"]
    /// The number of jobs that the namespace's quota allows.
    var quota = Int.max
    /// The number of objects in a page, however large the limit of the request is.
    var pageSize = 500
    /// How many pages after the first one come too late.
    var expiringPages = 0
    var faults: [Fault] = []
    /// The requests that have arrived, such as `GET /api/v1/namespaces/studio/pods`.
    var requests: [String] = []
    /// The names of jobs in requests that create one.
    var createdNames: [String] = []
  }

  let namespace = "studio"
  let state = Mutex(State())
  private let server: Mutex<ScriptedServer?> = Mutex(nil)

  init() throws {
    state.withLock { $0.cronJobs["sheaf-worker"] = Self.cronJob() }
    let server = try ScriptedServer { [weak self] connection in
      while let request = connection.request() {
        guard let answer = self?.answer(to: request) else { return }
        connection.send(answer)
      }
    }
    self.server.withLock { $0 = server }
  }

  deinit { server.withLock { $0?.close() } }

  var url: String { server.withLock { $0?.origin ?? "" } }
  var port: UInt16 { server.withLock { $0?.port ?? 0 } }

  /// The jobs, in the order of their names.
  var jobs: [Job] { state.withLock { $0.jobs.values.sorted { $0.name < $1.name } } }

  func change(_ name: String, _ change: (inout Job) -> Void) {
    state.withLock { if var job = $0.jobs[name] { change(&job); $0.jobs[name] = job } }
  }

  /// A suspended cron job with the template of a worker.
  static func cronJob(args: [JSON] = ["--token-file=/run/secrets/worker/token"]) -> JSON {
    [
      "apiVersion": "batch/v1", "kind": "CronJob",
      "metadata": ["name": "sheaf-worker", "namespace": "studio"],
      "spec": [
        "schedule": "0 0 1 1 *", "suspend": true,
        "jobTemplate": [
          "metadata": [
            "labels": ["kueue.x-k8s.io/queue-name": "render"],
            "annotations": ["studio.example/owner": "ada"],
          ],
          "spec": [
            "template": [
              "metadata": ["labels": ["app.kubernetes.io/component": "worker"]],
              "spec": [
                "restartPolicy": "OnFailure", "terminationGracePeriodSeconds": .integer(10),
                "containers": [
                  [
                    "name": "worker", "image": "sheaf-worker:0.9.0", "args": .array(args),
                    "resources": ["requests": ["cpu": "2"]],
                  ], ["name": "side", "image": "side:1"],
                ],
              ],
            ]
          ],
        ],
      ],
    ]
  }

  /// The response to a request; `nil` if the connection breaks.
  private func answer(to request: ScriptedRequest) -> String? {
    state.withLock { state in
      let parts = request.path.split(separator: "?", maxSplits: 1).map(String.init)
      let path = parts[0]
      state.requests.append("\(request.method) \(path)")
      let query = parts.count > 1 ? Self.parameters(parts[1]) : [:]
      let token = request.headers["authorization"] ?? ""
      guard token.hasPrefix("Bearer "), state.tokens.contains(String(token.dropFirst(7))) else {
        return Self.failure(401, "Unauthorized", "Unauthorized")
      }
      let words = path.split(separator: "/").map(String.init)
      let (group, rest) =
        path.hasPrefix("/api/v1/") ? ("", words.dropFirst(2)) : ("batch", words.dropFirst(3))
      guard rest.count >= 3, rest[rest.startIndex] == "namespaces" else {
        return Self.failure(404, "NotFound", "the server could not find the requested resource")
      }
      let place = Array(rest)
      let verb = request.method == "POST" ? "create" : place.count == 4 ? "get" : "list"
      guard place[1] == namespace, state.permissions.contains("\(verb) \(place[2])") else {
        let full = group.isEmpty ? place[2] : "\(place[2]).\(group)"
        return Self.failure(
          403, "Forbidden",
          "\(full) is forbidden: User \"system:serviceaccount:studio:scale\" cannot \(verb) "
            + "resource \"\(place[2])\" in API group \"\(group)\" in the namespace \"\(place[1])\"")
      }
      switch (verb, place[2]) {
      case ("get", "cronjobs"):
        guard let object = state.cronJobs[place[3]] else {
          return Self.failure(404, "NotFound", "cronjobs.batch \"\(place[3])\" not found")
        }
        return Self.response(200, object)
      case ("create", "jobs"): return create(request.body, &state)
      case ("list", "jobs"): return page(state.jobs.values.map(Self.object), query, &state)
      case ("list", "pods"):
        let jobs = state.jobs.values.filter { $0.hasPod && $0.end == nil }
        let pods = jobs.map(Self.pod).filter { pod in
          query["fieldSelector"].map { $0 == "status.phase=\(pod["status"]["phase"].text)" } ?? true
        }
        return page(pods, query, &state)
      default: return Self.failure(405, "MethodNotAllowed", "the server does not allow this method")
      }
    }
  }

  private func create(_ body: [UInt8], _ state: inout State) -> String? {
    guard let manifest = try? FarmCoding.decode(JSON.self, from: Data(body)) else {
      return Self.failure(400, "BadRequest", "the body of the request was not JSON")
    }
    let name = manifest["metadata"]["name"].text
    state.createdNames.append(name)
    let fault = state.faults.isEmpty ? nil : state.faults.removeFirst()
    switch fault {
    case .lostBefore: return nil
    case .rejected(let code, let reason, let message, let retryAfter):
      return Self.failure(code, reason, message, retryAfter: retryAfter)
    case .lostAfter, .failedAfter, nil: break
    }
    if state.jobs[name] != nil {
      return Self.failure(409, "AlreadyExists", "jobs.batch \"\(name)\" already exists")
    }
    if let problem = Self.problem(in: manifest) {
      return Self.failure(422, "Invalid", "Job.batch \"\(name)\" is invalid: \(problem)")
    }
    guard state.jobs.count < state.quota else {
      return Self.failure(
        403, "Forbidden",
        "jobs.batch \"\(name)\" is forbidden: exceeded quota: render, requested: "
          + "count/jobs.batch=1, used: count/jobs.batch=\(state.quota), "
          + "limited: count/jobs.batch=\(state.quota)")
    }
    let job = Job(manifest: manifest)
    state.jobs[name] = job
    switch fault {
    case .lostAfter: return nil
    case .failedAfter:
      return Self.failure(500, "InternalError", "etcdserver: request timed out")
    default: return Self.response(201, Self.object(job))
    }
  }

  /// The rules of the API for the fields that matter here.
  private static func problem(in manifest: JSON) -> String? {
    let name = manifest["metadata"]["name"].text
    let spec = manifest["spec"]
    guard name.wholeMatch(of: /[a-z0-9]([-a-z0-9]*[a-z0-9])?/) != nil, name.utf8.count <= 63 else {
      return "metadata.name: Invalid value: \"\(name)\""
    }
    guard manifest["kind"].text == "Job", manifest["apiVersion"].text == "batch/v1" else {
      return "kind: Invalid value"
    }
    guard ["Never", "OnFailure"].contains(spec["template"]["spec"]["restartPolicy"].text) else {
      return "spec.template.spec.restartPolicy: Required value: "
        + "valid values: \"OnFailure\", \"Never\""
    }
    guard
      !spec["template"]["spec"]["containers"].arrayElements.contains(where: {
        $0["image"].text == ""
      })
    else { return "spec.template.spec.containers[0].image: Required value" }
    return nil
  }

  /// The job as the server shows it.
  private static func object(_ job: Job) -> JSON {
    var object = job.manifest
    object["metadata"]["namespace"] = "studio"
    if job.isBeingDeleted { object["metadata"]["deletionTimestamp"] = "2026-11-29T16:00:00Z" }
    var conditions: [JSON] = []
    if let end = job.end {
      conditions.append(["type": .string(end), "status": "True"])
    } else if job.isSuspended {
      conditions.append(["type": "Suspended", "status": "True", "reason": "JobSuspended"])
    } else if job.hasPod {
      object["status"]["active"] = .integer(1)
      object["status"]["ready"] = .integer(job.waiting == nil ? 1 : 0)
    }
    if !conditions.isEmpty { object["status"]["conditions"] = .array(conditions) }
    return object
  }

  private static func pod(of job: Job) -> JSON {
    let template = job.manifest["spec"]["template"]
    var pod: JSON = ["spec": template["spec"]]
    pod["metadata"] = [
      "name": .string("\(job.name)-x7k2p"),
      "labels": template["metadata"]["labels"].addingMembers(of: [
        "batch.kubernetes.io/job-name": .string(job.name), "job-name": .string(job.name),
      ]),
    ]
    pod["status"]["phase"] = job.waiting == nil ? "Running" : "Pending"
    func scheduled(_ status: JSON, _ reason: JSON) -> JSON {
      [["type": "PodScheduled", "status": status, "reason": reason]]
    }
    switch job.waiting {
    case .unscheduled: pod["status"]["conditions"] = scheduled("False", "Unschedulable")
    case .container(let reason):
      pod["status"]["containerStatuses"] = [["state": ["waiting": ["reason": .string(reason)]]]]
    case .initContainer(let reason):
      pod["status"]["initContainerStatuses"] = [["state": ["waiting": ["reason": .string(reason)]]]]
      pod["status"]["containerStatuses"] = [["state": ["waiting": ["reason": "PodInitializing"]]]]
    case nil: break
    }
    return pod
  }

  /// A page of the objects that the label selector selects.
  private func page(_ objects: [JSON], _ query: [String: String], _ state: inout State) -> String {
    let label = (query["labelSelector"] ?? "").split(separator: "=").map(String.init)
    let selected = objects.filter { object in
      label.count == 2 && object["metadata"]["labels"][label[0]].text == label[1]
    }.sorted { $0["metadata"]["name"].text < $1["metadata"]["name"].text }
    var rest = selected[...]
    if let place = query["continue"] {
      if state.expiringPages > 0 {
        state.expiringPages -= 1
        return Self.failure(
          410, "Expired", "The provided continue parameter is too old to display a consistent list")
      }
      // Characters that must be escaped in a URL are part of the token.
      let last = String(place.dropFirst(6).dropLast(2))
      rest = rest.drop { $0["metadata"]["name"].text <= last }
    }
    let limit = min(query["limit"].flatMap { Int($0) } ?? .max, state.pageSize)
    let items = rest.prefix(limit)
    var metadata: JSON = ["resourceVersion": "10245"]
    if items.count < rest.count, let last = items.last {
      metadata["continue"] = .string("after \(last["metadata"]["name"].text)/=")
    }
    return Self.response(
      200, ["kind": "List", "metadata": metadata, "items": .array(Array(items))])
  }

  private static func parameters(_ query: String) -> [String: String] {
    var result: [String: String] = [:]
    for pair in query.split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
      result[sides[0]] = sides.count > 1 ? sides[1].removingPercentEncoding ?? "" : ""
    }
    return result
  }

  private static func failure(
    _ code: Int, _ reason: String, _ message: String, retryAfter: Int? = nil
  ) -> String {
    response(
      code,
      [
        "kind": "Status", "apiVersion": "v1", "metadata": [:], "status": "Failure",
        "message": .string(message), "reason": .string(reason), "code": .integer(code),
      ], headers: retryAfter.map { "Retry-After: \($0)\r\n" } ?? "")
  }

  private static func response(_ code: Int, _ body: JSON, headers: String = "") -> String {
    let data = (try? FarmCoding.encode(body)) ?? Data()
    return "HTTP/1.1 \(code) Status\r\nContent-Type: application/json\r\n\(headers)"
      + "Content-Length: \(data.count)\r\n\r\n" + String(decoding: data, as: UTF8.self)
  }
}

extension JSON {
  /// The text of a string; empty for other values.
  var text: String {
    guard case .string(let text) = self else { return "" }
    return text
  }
}
