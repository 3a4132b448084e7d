import FarmAPI
import Scheduling

extension Farm {
  /// Measurements in Prometheus' text format.
  func metrics(with scrub: ScrubStatus) throws -> String {
    var page = MetricsPage()
    let jobCounts = try ledger.jobCounts()
    for state in JobState.allCases {
      page.gauge(
        "sheaf_jobs", "Jobs by state.", jobCounts[state] ?? 0, label: ("state", state.rawValue))
    }
    let live = jobs.keys.compactMap { scheduler.progress(of: $0)?.segments }
    let segments: [(SegmentState, KeyPath<SegmentCounts, Int>)] = [
      (.pending, \.pending), (.leased, \.leased), (.completed, \.completed), (.failed, \.failed),
    ]
    for (state, count) in segments {
      page.gauge(
        "sheaf_segments", "Segments of unfinished jobs by state.",
        live.reduce(0) { $0 + $1[keyPath: count] }, label: ("state", state.rawValue))
    }
    let workers = workerStatuses()
    for state in WorkerStatus.State.allCases {
      page.gauge(
        "sheaf_workers", "Workers by state.", workers.count { $0.state == state },
        label: ("state", state.rawValue))
    }
    page.gauge(
      "sheaf_workers_desired",
      "Workers that the segments to render would keep busy, with as many slots as the current ones.",
      scheduler.load.desiredWorkers)
    page.gauge("sheaf_leases", "Active leases.", scheduler.leaseCount)
    page.gauge("sheaf_waiting_requests", "Requests waiting for a lease.", scheduler.waitingCount)
    page.counter("sheaf_leases_granted_total", "Leases granted.", counters.leasesGranted)
    page.counter("sheaf_leases_expired_total", "Leases that expired.", counters.leasesExpired)
    page.counter(
      "sheaf_leases_given_back_total", "Leases given back.", counters.leasesGivenBack)
    page.counter("sheaf_attempts_failed_total", "Attempts that failed.", counters.attemptsFailed)
    page.counter(
      "sheaf_copies_granted_total", "Speculative copies of slow segments that were granted.",
      counters.copiesGranted)
    page.counter(
      "sheaf_copies_first_total", "Speculative copies that finished before the first attempt.",
      counters.copiesFirst)
    page.counter(
      "sheaf_leases_superseded_total", "Leases whose segment another worker delivered first.",
      counters.leasesSuperseded)
    page.counter(
      "sheaf_leases_stuck_total", "Leases without progress that were taken back.",
      counters.leasesStuck)
    page.counter(
      "sheaf_leases_held_up_total", "Leases taken back because the assets did not arrive.",
      counters.leasesHeldUp)
    page.counter(
      "sheaf_chunks_reused_total", "Segments that reused the chunk of an earlier job.",
      counters.chunksReused)
    page.counter(
      "sheaf_chunks_refused_total", "Chunks that did not match their lease.",
      counters.chunksRefused)
    page.counter(
      "sheaf_chunks_repeated_total", "Late chunks that are identical to the accepted ones.",
      counters.chunksRepeated)
    page.counter(
      "sheaf_chunks_differing_total", "Late chunks that differ from the accepted ones.",
      counters.chunksDiffering)
    page.counter(
      "sheaf_chunks_forgotten_total",
      "Chunks dropped because their worker or token is no longer trusted.",
      counters.chunksForgotten)
    page.counter(
      "sheaf_audits_total", "Segments whose chunks of several workers were compared.",
      counters.audits)
    page.counter(
      "sheaf_audits_failed_total", "Audits in which a worker's chunk differed.",
      counters.auditsFailed)
    page.counter(
      "sheaf_audits_uncompared_total",
      "Audits that ended without a comparison, because no second worker was left.",
      counters.auditsUncompared)
    page.counter(
      "sheaf_workers_distrusted_total",
      "Times that a worker was distrusted because its chunk differed.",
      counters.workersDistrusted)
    page.counter(
      "sheaf_chunks_lost_total", "Delivered chunks found missing or damaged.",
      counters.chunksLost)
    page.counter(
      "sheaf_outputs_lost_total", "Finished files found missing or damaged.",
      counters.outputsLost)
    page.counter(
      "sheaf_files_quarantined_total", "Files moved to the quarantine.",
      assetStore.quarantine.count)
    page.counter(
      "sheaf_workers_set_aside_total", "Times that a worker was set aside.",
      counters.workersSetAside)
    page.gauge(
      "sheaf_jobs_waiting_for_workers", "Jobs that wait for workers.",
      jobs.keys.count { scheduler.waiting(of: $0, at: clock.now()) != nil })
    page.counter(
      "sheaf_jobs_restarted_total", "Jobs restarted on workers with other library versions.",
      counters.jobsRestarted)
    page.counter("sheaf_chunks_accepted_total", "Chunks accepted.", counters.chunksAccepted)
    page.counter("sheaf_chunk_bytes_total", "Bytes of accepted chunks.", Int(counters.chunkBytes))
    page.counter(
      "sheaf_plans_lost_total", "Plans that became unusable and were created again.",
      counters.plansLost)
    page.gauge(
      "sheaf_ledger_up", "Whether the ledger can be written: 1 or 0.", ledgerProblem == nil ? 1 : 0)
    page.counter(
      "sheaf_scrub_bytes_total", "Bytes read to find damaged files.",
      Int(scrub.totalBytesRead))
    page.counter(
      "sheaf_scrub_passes_total", "Complete passes of the search for damaged files.",
      scrub.passes)
    page.counter(
      "sheaf_scrub_damaged_total", "Damaged files found by the search.", scrub.damagedFiles)
    page.gauge(
      "sheaf_scrub_pass_bytes", "Bytes to read in the current pass.", Int(scrub.bytes))
    page.gauge(
      "sheaf_scrub_pass_bytes_read", "Bytes read in the current pass.", Int(scrub.bytesRead))
    return page.text
  }
}

/// A page in Prometheus' text format, version 0.0.4.
private struct MetricsPage {
  private(set) var text = ""
  private var described: Set<String> = []

  mutating func gauge(
    _ name: String, _ help: String, _ value: Int, label: (name: String, value: String)? = nil
  ) {
    add(name, help, "gauge", value, label)
  }

  mutating func counter(_ name: String, _ help: String, _ value: Int) {
    add(name, help, "counter", value, nil)
  }

  private mutating func add(
    _ name: String, _ help: String, _ type: String, _ value: Int,
    _ label: (name: String, value: String)?
  ) {
    if described.insert(name).inserted {
      text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }
    let labels = label.map { "{\($0.name)=\"\($0.value)\"}" } ?? ""
    text += "\(name)\(labels) \(value)\n"
  }
}
