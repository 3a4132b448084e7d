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
  /// How many faults there were that something met: a process that ran, an upload on its way.
  private var met: [Fault: Int] = [:]
  /// Answers that no replayed upload may get.
  private(set) var problems: [String] = []

  /// Starts a coordinator and `workerCount` workers; on small disks if `hasDisks`.
  init(workerCount: Int, hasDisks: Bool) throws {
    folder = try TemporaryDirectory()
    _ = FileManager.default.createFile(atPath: folder.path("log"), contents: nil)
    log = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path("log")))
    if hasDisks {
      disks["data"] = try SmallDisk(mebibytes: 48)
      for number in 0..<workerCount { disks["cache-\(number)"] = try SmallDisk(mebibytes: 16) }
    }
    let first = try startCoordinatorProcess()
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

  /// How many faults of each kind met something so far. One that spoils the next upload may be too late for any.
  var faultsMet: [Fault: Int] {
    var all = met
    for (kind, count) in links.flatMap(\.uploadFaults) {
      all[kind == .corrupt ? .corruptUpload : .truncateUpload, default: 0] += count
    }
    return all
  }

  /// Whether everything that was broken is mended.
  var isWhole: Bool { repairs.isEmpty }

  /// The end of what the processes said.
  var lastWords: String {
    let text = (try? String(contentsOfFile: folder.path("log"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").suffix(60).joined(separator: "\n")
  }

  /// A folder of the farm's, on a disk of its own where there are any.
  private func path(_ name: String) -> String { disks[name]?.directory.path ?? folder.path(name) }

  private func startWorker(_ number: Int) throws -> Process {
    let process = Program.worker.process([
      "--coordinator", "http://127.0.0.1:\(links[number].port)", "--slots", "1", "--name",
      "worker-\(number)", "--cache", path("cache-\(number)"), "--exit-with-parent",
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
      count(.killWorker, if: worker.isRunning)
      kill(worker.processIdentifier, SIGKILL)
      worker.waitUntilExit()
      workers[number] = try startWorker(number)
    case .killCoordinator:
      count(.killCoordinator, if: coordinator != nil)
      killCoordinator(for: scheduled.length)
    case .pauseWorker:
      count(.pauseWorker, if: worker.isRunning)
      kill(worker.processIdentifier, SIGSTOP)
      later(scheduled.length) { if worker.isRunning { kill(worker.processIdentifier, SIGCONT) } }
    case .cutLink:
      count(.cutLink, if: link.isUsed)
      link.setCut(true)
      later(scheduled.length) { link.setCut(false) }
    case .stallLink:
      count(.stallLink, if: link.isUsed)
      link.setStalled(true)
      later(scheduled.length) { link.setStalled(false) }
    case .truncateUpload: link.spoilNextUpload(.truncate)
    case .corruptUpload: link.spoilNextUpload(.corrupt)
    case .replayUpload: count(.replayUpload, if: replayUpload(of: link))
    case .fillCacheDisk:
      count(.fillCacheDisk, if: try fill("cache-\(number)", for: scheduled.length))
    case .fillDataDisk: count(.fillDataDisk, if: try fill("data", for: scheduled.length))
    }
  }

  private func count(_ fault: Fault, if hasMet: Bool) {
    if hasMet { met[fault, default: 0] += 1 }
  }

  private func later(_ milliseconds: Int, _ mend: @escaping () throws -> Void) {
    repairs.append((.now + .milliseconds(milliseconds), mend))
  }

  /// `false` where there is no such disk.
  private func fill(_ name: String, for milliseconds: Int) throws -> Bool {
    guard let disk = disks[name] else { return false }
    try disk.fill()
    later(milliseconds) { disk.free() }
    return true
  }

  private func killCoordinator(for milliseconds: Int) {
    guard let running = coordinator else { return }
    kill(running.process.processIdentifier, SIGKILL)
    running.process.waitUntilExit()
    coordinator = nil
    later(milliseconds) { [unowned self] in try startCoordinator() }
  }

  private func startCoordinatorProcess() throws -> ServingCoordinator {
    let started = try ServingCoordinator(data: path("data"), log: log)
    coordinator = started
    return started
  }

  /// On a full disk it may not start; then it is tried again.
  private func startCoordinator() throws {
    do {
      let started = try startCoordinatorProcess()
      for link in links { link.retarget(to: started.port) }
    } catch let error as DidNotListen {
      guard disks["data"] != nil, !isWhole else { throw error }
      later(500) { [unowned self] in try startCoordinator() }
    }
  }

  /// Sends the last upload over a link, or over any, again, as it was and with its last byte changed; `false` where
  /// there was none yet, or nobody took it.
  private func replayUpload(of link: FaultyLink) -> Bool {
    guard let upload = link.lastUpload ?? links.lazy.compactMap(\.lastUpload).first,
      let port = coordinator?.port
    else { return false }
    var isAnswered = false
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
      isAnswered = true
      // A coordinator that knows what to say refuses with 4xx; on a disk that may be full with 503 or 507.
      let mayLackRoom =
        disks["data"] != nil && ["503", "507"].contains(line.split(separator: " ")[1])
      if line.hasPrefix("HTTP/1.1 5"), !mayLackRoom { problems.append("replay: \(line)") }
    }
    return isAnswered
  }
}
