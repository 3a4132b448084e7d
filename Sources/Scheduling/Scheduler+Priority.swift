extension Scheduler {
  /// Changes the priority of a job, and thereby the order in which its pending segments are leased.
  mutating func prioritize(_ id: JobID, _ priority: Int) {
    guard let job = jobs[id], job.key.share.priority != priority else { return }
    let isReady = job.available > 0
    unmarkReady(job.key, fingerprint: job.fingerprint)
    var share = job.key.share
    share.priority = priority
    let key = JobKey(share: share, order: job.key.order, id: id)
    change(id) { $0.key = key }
    if isReady { markReady(key, fingerprint: job.fingerprint) }
    // Which jobs a reserved worker may serve depends on the priority of the job that it is reserved for.
    for worker in cramped { wakeCramped(worker) }
  }
}
