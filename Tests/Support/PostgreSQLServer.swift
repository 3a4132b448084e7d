import Foundation

/// A PostgreSQL server with data of its own, on a Unix socket in a temporary folder, and on the network if a test needs
/// that. It ends with this object, or with the test's process, however that ends.
public final class PostgreSQLServer: Sendable {
  /// The server that tests share, each with its own databases.
  public static let shared = Result { try PostgreSQLServer() }

  /// The folder of the socket, the data and the log.
  public let folder: String
  /// The folder of the archived write-ahead log.
  let archive: String
  private let port: Int
  private let process: Subprocess
  /// The server stops when this closes.
  private let leash: SubprocessPipe

  /// PostgreSQL is not installed.
  public struct Missing: Error {}

  static let programs = "/usr/lib/postgresql/15/bin"
  static let user = "sheaf"

  /// Creates the data of a server, and starts it.
  ///
  /// - Parameters:
  ///   - primary: the server that it follows as a standby; `nil` for a server of its own.
  ///   - network: how it is reached over the network; `nil` if it is not.
  ///   - archives: whether it archives its write-ahead log.
  ///   - backup: the backup that it restores; `nil` for a server without earlier data.
  ///   - time: the time up to which it restores the backup, as PostgreSQL writes it. The server then pauses, and can
  ///     only be read.
  public init(
    following primary: PostgreSQLServer? = nil, on network: PostgreSQLNetwork? = nil,
    archives: Bool = false, restoring backup: PostgreSQLBackup? = nil, to time: String = ""
  ) throws {
    guard FileManager.default.isExecutableFile(atPath: "\(Self.programs)/postgres") else {
      throw Missing()
    }
    folder =
      FileManager.default.temporaryDirectory
      .appending(path: "sheaf-test-\(UUID().uuidString)").path
    archive = "\(folder)/archive"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // The server refuses to run as root.
    let isRoot = getuid() == 0
    if isRoot {
      guard let user = getpwnam("postgres"),
        chown(folder, user.pointee.pw_uid, user.pointee.pw_gid) == 0
      else { throw Missing() }
    }
    port = network?.port ?? 5432
    let own = [
      "fsync=off", "synchronous_commit=off", "full_page_writes=off", "port=\(port)",
      "unix_socket_directories=\(folder)", "shared_buffers=32MB", "max_connections=200",
    ]
    let others = try network?.prepare(in: folder) ?? ["listen_addresses="]
    let archiving = archives ? PostgreSQLBackup.archiving(in: archive) : []
    let restoring = backup?.restoring(to: time) ?? []
    let options = (own + others + archiving + restoring).flatMap { ["-c", $0] }
    let script = """
      folder=$1; programs=$2; user=$3; primary=$4; backup=$5; shift 5
      cd "$folder" && mkdir archive || exit 1
      if [ "$primary" ]; then
        "$programs/pg_basebackup" -h "$primary" -U "$user" -D data -R -c fast --no-sync >log 2>&1
      elif [ "$backup" ]; then
        cp -a "$backup" data && touch data/recovery.signal
      else
        "$programs/initdb" -D data -U "$user" -A trust --no-sync --locale=C -E UTF8 >log 2>&1
      fi || exit 1
      "$programs/postgres" -D data "$@" >>log 2>&1 &
      echo $! >pid
      cat >/dev/null
      kill -CONT $!; kill -QUIT $!
      wait
      cd /; rm -rf "$folder"
      """
    process = Subprocess(
      "/usr/bin/env",
      Self.asUser(
        ["sh", "-c", script, "server", folder, Self.programs, Self.user]
          + [primary?.folder ?? "", backup?.folder ?? ""] + options))
    leash = try SubprocessPipe()
    process.standardInput = .pipe(leash)
    process.standardOutput = .null
    process.standardError = .null
    try process.run()
    let socket = "\(folder)/.s.PGSQL.\(port)"
    try blockUntil("the database server accepts connections, or ends") {
      !process.isRunning || FileManager.default.fileExists(atPath: socket) && isReady
    }
    guard process.isRunning else { throw Missing() }
    if let network {
      try run("ALTER ROLE \(Self.user) PASSWORD '\(network.password)'", in: "postgres")
    }
  }

  deinit { stop() }

  /// Stops the server at once, without a checkpoint, and removes its data.
  public func stop() {
    try? leash.writing.close()
    process.wait()
  }

  /// Ends a standby's recovery, so that it accepts writes.
  public func promote() throws { try run("SELECT pg_promote()", in: "postgres") }

  /// Starts PgBouncer in front of the server, in transaction mode.
  ///
  /// - Returns: a process to destroy at the end, and the folder of its socket.
  public func startPooler() throws -> (process: Subprocess, folder: String) {
    let pooler = "\(folder)/pooler"
    try FileManager.default.createDirectory(atPath: pooler, withIntermediateDirectories: true)
    let configuration = """
      [databases]
      * = host=\(folder) user=\(Self.user)
      [pgbouncer]
      pool_mode = transaction
      default_pool_size = 2
      listen_addr =
      unix_socket_dir = \(pooler)
      unix_socket_mode = 0777
      auth_type = any
      """
    let file = "\(pooler)/configuration"
    try configuration.write(toFile: file, atomically: true, encoding: .utf8)
    if getuid() == 0, let user = getpwnam("postgres") {
      chown(pooler, user.pointee.pw_uid, user.pointee.pw_gid)
    }
    let process = Subprocess("/usr/bin/env", Self.asUser(["/usr/sbin/pgbouncer", "-q", file]))
    process.standardInput = .null
    process.standardOutput = .null
    process.standardError = .null
    try process.run()
    try blockUntil("the pooler listens, or ends") {
      !process.isRunning || FileManager.default.fileExists(atPath: "\(pooler)/.s.PGSQL.6432")
    }
    guard process.isRunning else { throw Missing() }
    return (process, pooler)
  }

  /// The words of a command, which does not run as root.
  static func asUser(_ words: [String]) -> [String] {
    let change = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    return (getuid() == 0 ? change : []) + words
  }

  private var isReady: Bool {
    (try? Tool.run("\(Self.programs)/pg_isready", ["-q", "-h", folder, "-p", "\(port)"])) != nil
  }

  /// The URL of a database.
  public func url(of database: String) -> String {
    let host = folder.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? folder
    return "postgresql://\(Self.user)@\(host):\(port)/\(database)"
  }

  /// Creates an empty database, and returns its URL.
  public func makeDatabase() throws -> String {
    let name = "test_" + UUID().uuidString.replacing("-", with: "").lowercased()
    try run("CREATE DATABASE \(name) STRATEGY file_copy", in: "postgres")
    return url(of: name)
  }

  /// Runs statements with `psql`, and returns their rows, one line each.
  @discardableResult
  public func run(_ sql: String, in database: String) throws -> String {
    let output = try Tool.run(
      "\(Self.programs)/psql",
      ["-XAtq", "-v", "ON_ERROR_STOP=1", "-d", url(of: database), "-c", sql])
    return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  /// Sends a signal to all of the server's processes.
  public func send(_ signal: Int32) throws {
    let text = try String(contentsOfFile: "\(folder)/pid", encoding: .utf8)
    guard let id = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw Missing()
    }
    for process in [id] + ChildProcesses.of(id) { kill(process, signal) }
  }
}
