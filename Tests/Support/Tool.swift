import Foundation
import Processes

/// Runs command-line tools such as `ffmpeg` and `ffprobe` as child processes.
public enum Tool {
  /// A tool that did not exit with the status 0.
  public struct Failure: Error, CustomStringConvertible {
    /// The tool and its arguments.
    public let command: [String]
    /// How it ended.
    public let ending: ProcessEnding
    /// The text that it wrote to standard error.
    public let standardError: String

    /// The command, its status and its errors.
    public var description: String {
      "\(command.joined(separator: " ")) ended with \(ending): \(standardError)"
    }
  }

  /// Debian's Python, because its packages are installed for it, and another one in the search path may be slow to
  /// start.
  public static let python = "/usr/bin/python3"

  /// Whether a tool is in the search path.
  public static func isInstalled(_ name: String) -> Bool { path(of: name) != nil }

  /// The path of a tool; `nil` if it is not in the search path.
  static func path(of name: String) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
  }

  /// Runs `name` from the search path with `input`, and returns its standard output.
  ///
  /// A file that `ffmpeg` generates from filters alone is generated once, and then copied.
  ///
  /// - Throws: ``Failure`` if it exits with a status other than 0.
  @discardableResult
  public static func run(_ name: String, _ arguments: [String], input: Data? = nil) throws -> Data {
    guard name == "ffmpeg", input == nil, let path = generatedFile(arguments) else {
      return try output(of: name, arguments, input: input).standardOutput
    }
    try GeneratedFiles.write(path, kind: arguments.dropLast().joined(separator: " ")) {
      _ = try output(of: name, arguments)
    }
    return Data()
  }

  /// The only file among `ffmpeg`'s arguments; `nil` if there are others, or inputs that are not filters.
  private static func generatedFile(_ arguments: [String]) -> String? {
    guard let path = arguments.last, path.hasPrefix("/"),
      !arguments.dropLast().contains(where: { $0.contains("/sheaf-") || $0.hasPrefix("/") })
    else { return nil }
    let inputs = arguments.indices.filter { arguments[$0] == "-i" }
    let areFilters = inputs.allSatisfy { $0 >= 2 && arguments[$0 - 2..<$0] == ["-f", "lavfi"] }
    return inputs.isEmpty || !areFilters ? nil : path
  }

  /// Runs `name` in the same way, and returns its standard output and standard error.
  public static func output(
    of name: String, _ arguments: [String], input: Data? = nil
  ) throws -> (standardOutput: Data, standardError: String) {
    let folder = try TemporaryDirectory()
    let files = ["in", "out", "err"].map { folder.path($0) }
    for file in files { _ = FileManager.default.createFile(atPath: file, contents: nil) }
    if let input { try input.write(to: URL(fileURLWithPath: files[0])) }
    let ending = try ending(of: name, arguments, files)
    let complaint = String(
      decoding: try Data(contentsOf: URL(fileURLWithPath: files[2])), as: UTF8.self)
    guard ending == .exited(0) else {
      throw Failure(command: [name] + arguments, ending: ending, standardError: complaint)
    }
    return (try Data(contentsOf: URL(fileURLWithPath: files[1])), complaint)
  }

  /// Tools that are slow to load and run often.
  private static let slow: Set = ["ffmpeg", "ffprobe"]

  /// Runs a tool with three files as its standard streams, and returns how it ended.
  private static func ending(
    of name: String, _ arguments: [String], _ files: [String]
  ) throws -> ProcessEnding {
    if slow.contains(name),
      let copy = ToolServer.start(
        name, arguments, input: files[0], output: files[1], errors: files[2])
    {
      return copy.wait()
    }
    let process = Subprocess("/usr/bin/env", [name] + arguments)
    process.standardInput = try .reading(files[0])
    process.standardOutput = try .writing(files[1])
    process.standardError = try .writing(files[2])
    try process.run()
    return process.wait()
  }
}
