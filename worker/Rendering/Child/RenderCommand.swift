import CLinux
import Confinement
import Crypto
import FarmAPI
import Foundation
import Media
import Planning
import Rendering

/// `sheaf-worker render`: the process in which a worker opens media, one a slot.
enum RenderCommand {
  static let usage = """
    usage: sheaf-worker render --memory BYTES

    The part of a worker that opens media, which it runs as child processes in a sandbox. Standard input is a socket
    to the worker.

    example: sheaf-worker render --memory 8589934592
    """

  /// The bytes of a message of the worker's: a description with every frame's time of a long segment.
  private static let largestMessage = 256 << 20

  /// Renders until there is no more to render, and returns the exit code.
  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count == 2, arguments[0] == "--memory", let memory = UInt(arguments[1]) else {
      print(usage)
      return arguments.isEmpty || arguments[0].hasPrefix("-h") || arguments[0] == "--help" ? 0 : 2
    }
    _ = sheaf_die_with_parent()
    signal(SIGPIPE, SIG_IGN)
    // Pictures are a slot's memory, allocated by few calls. With a heap for each thread, what one segment's pictures
    // leave free is of no use to the next segment's: at 1080p, a sixth more (Benchmarks/memory).
    sheaf_use_one_heap()
    let limits = ResourceLimits(
      memory: memory, fileSize: 1 << 40, processorTime: RenderProcess.processorTime,
      openFiles: 4096)
    do {
      try Sandbox(limits: limits).enter()
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      return 1
    }
    let worker = WorkerDialogue(
      MessageSocket(taking: dup(STDIN_FILENO), largest: largestMessage))
    while let order = worker.nextOrder() {
      guard render(order, for: worker) else { return 1 }
    }
    return 0
  }

  /// Renders a segment, and says whether that went well.
  private static func render(_ order: WorkerDialogue.Order, for worker: WorkerDialogue) -> Bool {
    defer { close(order.file) }
    // What starting up and the last segment ran of the libraries is of no use to pictures: at 1080p, a ninth of a slot
    // (Benchmarks/memory).
    sheaf_release_code()
    let path = "/proc/self/fd/\(order.file)"
    do {
      let renderer = try SegmentRenderer(segment: order.lease.description) { source in
        guard order.lease.assets.contains(where: { $0.digest == source.asset }) else {
          throw LeaseError.unlisted(source.name)
        }
        return try worker.open(source.asset, named: source.name)
      }
      let chunk = try renderer.render(to: path) { frames in
        // Nor is what opening the sources and the encoder ran.
        if frames % 8 == 1 { sheaf_release_code() }
        worker.report(frames: frames)
        return true
      }
      if let report = try FailureReport(
        ofTooMany: chunk.concealments, in: order.lease.description)
      {
        worker.fail(report)
        return false
      }
      worker.finish(
        FinishedRender(
          frameCount: chunk.frameCount, content: chunk.content,
          parameterSets: Data(chunk.parameterSets),
          concealments: chunk.concealments.isEmpty ? nil : chunk.concealments))
      return true
    } catch var error as MediaError where error.subject == path {
      error.subject = "the chunk, in the worker's cache directory"
      var report = FailureReport(of: error)
      if error.code == .writeFailed { report.code = FailureReport.localDiskCode }
      worker.fail(report)
    } catch {
      worker.fail(FailureReport(of: error))
    }
    return false
  }
}
