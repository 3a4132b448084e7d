import Confinement
import Crypto
import FarmAPI
import Foundation
import Media
import Planning
import Preparation
import Processes
import ProjectFormat
import Recording
import Rendering
import Timeline

/// The services of `sheaf-media`. Only these processes open media, each with its own limits.
enum MediaCommand {
  private static let usage = """
    usage: sheaf-media SERVICE VERSION

    SERVICE is probe, typeset, check, read, plan, freeze, decode, picture, stills,
    mix, stream, assemble, record, join or examine.

    Opens media in a sandbox, for sheaf and sheaf-coordinator, which start it as a
    child process and must have the same VERSION. Standard input must be a socket,
    over which a service answers requests in JSON. It can access only the files of
    its first request, and exits after a failed request.

    example: sheaf-media probe \(SheafVersion.current)
    """

  /// Runs a service and returns the exit code.
  ///
  /// - Parameter arguments: the arguments, which start with the program's name.
  static func run(_ arguments: [String]) -> Int32 {
    let arguments = arguments.dropFirst()
    switch arguments {
    case ["--help"], ["-h"], ["help"]:
      print(usage)
      return 0
    case ["--version"]:
      print("sheaf-media \(SheafVersion.current)")
      return 0
    default: break
    }
    guard arguments.count == 2 else { return fail(with: usage) }
    guard arguments.last == SheafVersion.current else {
      return fail(
        with: "sheaf-media has version \(SheafVersion.current), and the program that started it "
          + "\(arguments.last ?? ""): install all programs of the same version")
    }
    switch arguments.first {
    case "probe": return serve(Probing())
    case "check": return serve(Checking())
    case "typeset": return serve(TypesettingService())
    case "read": return serve(Reading())
    case "plan": return serve(PlanningService())
    case "freeze": return serve(Freezing())
    case "decode": return serve(Decoding())
    case "picture": return serve(Picturing())
    case "stills": return serve(Stills())
    case "mix": return serve(Mixing())
    case "stream": return serve(Streaming())
    case "assemble": return serve(Assembling())
    case "record": return serve(RecordingService())
    case "join": return serve(Joining())
    case "examine": return serve(Examining())
    default: return fail(with: usage)
    }
  }

  private static func fail(with message: String) -> Int32 {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    return MediaChildren.refusal
  }

  /// The maximum size of a request in bytes. Requests come from the trusted parent, so this only guards against a bug.
  private static let largestRequest = 1 << 30

  /// Answers requests until the channel ends or a request fails.
  private static func serve<Service: ChildService>(_ service: Service) -> Int32 {
    ParentProcess.endWithIt()
    OutOfMemory.endWithCode()
    let parent = ParentProcess.channel(largest: largestRequest)
    var isConfined = false
    while let message = try? parent.receive() {
      let request = Data(message.bytes)
      if message.descriptor >= 0 { service.take(message.descriptor) }
      let isDone = answer(parent) {
        try handle(request, by: service, isConfined: &isConfined) { try send($0, to: parent) }
      }
      guard isDone else { return 1 }
    }
    return 0
  }

  /// Confines the process before it opens the first file.
  private static func handle<Service: ChildService>(
    _ message: Data, by service: Service, isConfined: inout Bool,
    telling tell: @escaping (ChildAnswer) throws -> Void
  ) throws -> ChildAnswer {
    let request = try FarmCoding.decode(Service.Request.self, from: message)
    if !isConfined {
      try service.sandbox(for: request).enter()
      isConfined = true
    }
    return try service.handle(request, telling: tell)
  }

  private static func send(_ answer: ChildAnswer, to parent: MessageChannel) throws {
    parent.send(Message(bytes: [UInt8](try FarmCoding.encode(answer))))
  }

  /// Sends the answer to a request. Returns whether the request succeeded.
  private static func answer(
    _ parent: MessageChannel, _ body: () throws -> ChildAnswer
  ) -> Bool {
    var answer: ChildAnswer
    var isDone = true
    do {
      answer = try body()
    } catch let error as ProjectError {
      answer = .invalid(error.shortened)
      isDone = false
    } catch {
      answer = .failure(failure(error).shortened)
      isDone = false
    }
    do { try send(answer, to: parent) } catch { return false }
    return isDone
  }

  /// The failure that an error is reported as.
  static func failure(_ error: any Error) -> JobFailure {
    switch error {
    case let error as MediaError where error.isForWantOfSpace:
      JobFailure(code: .diskFull, message: error.message)
    case let error as MediaError:
      JobFailure(code: FailureCode(rawValue: error.code.wireName), message: error.message)
    case let error as RenderingError:
      JobFailure(code: FailureCode(rawValue: error.code.wireName), message: error.message)
    case let error as AssemblyError:
      JobFailure(code: FailureCode(rawValue: error.code.wireName), message: error.message)
    case let error as RecordingError:
      JobFailure(code: .mediaProcessFailed, message: error.description)
    case let error as JobError:
      error.failure
    case let error as FileWriteError:
      JobError(error).failure
    case let error as FileReadError:
      JobFailure(code: .readFailed, message: error.description)
    case let error as SandboxError:
      JobFailure(code: .notConfined, message: error.description)
    default:
      JobFailure(code: .mediaProcessFailed, message: "\(error)")
    }
  }
}
