import Foundation
import Processes

/// One of Sheaf's programs, as built with the tests.
public struct Program: Sendable {
  /// The outcome of a program that has ended.
  public struct Outcome: Sendable {
    /// The exit status, or minus the signal that ended it.
    public let status: Int32
    /// The text that it wrote to standard output.
    public let standardOutput: String
    /// The text that it wrote to standard error.
    public let standardError: String
  }

  /// The file name.
  public let name: String
  /// The path, if the program is not among those that were built.
  private let place: String?

  init(name: String) { (self.name, place) = (name, nil) }

  /// A copy of a program.
  public init(_ path: String) {
    (name, place) = (URL(fileURLWithPath: path).lastPathComponent, path)
  }

  /// The command line.
  public static let sheaf = Program(name: "sheaf")
  /// The coordinator.
  public static let coordinator = Program(name: "sheaf-coordinator")
  /// The program that opens media.
  public static let media = Program(name: "sheaf-media")
  /// The worker.
  public static let worker = Program(name: "sheaf-worker")
  /// The program that the tests of `Confinement` run in a sandbox.
  public static let confined = Program(name: "confined")

  /// The path of the program that opens media, for children. Each is a copy of a server that is started once, as in a
  /// coordinator.
  public static let mediaChildren: String = {
    ForkServer.prepare(media.path, [media.name, "children"])
    return media.path
  }()

  /// The absolute path: in the folder `SHEAF_PROGRAMS` if it is set, or beside the running test executable.
  public var path: String {
    if let place { return place }
    if let folder = ProcessInfo.processInfo.environment["SHEAF_PROGRAMS"] {
      return "\(folder)/\(name)"
    }
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name).path
  }

  /// A process of the program that has not started yet.
  public func process(_ arguments: [String], in folder: String? = nil) -> Subprocess {
    let process = Subprocess(path, arguments, in: folder)
    process.standardInput = .null
    // The settings of whoever runs the tests do not matter.
    process.environment["XDG_CONFIG_HOME"] = "/dev/null"
    return process
  }

  /// Runs the program to its end, in `folder`, with `environment` in addition to this process's.
  public func run(
    _ arguments: [String], in folder: String? = nil, environment: [String: String] = [:]
  ) throws -> Outcome {
    let scratch = try TemporaryDirectory()
    let files = ["out", "err"].map { scratch.path($0) }
    for file in files { try Data().write(to: URL(fileURLWithPath: file)) }
    let process = process(arguments, in: folder)
    process.environment.merge(environment) { $1 }
    process.standardOutput = try .writing(files[0])
    process.standardError = try .writing(files[1])
    try process.run()
    let status: Int32 =
      switch process.wait() {
      case .exited(let code): code
      case .signaled(let signal): -signal
      }
    let texts = try files.map {
      String(decoding: try Data(contentsOf: URL(fileURLWithPath: $0)), as: UTF8.self)
    }
    return Outcome(status: status, standardOutput: texts[0], standardError: texts[1])
  }
}
