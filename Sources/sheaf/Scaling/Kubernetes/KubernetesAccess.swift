import Arguments
import Foundation
import HTTP

/// How to reach the API server of a Kubernetes cluster.
package struct KubernetesAccess: Hashable, Sendable {
  /// The server's URL, without a slash at its end.
  package let server: String
  /// The namespace in which workers run.
  package let namespace: String
  /// The file that contains the token; `nil` if the server needs none, as behind `kubectl proxy`.
  package let tokenFile: String?
  /// The CA certificate to verify the server with; `nil` for the system's authorities.
  package let authorityFile: String?

  /// The folder with the service account of a pod.
  package static let serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount"

  /// Combines options with the defaults, which in a pod are those of its service account. Blocks briefly.
  ///
  /// - Parameters:
  ///   - server: the server's URL; `nil` for the server of this pod's cluster.
  ///   - account: the folder with the service account.
  /// - Throws: ``CommandFailure`` with the exit code for wrong usage.
  package init(
    server: String? = nil, namespace: String? = nil, tokenFile: String? = nil,
    authorityFile: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    account: String = serviceAccount
  ) throws(CommandFailure) {
    let local = server == nil ? try Self.localServer(environment) : nil
    self.server = server ?? local ?? ""
    self.tokenFile = tokenFile ?? local.map { _ in "\(account)/token" }
    self.authorityFile = authorityFile ?? local.map { _ in "\(account)/ca.crt" }
    let own = local.flatMap { _ in
      try? String(contentsOfFile: "\(account)/namespace", encoding: .utf8)
    }
    let name = namespace ?? own?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    guard !name.isEmpty else {
      throw CommandFailure(
        .usage, "the namespace is unknown", on: self.server.withoutPasswords,
        remedy: "name it with --namespace")
    }
    self.namespace = name
    try check()
  }

  /// The URL of the server of the cluster in which this process runs, from the variables that every container has.
  private static func localServer(
    _ environment: [String: String]
  ) throws(CommandFailure) -> String {
    guard let host = environment["KUBERNETES_SERVICE_HOST"], !host.isEmpty,
      let port = environment["KUBERNETES_SERVICE_PORT"], UInt16(port) != nil
    else {
      throw CommandFailure(
        .usage, "this process does not run in a pod of Kubernetes", on: "KUBERNETES_SERVICE_HOST",
        remedy: "name the API server with --kubernetes-server")
    }
    return "https://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  private func check() throws(CommandFailure) {
    if let tokenFile, BearerToken(file: tokenFile) == nil {
      throw CommandFailure(
        .usage, "cannot read a token from the file", on: tokenFile.withoutTokens,
        remedy: "mount the token of the pod's service account, or name another file with "
          + "--kubernetes-token-file")
    }
    if let authorityFile, access(authorityFile, R_OK) != 0 {
      throw CommandFailure(
        .usage, "cannot read the CA certificate", on: authorityFile,
        remedy: "name a readable file with --kubernetes-ca-file")
    }
    let url = URL(string: server)
    let host = (url?.host ?? "").trimmingCharacters(in: ["[", "]"])
    let isLocal = host == "localhost" || LoopbackAddress.isNumeric(host)
    guard url?.scheme?.lowercased() == "https" || isLocal else {
      throw CommandFailure(
        .usage, "the connection would not be encrypted", on: server.withoutPasswords,
        remedy: "use https in --kubernetes-server")
    }
  }
}
