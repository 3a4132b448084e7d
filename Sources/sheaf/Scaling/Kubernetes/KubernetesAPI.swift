import FarmAPI
import Foundation
import HTTP
import Threads

/// The calls of a Kubernetes API server that this command needs.
actor KubernetesAPI {
  private let access: KubernetesAccess
  private let client: Client
  /// The server asked for no request before this instant.
  private var quietUntil: ContinuousClock.Instant?
  private let clock = ContinuousClock()

  /// The number of objects in a page of a list.
  private static let pageSize = 500
  /// How often a list is read from its beginning because its snapshot expired.
  private static let mostRestarts = 3
  /// The longest time for which the server is left alone.
  private static let longestQuiet = Duration.seconds(300)

  init(_ access: KubernetesAccess) {
    self.access = access
    client = Client(
      to: ServerAddresses(access.server), userAgent: "sheaf",
      credentials: Credentials(
        tokenFile: access.tokenFile, authorityFile: access.authorityFile))
  }

  /// The outcome of creating an object.
  enum Creation: Sendable {
    /// It exists, created by this request or by an earlier one whose response was lost.
    case exists
    /// The request may have created it.
    case unknown(CommandFailure)
    /// This request did not create it.
    case failed(CommandFailure)

    /// The failure; `nil` if the object exists.
    var failure: CommandFailure? {
      switch self {
      case .exists: nil
      case .unknown(let failure), .failed(let failure): failure
      }
    }
  }

  /// Creates a job, whose name no other one has.
  func create(_ job: JSON, from template: String) async throws -> Creation {
    let call = KubernetesCall(.createJob(template: template), access)
    do {
      let response = try await send(
        .json(.post, jobs, data: try FarmCoding.encode(job)), as: call)
      if response.status.isSuccess { return .exists }
      if response.status == .conflict, call.reason(in: response) == "AlreadyExists" {
        return .exists
      }
      let failure = call.failure(of: response)
      // The server may have stored the job before it failed.
      return response.status.rawValue >= 500 ? .unknown(failure) : .failed(failure)
    } catch let error as ClientError {
      let failure = call.failure(of: error)
      return error.mayHaveArrived ? .unknown(failure) : .failed(failure)
    } catch let failure as CommandFailure {
      return .failed(failure)
    }
  }

  /// The jobs that a selector of labels selects.
  func jobs(selector: String) async throws -> [ClusterJob] {
    try await list(jobs, ["labelSelector": selector], as: KubernetesCall(.listJobs, access))
  }

  /// The pods that a selector of labels selects and that do not run yet.
  func pendingPods(selector: String) async throws -> [ClusterPod] {
    try await list(
      "/api/v1/namespaces/\(access.namespace)/pods",
      ["labelSelector": selector, "fieldSelector": "status.phase=Pending"],
      as: KubernetesCall(.listPods, access))
  }

  /// A cron job.
  func cronJob(_ name: String) async throws -> JSON {
    let call = KubernetesCall(.getCronJob(name), access)
    let path = "/apis/batch/v1/namespaces/\(access.namespace)/cronjobs/\(name)"
    return try call.read(try await answer(ClientRequest(.get, path), as: call))
  }

  private var jobs: String { "/apis/batch/v1/namespaces/\(access.namespace)/jobs" }

  /// Reads a list page by page.
  private func list<Item: Decodable>(
    _ path: String, _ query: [String: String], as call: KubernetesCall
  ) async throws -> [Item] {
    var items: [Item] = []
    var place = ""
    var restarts = 0
    while true {
      var query = query
      query["limit"] = "\(Self.pageSize)"
      if !place.isEmpty { query["continue"] = place }
      let response = try await answer(
        ClientRequest(.get, "\(path)?\(Self.text(of: query))"), as: call)
      // The snapshot that the pages show is kept for a few minutes only.
      if response.status == .gone, !place.isEmpty, restarts < Self.mostRestarts {
        (items, place) = ([], "")
        restarts += 1
        continue
      }
      let page: ObjectList<Item> = try call.read(response)
      items += page.items ?? []
      guard let next = page.metadata.continue, !next.isEmpty else { return items }
      place = next
    }
  }

  private static func text(of query: [String: String]) -> String {
    var allowed = CharacterSet.alphanumerics
    allowed.insert(charactersIn: "-_.~")
    return query.sorted { $0.key < $1.key }.map { name, value in
      "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: allowed) ?? value)"
    }.joined(separator: "&")
  }

  /// Sends a request for which a lost response does not matter.
  private func answer(
    _ request: ClientRequest, as call: KubernetesCall
  ) async throws -> ClientResponse {
    do {
      return try await send(request, as: call)
    } catch let error as ClientError {
      throw call.failure(of: error)
    }
  }

  private func send(
    _ request: ClientRequest, as call: KubernetesCall
  ) async throws -> ClientResponse {
    if let quietUntil, clock.now < quietUntil { throw call.isTooEarly }
    if access.tokenFile != nil {
      // The kubelet replaces the token before it expires.
      _ = try await BlockingThread.run(named: "token") { [client] in client.readTokenAgain() }
    }
    let response = try await client.send(request)
    if response.status.isPassing,
      let seconds = response.headers["Retry-After"].flatMap({ Int($0) }), seconds > 0
    {
      quietUntil = clock.now + min(.seconds(seconds), Self.longestQuiet)
    }
    return response
  }
}
