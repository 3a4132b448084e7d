import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import S3
import Support
import Testing
import sheaf_coordinator

/// A farm of several coordinators, each a process with a data directory of its own, with tokens and TLS.
struct PeerScene {
  let database: PostgreSQLServer
  let ledgerURL: String
  let directory: TemporaryDirectory
  let access: FarmAccess
  private let prefix = S3Server.newPrefix()
  private let storeKey: String

  /// The name of the data directory in which the tokens are created.
  static let founder = "data"

  init() throws {
    database = try PostgreSQLServer.shared.get()
    ledgerURL = try database.makeDatabase()
    directory = try TemporaryDirectory()
    access = try FarmAccess(.secured, data: directory.path(Self.founder))
    storeKey = directory.path("store.key")
    try """
    [default]
    aws_access_key_id = \(S3Server.keyID)
    aws_secret_access_key = \(S3Server.secret)
    """.write(toFile: storeKey, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: storeKey)
  }

  func storeOptions(prefix: String? = nil, endpoint: String? = nil) throws -> [String] {
    [
      "--store", "s3://\(S3Server.bucket)/\(prefix ?? self.prefix)", "--store-endpoint",
      try endpoint ?? S3Server.shared.get().endpoint, "--store-key-file", storeKey,
    ]
  }

  /// The client of the farm's objects.
  func client() throws -> ObjectClient {
    ObjectClient(
      try Bucket(
        "s3://\(S3Server.bucket)/\(prefix)", endpoint: S3Server.shared.get().endpoint),
      keys: .fixed(AccessKey(id: S3Server.keyID, secret: S3Server.secret)), pause: { _ in })
  }

  /// Runs a statement in the ledger's database, and returns its rows.
  func query(_ sql: String) throws -> String {
    try database.run(sql, in: URL(fileURLWithPath: ledgerURL).lastPathComponent)
  }

  /// Starts a coordinator on the data directory with a name, and waits until clients can connect.
  ///
  /// - Parameters:
  ///   - store: the options for the store; `nil` for those of the farm.
  ///   - log: an existing file for what it writes to standard error; `nil` for the test's own.
  func start(
    _ name: String, _ options: [String] = [], store: [String]? = nil, log: String? = nil
  ) throws -> RunningCoordinator {
    try RunningCoordinator(
      data: directory.path(name),
      ["--ledger", ledgerURL, "--peer-address", "127.0.0.1:0"] + (store ?? storeOptions())
        + options + access.arguments,
      log: log)
  }

  /// Runs `serve` until it ends, and returns its exit code and what it says.
  func outcome(
    _ name: String, ledger: String? = nil, _ options: [String]
  ) throws -> Program.Outcome {
    try Program.coordinator.run(
      [
        "serve", "--data", directory.path(name), "--port", "0", "--ledger", ledger ?? ledgerURL,
        "--peer-address", "127.0.0.1:0",
      ] + options + access.arguments)
  }

  /// Sends a request to a coordinator, and returns what it answers if that is a success.
  func send<Value: Decodable>(
    _ client: Client, _ method: HTTP.Method, _ coordinator: RunningCoordinator, _ path: String,
    body: Data? = nil, as type: Value.Type = Value.self
  ) async throws -> Value {
    let response = try await client.send(
      ClientRequest(method, coordinator.url + path, body: body, timeout: longestWait))
    try #require(response.status.isSuccess, "\(path): \(response.status)")
    return try FarmCoding.decode(type, from: response.body)
  }

  /// Uploads a clip to a coordinator, and submits a job with it.
  func submit(to coordinator: RunningCoordinator) async throws -> JobStatus {
    let clip = directory.path("a.mp4")
    _ = try Tool.run(
      "ffmpeg", ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=12", "-y", clip])
    let bytes = try Data(contentsOf: URL(fileURLWithPath: clip))
    let digest = Digest.of(bytes)
    let upload = try await access.submitter.send(
      ClientRequest(.put, "\(coordinator.url)/assets/\(digest)", body: bytes))
    try #require(upload.status == .created)
    let project = #"""
      {"version": 1, "sequence": [{"clip": "a.mp4"}], "export": {"preset": "highestQuality"}}
      """#
    let submission = JobSubmission(
      name: "cut", project: project,
      assets: ["a.mp4": AssetReference(digest: digest, byteCount: Int64(bytes.count))])
    return try await send(
      access.submitter, .post, coordinator, "/jobs", body: FarmCoding.encode(submission))
  }

  /// Delivers bytes as the chunk of a lease.
  func deliver(_ lease: Lease, to coordinator: RunningCoordinator) async throws -> Status {
    let bytes = Data("chunk \(lease.segment)".utf8)
    let manifest = ChunkManifest(
      frameCount: lease.description.frameCount, byteCount: Int64(bytes.count),
      sha256: Digest.of(bytes), parameterSets: Data([0, 0, 0, 1, 0x67, 1, 0, 0, 1, 0x68, 1]))
    let request = ClientRequest(
      .put, "\(coordinator.url)/leases/\(lease.token)/chunk",
      headers: Headers(try manifest.headers()), body: bytes)
    return try await access.worker.send(request).status
  }
}
