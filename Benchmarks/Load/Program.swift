import FarmAPI
import Foundation
import HTTP

/// Simulates many workers and watchers of one coordinator, and reports its response times. `Benchmarks/load` runs it.
@main enum Program {
  static func main() async {
    do {
      let configuration = try LoadConfiguration(Array(CommandLine.arguments.dropFirst()))
      raiseFileLimit()
      let report = try await Load(configuration).run()
      print(report.markdown)
      exit(report.errors.isEmpty ? 0 : 1)
    } catch {
      FileHandle.standardError.write(Data("farm-load: \(error)\n".utf8))
      exit(2)
    }
  }

  /// Raises the limit of open files, because each worker and watcher has a connection.
  private static func raiseFileLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}

/// The simulated load.
struct LoadConfiguration: Sendable {
  var coordinator = ""
  /// The file that the job shows.
  var still = ""
  var workers = 1000
  var streams = 200
  var seconds = 60.0
  /// How long a segment takes to render, on average.
  var segmentSeconds = 5.0

  struct UsageError: Error, CustomStringConvertible {
    let description: String
  }

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      guard let value = rest.popFirst() else {
        throw UsageError(description: "\(name) needs a value")
      }
      switch name {
      case "--coordinator": coordinator = value
      case "--still": still = value
      case "--workers": workers = try Self.number(name, value)
      case "--streams": streams = try Self.number(name, value)
      case "--seconds": seconds = Double(try Self.number(name, value))
      default: throw UsageError(description: "unknown option: \(name)")
      }
    }
    guard !coordinator.isEmpty, !still.isEmpty else {
      throw UsageError(description: "--coordinator URL and --still FILE are required")
    }
  }

  private static func number(_ name: String, _ value: String) throws -> Int {
    guard let number = Int(value), number > 0 else {
      throw UsageError(description: "\(name) must be a whole number above 0: '\(value)'")
    }
    return number
  }
}
