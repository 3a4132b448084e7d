import Crypto
import FarmAPI
import Planning
import Preparation
import Recording
import SQL
import Scheduling
import Timeline

/// A file that the ledger expects to exist.
struct ExpectedFile: Hashable, Sendable {
  /// The file's name in messages.
  let name: String
  let place: Place
  /// Its size in bytes, or `nil` if the ledger does not know it.
  let byteCount: Int64?
  /// The SHA-256 of the file, if its bytes are to be compared.
  var digest: Digest?
  /// The job, if this is a job's finished file.
  var job: JobID?

  /// Where a file is expected.
  enum Place: Hashable, Sendable {
    case stored(StoredObject)
    /// At a path under a media root.
    case shared(String)
  }
}

extension Ledger {
  /// Every stored file, or file under a media root, that jobs need or that is a job's output.
  func expectedFiles() throws -> [ExpectedFile] { try chunks() + assets() + outputs() }

  /// The ids of all recordings, oldest first.
  func recordings() throws -> [String] {
    try database.rows("SELECT id FROM recordings ORDER BY number") { try $0.get("id") as String }
  }

  /// The finished files of a recording, and the headers and fragments of its parts. The ledger does not have the sizes of
  /// headers.
  func files(ofRecording id: String) throws -> [ExpectedFile] {
    let outputs = try recording(id)?.outputs ?? []
    var files = outputs.enumerated().map { number, output in
      ExpectedFile(
        name: "recording \(id): its output \(number)",
        place: .stored(.output(number, ofRecording: id)), byteCount: output.byteCount,
        digest: output.sha256)
    }
    var lastPart: Int?
    for stored in try fragments(ofRecording: id) {
      let (part, fragment) = (stored.part, stored.fragment)
      if part != lastPart {
        files.append(
          ExpectedFile(
            name: "recording \(id): the header of part \(part)",
            place: .stored(
              .recorded(RecordedFragment.headerName, inPart: part, ofRecording: id)),
            byteCount: nil))
      }
      lastPart = part
      files.append(
        ExpectedFile(
          name: "recording \(id): fragment \(fragment.number) of part \(part)",
          place: .stored(.recorded(fragment.fileName, inPart: part, ofRecording: id)),
          byteCount: Int64(fragment.byteCount), digest: fragment.sha256))
    }
    return files
  }

  private func chunks() throws -> [ExpectedFile] {
    try database.rows(
      """
      SELECT job, segments.number AS number, chunk_sha256, chunk_bytes FROM segments
      JOIN jobs ON jobs.id = segments.job
      WHERE chunk_sha256 IS NOT NULL AND jobs.state NOT IN ('completed', 'failed', 'cancelled')
      ORDER BY jobs.number, segments.number
      """
    ) { row in
      let job: String = try row.get("job")
      let number: Int = try row.get("number")
      let name: String = try row.get("chunk_sha256")
      guard let digest = Digest(hex: name) else { return nil as ExpectedFile? }
      return ExpectedFile(
        name: "job \(job): the chunk of segment \(number)",
        place: .stored(StoredObject(.chunk, digest)),
        byteCount: try row.get("chunk_bytes"))
    }.compactMap(\.self)
  }

  private func assets() throws -> [ExpectedFile] {
    var files: [ExpectedFile] = []
    for job in try unfinishedJobs() {
      for (name, asset) in try assets(of: job.id) {
        files.append(
          ExpectedFile(
            name: "job \(job.id): the asset \(name)",
            place: asset.path.map { .shared($0) } ?? .stored(StoredObject(.asset, asset.digest)),
            byteCount: asset.byteCount))
      }
      if let project = try storedSubmission(of: job.id)?.project {
        files.append(
          ExpectedFile(
            name: "job \(job.id): its project",
            place: .stored(StoredObject(.project, project)), byteCount: nil))
      }
      // A plan that this version cannot read will be replaced.
      guard let plan = try? plan(of: job.id) else { continue }
      files.append(
        ExpectedFile(
          name: "job \(job.id): its plan", place: .stored(StoredObject(.plan, plan.file)),
          byteCount: nil))
      for picture in plan.pictures {
        files.append(
          ExpectedFile(
            name: "job \(job.id): the picture or excerpt \(picture.digest)",
            place: .stored(StoredObject(.asset, picture.digest)), byteCount: picture.byteCount))
      }
    }
    return files
  }
}

extension JobRecords {
  /// The finished files.
  func outputs() throws -> [ExpectedFile] { try outputs(\.status.output) }

  /// The finished files that were found damaged or missing.
  func lostOutputs() throws -> [ExpectedFile] { try outputs(\.lostOutput) }

  private func outputs(_ file: (JobRow) -> OutputFile?) throws -> [ExpectedFile] {
    try jobs(of: nil, before: nil, limit: nil).compactMap { job in
      guard let output = file(job) else { return nil }
      let type = FileType(
        rawValue: output.fileName.split(separator: ".").last.map(String.init) ?? "")
      return ExpectedFile(
        name: "job \(job.id): its output",
        place: .stored(.output(of: job.id.rawValue, type ?? .mp4)),
        byteCount: output.byteCount, digest: output.sha256, job: job.id)
    }
  }
}
