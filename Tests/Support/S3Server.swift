import Foundation
import Synchronization
import Testing

/// An S3 server that we did not write, with an empty bucket. It ends with this object, or with the test's process, however
/// that ends.
///
/// It is rclone, or what the environment variable `SHEAF_OBJECT_STORE` names: moto, or OpenStack Swift.
public final class S3Server: Sendable {
  /// The server that tests share, each with a prefix of its own.
  public static let shared = Result { try S3Server() }

  /// A prefix that no other test has.
  public static func newPrefix() -> String { "test-\(UUID().uuidString.lowercased())" }

  /// The URL of the server.
  public let endpoint: String
  /// The name of the bucket.
  public static let bucket = "farm"
  /// The public part of the access key. In Swift, it names an account and a user.
  public static let keyID = kind == .swift ? "sheaf:test" : "AKIATEST"
  /// The secret part of the access key.
  public static let secret = "secret-of-the-test"
  private let folder: TemporaryDirectory
  private let process: Subprocess
  /// The server stops when this closes.
  private let leash: SubprocessPipe

  private enum Kind: String { case rclone, moto, swift }

  private static let kind: Kind = {
    let name = ProcessInfo.processInfo.environment["SHEAF_OBJECT_STORE"] ?? "rclone"
    guard let kind = Kind(rawValue: name) else {
      preconditionFailure("SHEAF_OBJECT_STORE must be rclone, moto or swift")
    }
    return kind
  }()

  /// Whether the server can be started.
  public static var isInstalled: Bool {
    FileManager.default.isExecutableFile(atPath: installedProgram)
  }

  /// Whether the server checks signatures.
  public static var checksSignatures: Bool { kind != .moto }

  /// Whether the server knows when an upload in parts began.
  public static var datesUploads: Bool { kind != .moto }

  private static let tests = URL(filePath: #filePath).appending(path: "../..").standardized.path
  private static let tools = "\(tests)/../.build/tools"

  private static var installedProgram: String {
    switch kind {
    case .rclone: "\(tools)/rclone/bin/rclone"
    case .moto: "\(tools)/moto/bin/moto_server"
    case .swift: "\(tools)/swift/usr/bin/memcached"
    }
  }

  /// The command that starts the server with its data in a folder.
  private static func command(_ data: String) -> [String] {
    switch kind {
    case .rclone:
      [
        installedProgram, "serve", "s3", "--config", "\(data)/none", "--addr", "127.0.0.1:0",
        "--auth-key", "\(keyID),\(secret)", "\(data)/objects",
      ]
    case .moto: ["env", "PYTHONPATH=\(tools)/moto", installedProgram, "-p", "0"]
    case .swift: ["\(tests)/ObjectStores/openstack-swift", data, bucket, keyID, secret]
    }
  }

  /// The server did not start.
  public struct Stopped: Error {
    let log: String
  }

  /// Starts a server.
  public init() throws {
    folder = try TemporaryDirectory()
    let data = folder.path("data")
    try FileManager.default.createDirectory(
      atPath: "\(data)/objects/\(Self.bucket)", withIntermediateDirectories: true)
    let log = folder.path("log")
    let script = """
      log=$1; shift
      "$@" >"$log" 2>&1 </dev/null &
      cat >/dev/null
      kill -KILL $!
      """
    process = Subprocess("/bin/sh", ["-c", script, "server", log] + Self.command(data))
    leash = try SubprocessPipe()
    process.standardInput = .pipe(leash)
    process.standardOutput = .null
    process.standardError = .null
    try process.run()
    let found = Mutex<String?>(nil)
    try blockUntil("the S3 server names its address") {
      let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
      let address = text.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/).map { String($0.0) }
      found.withLock { $0 = address }
      return address != nil
    }
    guard let endpoint = found.withLock(\.self) else { throw Stopped(log: log) }
    self.endpoint = endpoint
    if Self.kind == .moto {
      _ = try Tool.run("curl", ["-s", "-f", "-X", "PUT", "\(endpoint)/\(Self.bucket)"])
    }
  }

  deinit { stop() }

  /// Ends the server.
  public func stop() {
    try? leash.writing.close()
    process.wait()
  }

  /// The port of the loopback address on which it listens.
  public var port: UInt16 { endpoint.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }
}

extension Trait where Self == ConditionTrait {
  /// Skips tests if no S3 server can be started.
  public static var needsS3Server: Self {
    .enabled(if: S3Server.isInstalled, "needs an S3 server: run scripts/install-object-store")
  }
}
