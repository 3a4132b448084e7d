import Foundation
import Synchronization

/// An S3 server that we did not write, with an empty bucket. It ends with this object, or with the test's process, however
/// that ends.
///
/// It is rclone, or moto if the environment variable `SHEAF_OBJECT_STORE` says so.
public final class S3Server: Sendable {
  /// The server that tests share, each with a prefix of its own.
  public static let shared = Result { try S3Server() }

  /// A prefix that no other test has.
  public static func newPrefix() -> String { "test-\(UUID().uuidString.lowercased())" }

  /// The URL of the server.
  public let endpoint: String
  /// The name of the bucket.
  public static let bucket = "farm"
  /// The public part of the access key.
  public static let keyID = "AKIATEST"
  /// The secret part of the access key.
  public static let secret = "secret-of-the-test"
  /// The folder with rclone's objects: each is a file of its name, in the folder of its bucket.
  public let objects: String
  private let folder: TemporaryDirectory
  private let process: Subprocess
  /// The server stops when this closes.
  private let leash: SubprocessPipe

  /// Whether the server can be started.
  public static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

  private static let isMoto = ProcessInfo.processInfo.environment["SHEAF_OBJECT_STORE"] == "moto"

  /// Whether it can be started and keeps objects in files, which a test can change.
  public static var isRclone: Bool { isInstalled && !isMoto }

  private static let tools = URL(filePath: #filePath)
    .appending(path: "../../../.build/tools").standardized.path
  private static var program: String {
    "\(tools)/" + (isMoto ? "moto/bin/moto_server" : "rclone/bin/rclone")
  }

  /// The server did not start.
  public struct Stopped: Error {
    let log: String
  }

  /// Starts a server.
  public init() throws {
    folder = try TemporaryDirectory()
    objects = folder.path("objects")
    try FileManager.default.createDirectory(
      atPath: "\(objects)/\(Self.bucket)", withIntermediateDirectories: true)
    let log = folder.path("log")
    let command =
      Self.isMoto
      ? ["env", "PYTHONPATH=\(Self.tools)/moto", Self.program, "-p", "0"]
      : [
        Self.program, "serve", "s3", "--config", folder.path("none"), "--addr", "127.0.0.1:0",
        "--auth-key", "\(Self.keyID),\(Self.secret)", objects,
      ]
    let script = """
      log=$1; shift
      "$@" >"$log" 2>&1 </dev/null &
      cat >/dev/null
      kill -KILL $!
      """
    process = Subprocess("/bin/sh", ["-c", script, "server", log] + command)
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
    if Self.isMoto {
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

  /// The path of rclone's file of an object.
  public func file(_ key: String) -> String { "\(objects)/\(Self.bucket)/\(key)" }
}
