import CLinux
import Confinement
import Crypto
import FarmAPI
import Foundation
import Media
import Planning
import Processes
import Rendering

/// `sheaf-worker render`: the process in which a worker opens media, one per slot.
enum RenderService {
  static let usage = """
    usage: sheaf-worker render --memory BYTES

    Renders segments for a worker, which runs this command as a child process in a
    sandbox. Standard input must be a socket to the worker.

    example: sheaf-worker render --memory 8589934592
    """

  /// The maximum size of a message from the worker, in bytes: the description of a long segment lists every frame's time.
  private static let largestMessage = 256 << 20

  /// Renders until the worker closes the socket or a render fails, and returns the exit code.
  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count == 2, arguments[0] == "--memory", let memory = UInt(arguments[1]) else {
      print(usage)
      return arguments.isEmpty || arguments[0].hasPrefix("-h") || arguments[0] == "--help" ? 0 : 2
    }
    ParentProcess.endWithIt()
    signal(SIGPIPE, SIG_IGN)
    // Most of a slot's memory is pictures. With a heap per thread, the next segment cannot reuse the memory that one
    // segment's pictures freed: at 1080p, this takes a sixth more memory (Benchmarks/memory).
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
    let worker = WorkerDialogue(ParentProcess.channel(largest: largestMessage))
    let kept = KeptReaders()
    while let order = worker.nextOrder() {
      guard render(order, keeping: kept, for: worker) else { return 1 }
    }
    return 0
  }

  /// Renders a segment. Returns whether it succeeded.
  private static func render(
    _ order: WorkerDialogue.Order, keeping kept: KeptReaders, for worker: WorkerDialogue
  ) -> Bool {
    defer { close(order.file) }
    let path = "/proc/self/fd/\(order.file)"
    do {
      let renderer = try SegmentRenderer(segment: order.lease.description, kept: kept) { source in
        guard order.lease.assets.contains(where: { $0.digest == source.asset }) else {
          throw LeaseError.unlisted(source.name)
        }
        return try worker.open(source.asset, named: source.name)
      }
      let frameCount = order.lease.description.frameCount
      let chunk = try renderer.render(to: path) { frames in
        worker.report(frames: frames, of: frameCount)
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
      if error.code == .writeFailed { report.code = .localDisk }
      worker.fail(report)
    } catch {
      worker.fail(FailureReport(of: error))
    }
    return false
  }
}
