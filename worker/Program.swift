import CLinux
import FarmAPI
import Foundation
import HTTP

/// `sheaf-worker`: renders segments for a coordinator.
@main struct Program {
  /// How long leases may take to be given back before the process ends regardless.
  private static let stopDeadline = 3.0

  static func main() async {
    do {
      let request = try Configuration.request(
        CommandLine.arguments.dropFirst(), environment: ProcessInfo.processInfo.environment,
        hostName: ProcessInfo.processInfo.hostName)
      switch request {
      case .help: print(Configuration.help)
      case .run(let configuration): await run(configuration)
      }
    } catch {
      fail("\(error)", code: 2)
    }
  }

  private static func run(_ configuration: Configuration) async {
    signal(SIGPIPE, SIG_IGN)
    // Pictures are a slot's memory, allocated by few calls. With a heap for each thread, what one segment's pictures
    // leave free is of no use to the next segment's: at 1080p, a sixth more (Benchmarks/memory).
    sheaf_use_one_heap()
    let log = EventLog.standardError
    do {
      let worker = try Worker(configuration, log: log)
      let work = Task { try await worker.run() }
      let stop: @Sendable (String) -> Void = { reason in
        log.record("stopping", ["because": reason])
        work.cancel()
        // Renders that wait for a disk or the network do not keep the process.
        Thread.detachNewThread {
          Thread.sleep(forTimeInterval: stopDeadline)
          _exit(0)
        }
      }
      let signals = StopSignals(stop)
      if configuration.exitsWithParent { StopSignals.watchStandardInput(stop) }
      defer { withExtendedLifetime(signals) {} }
      try await work.value
      // Render threads may still be inside libav; nothing is left for exit handlers to do.
      _exit(0)
    } catch {
      fail("\(error)", code: 1)
    }
  }

  private static func fail(_ message: String, code: Int32) -> Never {
    let line = Array("sheaf-worker: \(message)\n".utf8)
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    _exit(code)
  }
}
