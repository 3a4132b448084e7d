import Foundation
import Support

/// A coordinator and its workers over faulty links: real processes, which faults strike and which come back.
///
/// It is driven from one thread.
final class ChaosFarm {
  private let folder: TemporaryDirectory
  private let log: FileHandle
  private var disks: [String: SmallDisk] = [:]
  private var coordinator: ServingCoordinator?
  private var workers: [Process] = []
  private var links: [FaultyLink] = []
  /// What is broken, and how it is mended when its time comes.
  private var repairs: [(due: ContinuousClock.Instant, mend: () throws -> Void)] = []
  /// Answers that no replayed upload may get.
  private(set) var problems: [String] = []

  /// Starts a coordinator and `workerCount` workers; on small disks if `hasDisks`.
  init(workerCount: Int, hasDisks: Bool) throws {
    folder = try TemporaryDirectory()
    _ = FileManager.default.createFile(atPath: folder.path("log"), contents: nil)
    log = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path("log")))
    let mebibytes = ["data": 48].merging((0..<workerCount).map { ("cache-\($0)", 16) }) { a, _ in a
    }
    for (name, size) in mebibytes {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: true)
      if hasDisks { disks[name] = try SmallDisk(at: folder.path(name), mebibytes: size) }
    }
    let first = try ServingCoordinator(data: folder.path("data"), log: log)
    coordinator = first
    for number in 0..<workerCount {
      links.append(try FaultyLink(to: first.port))
      workers.append(try startWorker(number))
    }
  }

  deinit {
    for process in workers + [coordinator?.process].compactMap({ $0 }) {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    for link in links { link.close() }
  }

  /// The coordinator's URL, `nil` while it is down.
  var url: String? { coordinator?.url }

  /// Whether everything that was broken is mended.
  var isWhole: Bool { repairs.isEmpty }

  /// The end of what the processes said.
  var lastWords: String {
    let text = (try? String(contentsOfFile: folder.path("log"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").suffix(60).joined(separator: "\n")
  }

  private func startWorker(_ number: Int) throws -> Process {
    let process = Program.worker.process([
      "--coordinator", "http://127.0.0.1:\(links[number].port)", "--slots", "1", "--name",
      "worker-\(number)", "--cache", folder.path("cache-\(number)"), "--exit-with-parent",
    ])
    process.standardInput = Pipe()
    process.standardOutput = log
    process.standardError = log
    try process.run()
    return process
  }

  /// Mends what is due, or all of it.
  func mend(all: Bool = false) throws {
    let now = ContinuousClock.now
    let due = repairs.filter { all || $0.due <= now }
    repairs.removeAll { all || $0.due <= now }
    for repair in due { try repair.mend() }
  }

  /// Lets a fault strike.
  func strike(_ scheduled: ScheduledFault) throws {
    let (number, link) = (scheduled.worker, links[scheduled.worker])
    let worker = workers[number]
    switch scheduled.fault {
    case .killWorker:
      kill(worker.processIdentifier, SIGKILL)
      worker.waitUntilExit()
      workers[number] = try startWorker(number)
    case .killCoordinator: killCoordinator(for: scheduled.length)
    case .pauseWorker:
      kill(worker.processIdentifier, SIGSTOP)
      later(scheduled.length) { if worker.isRunning { kill(worker.processIdentifier, SIGCONT) } }
    case .cutLink:
      link.setCut(true)
      later(scheduled.length) { link.setCut(false) }
    case .stallLink:
      link.setStalled(true)
      later(scheduled.length) { link.setStalled(false) }
    case .truncateUpload: link.spoilNextUpload(.truncate)
    case .corruptUpload: link.spoilNextUpload(.corrupt)
    case .replayUpload: replayUpload(of: link)
    case .fillCacheDisk: fill("cache-\(number)", for: scheduled.length)
    case .fillDataDisk: fill("data", for: scheduled.length)
    }
  }

  private func later(_ milliseconds: Int, _ mend: @escaping () throws -> Void) {
    repairs.append((.now + .milliseconds(milliseconds), mend))
  }

  private func fill(_ name: String, for milliseconds: Int) {
    guard let disk = disks[name] else { return }
    disk.fill()
    later(milliseconds) { disk.free() }
  }

  private func killCoordinator(for milliseconds: Int) {
    guard let running = coordinator else { return }
    kill(running.process.processIdentifier, SIGKILL)
    running.process.waitUntilExit()
    coordinator = nil
    later(milliseconds) { [unowned self] in try startCoordinator() }
  }

  /// On a full disk it may not start; then it is tried again.
  private func startCoordinator() throws {
    do {
      let started = try ServingCoordinator(data: folder.path("data"), log: log)
      coordinator = started
      for link in links { link.retarget(to: started.port) }
    } catch let error as ServingCoordinator.DidNotStart {
      guard disks["data"] != nil, !isWhole else { throw error }
      later(500) { [unowned self] in try startCoordinator() }
    }
  }

  /// Sends the last upload over a link again, as it was and with its last byte changed.
  private func replayUpload(of link: FaultyLink) {
    guard let upload = link.lastUpload, let port = coordinator?.port else { return }
    var changed = upload
    changed[changed.endIndex - 1] ^= 1
    for bytes in [upload, changed] {
      guard let socket = FaultyLink.connect(to: port) else { continue }
      defer { close(socket) }
      var patience = timeval(tv_sec: 10, tv_usec: 0)
      setsockopt(
        socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
      var answer = [UInt8](repeating: 0, count: 256)
      guard LinkedConnection.send(bytes, to: socket), recv(socket, &answer, 256, 0) > 12 else {
        continue
      }
      let line = String(decoding: answer.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
      // Without a disk that is full the coordinator knows what to say.
      if line.hasPrefix("HTTP/1.1 5"), disks["data"] == nil { problems.append("replay: \(line)") }
    }
  }
}
