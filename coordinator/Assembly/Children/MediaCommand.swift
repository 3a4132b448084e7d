import FarmAPI
import Foundation
import Media
import Planning
import Rendering
import Timeline

/// `sheaf-coordinator media …`: the only places of the coordinator where media is opened, each a process of its
/// own with limits.
enum MediaCommand {
  static let usage = """
    usage: sheaf-coordinator media probe|typeset|check|mix|assemble < requests.jsonl

    The parts of a coordinator that open media, which it runs as child processes with resource limits. Each
    reads requests, a line of JSON each, and answers each with a line of JSON; the first that fails is the last.

    example: sheaf-coordinator media probe <<< '{"path": "beach.mp4", "name": "beach"}'
    """

  /// Runs a subcommand and returns the exit code.
  static func run(_ arguments: [String]) -> Int32 {
    var arguments = arguments[...]
    switch arguments.popFirst() {
    case "probe" where arguments.isEmpty:
      ChildLimits.probe.apply()
      return serve(Probing())
    case "check" where arguments.isEmpty:
      ChildLimits.probe.apply()
      return serve(Checking())
    case "typeset" where arguments.isEmpty:
      ChildLimits.typeset.apply()
      return serve(TypesettingService())
    case "mix" where arguments.isEmpty:
      ChildLimits.mix.apply()
      return serve(Mixing())
    case "assemble" where arguments.isEmpty:
      ChildLimits.assemble.apply()
      return serve(Assembling())
    case "--help", "-h", "help":
      print(usage)
      return 0
    default:
      FileHandle.standardError.write(Data((usage + "\n").utf8))
      return 2
    }
  }

  /// Answers requests until there are no more, or one fails.
  private static func serve<Service: ChildService>(_ service: Service) -> Int32 {
    while let line = readLine() {
      let isDone = answer {
        try service.handle(FarmCoding.decode(Service.Request.self, from: Data(line.utf8)))
      }
      guard isDone else { return 1 }
    }
    return 0
  }

  private static func answer(_ body: () throws -> ChildAnswer) -> Bool {
    var answer: ChildAnswer
    var isDone = true
    do {
      answer = try body()
    } catch {
      answer = .failure(failure(error))
      isDone = false
    }
    guard var data = try? FarmCoding.encode(answer) else { return false }
    data.append(UInt8(ascii: "\n"))
    FileHandle.standardOutput.write(data)
    return isDone
  }

  private static func failure(_ error: any Error) -> JobFailure {
    switch error {
    case let error as MediaError:
      JobFailure(code: kebab("\(error.code)"), message: error.message)
    case let error as RenderingError:
      JobFailure(code: kebab("\(error.code)"), message: error.message)
    case let error as AssemblyError:
      JobFailure(code: kebab("\(error.code)"), message: error.message)
    case let error as ProjectError:
      JobFailure(code: "invalid-project", message: error.lines.joined(separator: "\n"))
    default:
      JobFailure(code: "media-process-failed", message: "\(error)")
    }
  }

  /// `notMedia` as `not-media`, which is how codes are written in the protocol.
  private static func kebab(_ code: String) -> String {
    code.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
  }
}

/// What a media process does with its requests.
protocol ChildService {
  associatedtype Request: Decodable
  func handle(_ request: Request) throws -> ChildAnswer
}
