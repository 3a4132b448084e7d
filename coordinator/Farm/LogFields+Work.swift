import Crypto
import FarmAPI
import Scheduling

extension LogFields {
  /// The fields of lines about a job.
  static func job(_ id: JobID) -> LogFields { ["job": id.rawValue] }

  /// The fields of lines about a segment.
  static func segment(_ segment: SegmentID) -> LogFields {
    .segment(segment.index, of: segment.job)
  }

  /// The fields of lines about a segment.
  static func segment(_ index: Int, of job: JobID) -> LogFields {
    ["job": job.rawValue, "segment": "\(index)"]
  }

  /// The fields of lines about an asset.
  static func asset(_ digest: Digest) -> LogFields { ["asset": digest.description] }

  /// The fields of lines about what a caller did.
  static func job(_ id: JobID, by caller: Caller) -> LogFields {
    var fields = LogFields.job(id)
    fields.add("caller", caller.name)
    return fields
  }
}

extension Farm {
  /// The fields of lines about a worker.
  func fields(of worker: WorkerID) -> LogFields {
    var fields: LogFields = [
      "worker": scheduler.name(of: worker) ?? worker.rawValue, "worker-id": worker.rawValue,
    ]
    fields.add("host", workerHosts[worker])
    return fields
  }

  /// The fields of lines about an attempt.
  func fields(of grant: Grant) -> LogFields {
    .segment(grant.segment) + ["attempt": "\(grant.attempt)"] + fields(of: grant.worker)
  }
}
