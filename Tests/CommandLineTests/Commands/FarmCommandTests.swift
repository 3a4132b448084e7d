import Crypto
import FarmAPI
import Foundation
import Support
import Testing

/// The commands that talk to a coordinator, with a coordinator and a worker as processes.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct FarmCommandTests {
  private let folder: TemporaryDirectory
  private let farm: Farm

  /// A coordinator and a worker that end with this object.
  private final class Farm: Sendable {
    let url: String
    private let inputs: [SubprocessPipe]

    init(in folder: TemporaryDirectory) throws {
      let (coordinatorInput, workerInput) = (try SubprocessPipe(), try SubprocessPipe())
      inputs = [coordinatorInput, workerInput]
      let coordinator = Program.coordinator.process(
        ["serve", "--data", folder.path("data"), "--port", "0", "--exit-with-parent"])
      coordinator.standardInput = .pipe(coordinatorInput)
      coordinator.standardError = .null
      url = try coordinator.startListening()
      let worker = Program.worker.process(
        ["--coordinator", url, "--slots", "2", "--cache", folder.path, "--exit-with-parent"])
      worker.standardInput = .pipe(workerInput)
      worker.standardError = .null
      try worker.run()
    }

    deinit { for input in inputs { try? input.writing.close() } }
  }

  init() throws {
    folder = try TemporaryDirectory()
    farm = try Farm(in: folder)
    try SolidClip(color: (80, 128, 128), frameCount: 60).write(to: folder.path("a.mp4"))
    let project = #"{"version": 1, "sequence": [{"clip": "a.mp4"}, {"clip": "a.mp4", "in": 1}]}"#
    try Data(project.utf8).write(to: URL(fileURLWithPath: folder.path("cut.json")))
  }

  private func sheaf(_ arguments: String...) throws -> Program.Outcome {
    try Program.sheaf.run(arguments + ["--coordinator", farm.url], in: folder.path)
  }

  /// Runs a command that reaches the coordinator as from another host.
  private func sheafElsewhere(_ arguments: String...) throws -> Program.Outcome {
    let port = try #require(farm.url.split(separator: ":").last.flatMap { UInt16($0) })
    let proxy = try FaultyProxy(to: port)
    return try Program.sheaf.run(arguments + ["--coordinator", proxy.origin], in: folder.path)
  }

  private func submit() throws -> String {
    let outcome = try sheaf("submit", "cut.json")
    #expect(outcome.status == 0, "\(outcome.standardError)")
    return outcome.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test func `the media of a project that was submitted before is not indexed again`() throws {
    let caches = try TemporaryDirectory()
    func submit() throws {
      let outcome = try Program.sheaf.run(
        ["submit", "cut.json", "--coordinator", farm.url], in: folder.path,
        environment: ["XDG_CACHE_HOME": caches.path])
      #expect(outcome.status == 0, "\(outcome.standardError)")
    }
    let index = caches.path("sheaf/indexes/\(try Digest.of(file: folder.path("a.mp4")))")
    // A file that was written to within the last seconds is not kept in the cache.
    try blockUntil("the index is in the cache") {
      try submit()
      return FileManager.default.fileExists(atPath: index)
    }
    let past = Date(timeIntervalSince1970: 1_000_000_000)
    try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: index)
    try submit()
    // Reading an entry makes it recent.
    let used = try FileManager.default.attributesOfItem(atPath: index)[.modificationDate] as? Date
    #expect(try #require(used) > past)
  }

  @Test func `a project is submitted with a priority`() throws {
    let outcome = try sheaf("submit", "cut.json", "--priority", "-3", "--json")
    let status = try FarmCoding.decode(JobStatus.self, from: Data(outcome.standardOutput.utf8))
    #expect(status.priority == -3)
    #expect(try sheaf("submit", "cut.json", "--priority", "high").status == 2)
  }

  @Test func `a project is submitted, watched and fetched`() throws {
    let outcome = try sheaf("submit", "cut.json", "--watch", "-o", "out.mp4", "--json")
    #expect(outcome.status == 0, "\(outcome.standardError)")
    #expect(outcome.standardOutput.contains(#""frameCount":90"#))
    #expect(FileManager.default.fileExists(atPath: folder.path("out.mp4")))
  }

  @Test func `a job can be watched and fetched later`() throws {
    let id = try submit()
    let watched = try sheaf("watch", id)
    #expect(watched.status == 0, "\(watched.standardError)")
    #expect(watched.standardOutput == "\(id) completed\n")
    let other = try sheaf("fetch", id, "-o", "out.mov")
    #expect(other.status == 2, "\(other.standardError)")
    let fetched = try sheaf("fetch", id, "-o", "out.mp4")
    #expect(fetched.status == 0, "\(fetched.standardError)")
    #expect(FileManager.default.fileExists(atPath: folder.path("out.mp4")))
  }

  @Test func `jobs and workers are listed as JSON`() throws {
    let id = try submit()
    _ = try sheaf("watch", id)
    let jobs = try FarmCoding.decode(
      [JobStatus].self, from: Data(sheaf("jobs", "--json").standardOutput.utf8))
    #expect(jobs.map(\.id) == [id])
    let workers = try FarmCoding.decode(
      [WorkerStatus].self, from: Data(sheaf("workers", "--json").standardOutput.utf8))
    #expect(workers.map(\.slots) == [2])
    let job = try sheaf("job", id)
    #expect(job.status == 0)
    #expect(job.standardOutput.contains("completed"))
  }

  @Test func `an interrupted fetch continues and is verified`() throws {
    let id = try submit()
    _ = try sheaf("watch", id)
    #expect(try sheaf("fetch", id, "-o", "whole.mp4").status == 0)
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.path("whole.mp4")))
    let status = try FarmCoding.decode(
      [JobStatus].self, from: Data(sheaf("jobs", "--json").standardOutput.utf8)
    ).first { $0.id == id }
    let digest = try #require(status?.output?.sha256)
    let part = folder.path(".again.mp4.\(digest).part")
    try whole.prefix(1000).write(to: URL(fileURLWithPath: part))
    #expect(try sheafElsewhere("fetch", id, "-o", "again.mp4").status == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("again.mp4"))) == whole)
    #expect(!FileManager.default.fileExists(atPath: part))
  }

  @Test func `a partial file with wrong bytes is discarded, and the whole file fetched`() throws {
    let id = try submit()
    let status = try sheaf("watch", id, "--json").standardOutput.split(separator: "\n").last ?? ""
    let job = try FarmCoding.decode(JobStatus.self, from: Data(status.utf8))
    let digest = try #require(job.output?.sha256)
    let part = folder.path(".out.mp4.\(digest).part")
    try Data(repeating: 7, count: 1000).write(to: URL(fileURLWithPath: part))
    let outcome = try sheafElsewhere("fetch", id, "-o", "out.mp4")
    #expect(outcome.status == 0, "\(outcome.standardError)")
    #expect(FileManager.default.fileExists(atPath: folder.path("out.mp4")))
    #expect(!FileManager.default.fileExists(atPath: part))
  }

  @Test func `a cancelled job is reported as cancelled`() throws {
    let id = try submit()
    let cancelled = try sheaf("cancel", id)
    // If the job completes before this test cancels it, it can no longer be cancelled.
    guard cancelled.status == 0 else { return }
    #expect(cancelled.standardOutput == "\(id) cancelled\n")
    #expect(try sheaf("watch", id).status == 1)
  }

  @Test func `an unknown job is named`() throws {
    let outcome = try sheaf("job", "nothing")
    #expect(outcome.status == 1)
    #expect(outcome.standardError.contains("nothing"))
  }
}
