import HTTP
import Scheduling
import Synchronization

/// The finished files in transit to clients. Their age does not matter until the downloads end.
final class OutputDownloads: Sendable {
  /// A file that a response contains, until it has been sent.
  private struct Sending {
    weak var use: OpenFile.Use?
  }

  private let files = Mutex<[JobID: [Sending]]>([:])

  /// Notes that a response contains a job's finished file.
  func note(_ response: Response, of job: JobID) {
    guard let file = response.body.file else { return }
    files.withLock { files in
      for (id, sending) in files {
        let open = sending.filter { $0.use != nil }
        files[id] = open.isEmpty ? nil : open
      }
      files[job, default: []].append(Sending(use: file.use))
    }
  }

  /// Whether a job's finished file is being sent.
  func includes(_ job: JobID) -> Bool {
    files.withLock { $0[job]?.contains { $0.use != nil } ?? false }
  }
}
