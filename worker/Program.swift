import Arguments
import CLinux
import Dispatch
import FarmAPI
import Foundation
import HTTP
import Processes
import Threads

/// `sheaf-worker`: renders segments for a coordinator.
@main struct Program {
  /// The time for giving leases back, in seconds. After it, the process exits anyway.
  private static let stopDeadline = 3.0

  /// The exit codes of the process; 0 if it was stopped or retired. `--help` lists them.
  private enum ExitCode {
    static let failed: Int32 = 1
    static let tokenRevoked: Int32 = 3
  }

  static func main() {
    CoreDumps.prevent()
    let arguments = CommandLine.arguments
    if arguments.dropFirst().first == "render" { exit(render(arguments)) }
    do {
      switch try Configuration.program.request(Array(arguments.dropFirst())) {
      case .print(let text): print(text)
      case .run(let parsed):
        // Before the token is read.
        ForkServer.start(as: ["sheaf-worker", "children"], render)
        start(
          try Configuration(
            parsed, environment: ProcessInfo.processInfo.environment,
            hostName: ProcessInfo.processInfo.hostName))
        // Keeps the first thread alive: children end with it, and /proc/self/exe becomes unreadable.
        DispatchSemaphore(value: 0).wait()
      }
    } catch {
      fail("\(error)", code: UsageError.exitCode)
    }
  }

  /// Runs `sheaf-worker render` and returns the exit code.
  private nonisolated static func render(_ arguments: [String]) -> Int32 {
    RenderService.run(Array(arguments.dropFirst(2)))
  }

  /// Runs the worker outside the first thread.
  private nonisolated static func start(_ configuration: Configuration) {
    Task { await run(configuration) }
  }

  private nonisolated static func run(_ configuration: Configuration) async -> Never {
    signal(SIGPIPE, SIG_IGN)
    // Each segment has new threads. With a heap per thread, the memory of ended threads would stay allocated.
    sheaf_use_one_heap()
    let log = configuration.log
    do {
      if configuration.checksOnly {
        try await check(configuration)
        _exit(0)
      }
      let worker = try Worker(configuration, log: log)
      let work = Task { try await worker.run() }
      let stop: @Sendable (String) -> Void = { reason in
        log.info("stopping", ["because": reason])
        work.cancel()
        // Renders that wait for a disk or the network must not keep the process alive.
        BlockingThread.start(named: "stop-deadline") {
          Thread.sleep(forTimeInterval: stopDeadline)
          _exit(0)
        }
      }
      let signals = StopSignals(stop)
      if configuration.exitsWithParent { StopSignals.watchStandardInput(stop) }
      defer { withExtendedLifetime(signals) {} }
      try await work.value
      // The kernel ends the render processes; nothing is left for exit handlers to do.
      _exit(0)
    } catch CoordinatorError.tokenRevoked(let reason) {
      fail("\(reason): create another token and restart the worker", code: ExitCode.tokenRevoked)
    } catch {
      fail("\(error)", code: ExitCode.failed)
    }
  }

  /// Throws if no coordinator responds.
  private static func check(_ configuration: Configuration) async throws {
    let client = Client(credentials: configuration.credentials)
    var failures: [any Error] = []
    for address in configuration.coordinators.all {
      do {
        return try await client.expectSuccess("\(address)/healthz")
      } catch let error as ClientError where error.mayBeSchemeMismatch {
        let mismatch = await SchemeMismatch.find(at: address)
        failures.append(mismatch.map { CoordinatorError.unavailable($0.message) } ?? error)
      } catch {
        failures.append(error)
      }
    }
    throw CoordinatorError.unavailable(failures.map { "\($0)" }.joined(separator: "; "))
  }

  private static func fail(_ message: String, code: Int32) -> Never {
    let text = PrintableText.lines(of: message).map(\.description).joined(separator: "\n")
    let line = Array("sheaf-worker: \(text)\n".utf8)
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    _exit(code)
  }
}
