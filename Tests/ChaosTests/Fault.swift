import Support

/// Something that goes wrong on a farm.
enum Fault: String, CaseIterable, Sendable {
  case killWorker = "kill -9 of a worker"
  case killCoordinator = "kill -9 of the coordinator"
  case pauseWorker = "SIGSTOP of a worker beyond its lease"
  case cutLink = "a link cut, and connections refused"
  case stallLink = "a link that passes nothing for a while"
  case truncateUpload = "a connection lost inside an upload"
  case corruptUpload = "a bit flipped in an upload"
  case replayUpload = "an upload sent again, as it was and changed"
  case fillCacheDisk = "a worker's cache disk full"
  case fillDataDisk = "the coordinator's data disk full"

  /// Whether it takes a small disk of the test's own, which only root can mount.
  var needsDisk: Bool { self == .fillCacheDisk || self == .fillDataDisk }
}

/// A fault, and when and where it strikes.
struct ScheduledFault: Hashable, Sendable, CustomStringConvertible {
  let fault: Fault
  /// Which worker, or whose link.
  let worker: Int
  /// Milliseconds since the fault before.
  let pause: Int
  /// Milliseconds until it is mended.
  let length: Int

  var description: String {
    "after \(pause) ms: \(fault.rawValue) (worker \(worker), \(length) ms)"
  }

  /// The faults that a seed stands for: every kind before any comes again.
  static func schedule(
    seed: UInt64, count: Int, kinds: [Fault], workers: Int
  ) -> [ScheduledFault] {
    var random = SeededRandom(seed: seed)
    var deck: [Fault] = []
    return (0..<count).map { _ in
      if deck.isEmpty { deck = kinds.shuffled(using: &random) }
      let fault = deck.removeLast()
      return ScheduledFault(
        fault: fault, worker: Int.random(in: 0..<workers, using: &random),
        pause: Int.random(in: 200...1500, using: &random),
        length: fault == .pauseWorker ? 3000 : Int.random(in: 200...3000, using: &random))
    }
  }
}
