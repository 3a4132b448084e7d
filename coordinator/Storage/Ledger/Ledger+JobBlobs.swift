import Foundation
import SQL
import Scheduling

/// A large part of a job.
enum JobBlob: String, Storable {
  /// The files that the job's project names: a list of `ProjectAsset`.
  case projectAssets = "project_assets"
  /// The concatenated digests of the uploaded files and of the plan's pictures.
  case assetDigests = "asset_digests"
  /// The job's `PlanFacts`.
  case planFacts = "plan_facts"
  /// The damaged sound that was silenced: a list of `Concealment`.
  case concealedSound = "concealed_sound"
  /// The first parts of ``concealedSound``, which a status shows.
  case firstConcealedSound = "first_concealed_sound"
  /// The job's `JobTimeline`.
  case timeline = "timeline"
  /// The `Waveform` of the job's sound.
  case waveform = "waveform"
}

/// The large parts of jobs. SQLite always writes a row as a whole, so these parts are not in the job's own row, which
/// every change of the job's state writes.
extension Ledger {
  /// Stores a large part of a job, or removes it.
  func keep(_ bytes: Data?, as blob: JobBlob, of id: JobID) throws {
    guard let bytes else {
      try database.run(
        "DELETE FROM job_blobs WHERE job = ?1 AND name = ?2", id.rawValue, blob)
      return
    }
    try database.run(
      """
      INSERT INTO job_blobs (job, name, bytes) VALUES (?1, ?2, ?3)
      ON CONFLICT (job, name) DO UPDATE SET bytes = excluded.bytes
      """, id.rawValue, blob, bytes)
  }

  /// A large part of a job, if the ledger has it.
  func blob(_ blob: JobBlob, of id: JobID) throws -> Data? {
    try database.first(
      "SELECT bytes FROM job_blobs WHERE job = ?1 AND name = ?2", id.rawValue, blob
    ) { try $0.get("bytes") }
  }

  /// The size of a large part of a job in bytes; 0 if the ledger does not have it.
  func size(_ blob: JobBlob, of id: JobID) throws -> Int {
    try database.first(
      "SELECT length(bytes) AS size FROM job_blobs WHERE job = ?1 AND name = ?2", id.rawValue, blob
    ) { try $0.get("size") } ?? 0
  }
}
