import Arguments
import FarmAPI
import Foundation
import HTTP
import Timeline

/// A call of a Kubernetes API server, which explains its failures.
struct KubernetesCall: Sendable {
  enum Purpose: Sendable {
    case listJobs, listPods
    case getCronJob(String)
    /// The template is the name of a cron job.
    case createJob(template: String)
  }

  private let purpose: Purpose
  private let access: KubernetesAccess

  init(_ purpose: Purpose, _ access: KubernetesAccess) {
    (self.purpose, self.access) = (purpose, access)
  }

  /// The action, as a phrase that completes "cannot …".
  private var action: String {
    switch purpose {
    case .listJobs: "list jobs"
    case .listPods: "list pods"
    case .getCronJob(let name): "read the cron job \(name)"
    case .createJob: "create a job"
    }
  }

  private var server: String { access.server.withoutPasswords }

  private var problem: String {
    "cannot \(action) in the namespace \(access.namespace) of Kubernetes"
  }

  /// The object in a response.
  func read<Value: Decodable>(_ response: ClientResponse) throws(CommandFailure) -> Value {
    guard response.status.isSuccess else { throw failure(of: response) }
    guard let value = try? FarmCoding.decode(Value.self, from: response.body) else {
      throw CommandFailure(
        .failed, problem, on: "the response of \(server) is invalid",
        remedy: "make sure that it is a Kubernetes API server")
    }
    return value
  }

  /// The reason that a response gives in one word, such as `AlreadyExists`.
  func reason(in response: ClientResponse) -> String? {
    try? FarmCoding.decode(ObjectFailure.self, from: response.body).reason
  }

  /// The failure for a response that is not a success.
  func failure(of response: ClientResponse) -> CommandFailure {
    let status = try? FarmCoding.decode(ObjectFailure.self, from: response.body)
    let message = status?.message?.shortened(toBytes: 1000).withoutTokens
    return CommandFailure(
      [.unauthorized, .forbidden].contains(response.status) ? .notAllowed : .failed, problem,
      on: message ?? "\(server) responded with \(response.status)",
      remedy: remedy(for: response.status))
  }

  private func remedy(for status: Status) -> String? {
    switch (status, purpose) {
    case (.unauthorized, _):
      return "mount the token of the pod's service account, or name a file with a valid token "
        + "with --kubernetes-token-file"
    case (.forbidden, _):
      // A quota is exceeded with the same status.
      return "the service account needs a role with create and list for jobs, list for pods, and "
        + "get for cronjobs, and room in the namespace's quotas"
    case (.notFound, .getCronJob):
      return "create it, as packaging/kubernetes/overlays/scale does, or name another with "
        + "--template"
    case (.badRequest, .createJob(let template)), (.unprocessableContent, .createJob(let template)):
      return "correct the cron job \(template)"
    case (.notFound, _): return "make sure that --kubernetes-server names a Kubernetes API server"
    default: return nil
    }
  }

  /// The failure for a request that received no response.
  func failure(of error: ClientError) -> CommandFailure {
    guard error.code == .secureConnectionFailed else {
      return CommandFailure(
        .failed, problem, on: error.message.withoutPasswords,
        remedy: "make sure that the API server runs, and that this host may connect to it")
    }
    return CommandFailure(
      .failed, problem, on: error.message.withoutPasswords,
      remedy: error.certificateProblem == .otherName
        ? "use a host name that the certificate contains in --kubernetes-server"
        : "name the cluster's CA certificate with --kubernetes-ca-file")
  }

  /// The failure for a request that is not sent, because the server asked for time.
  var isTooEarly: CommandFailure {
    CommandFailure(.failed, problem, on: "\(server) is overloaded and asked for a pause")
  }
}
