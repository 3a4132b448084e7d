import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

/// A client that submits projects to real coordinators.
struct Submitter {
  private let client: Client

  /// A submitter with a token of its own, or one without a token if there is no name.
  init(_ name: String? = nil, data: String) throws {
    guard let name else {
      client = Client()
      return
    }
    let (token, record) = TokenRecord.make(role: .submitter, name: name, at: Date())
    try TokenFile(data: data).update { $0.append(record) }
    client = Client(credentials: Credentials(token: BearerToken(token)))
  }

  /// Uploads an asset in one request.
  func upload(_ bytes: Data, to farm: RunningCoordinator) async throws -> AssetReference {
    let digest = Digest.of(bytes)
    let response = try await client.send(
      ClientRequest(.put, "\(farm.url)/assets/\(digest)", body: bytes))
    try #require([.created, .ok].contains(response.status))
    return AssetReference(digest: digest, byteCount: Int64(bytes.count))
  }

  /// Sends a body to a route, and returns the response.
  func post(_ body: Data, to path: String, of farm: RunningCoordinator) async throws
    -> ClientResponse
  {
    var request = ClientRequest.json(.post, farm.url + path, data: body)
    request.timeout = .seconds(100)
    return try await client.send(request)
  }

  /// Submits a project, and returns the response.
  func propose(
    _ project: String, _ assets: [String: AssetReference], to farm: RunningCoordinator
  ) async throws -> ClientResponse {
    try await post(
      FarmCoding.encode(JobSubmission(name: "cut", project: project, assets: assets)),
      to: "/jobs", of: farm)
  }

  /// Submits a project, which must be accepted.
  func submit(
    _ project: String, _ assets: [String: AssetReference], to farm: RunningCoordinator
  ) async throws -> JobStatus {
    let response = try await propose(project, assets, to: farm)
    try #require(response.status == .created, "\(String(decoding: response.body, as: UTF8.self))")
    return try FarmCoding.decode(JobStatus.self, from: response.body)
  }

  /// Waits until a job is in a state, or has failed.
  func wait(
    for job: JobStatus, at farm: RunningCoordinator, until state: JobState
  ) async throws -> JobStatus {
    try await eventually(
      "the job is \(state), or ends", every: .milliseconds(20)
    ) {
      try await status(of: job, at: farm)
    } satisfies: {
      $0.state == state || $0.state.isFinal
    }
  }

  /// A job's status.
  func status(of job: JobStatus, at farm: RunningCoordinator) async throws -> JobStatus {
    let response = try await client.send(ClientRequest(.get, "\(farm.url)/jobs/\(job.id)"))
    return try FarmCoding.decode(JobStatus.self, from: response.body)
  }

  /// Cancels a job.
  func cancel(_ job: JobStatus, at farm: RunningCoordinator) async throws {
    let response = try await post(Data(), to: "/jobs/\(job.id)/cancel", of: farm)
    try #require(response.status == .ok)
  }
}
