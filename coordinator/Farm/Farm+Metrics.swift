import FarmAPI
import Scheduling

extension Farm {
  /// The farm's measurements.
  func metrics(with scrub: ScrubStatus) throws -> MetricsPage {
    var page = MetricsPage()
    let jobCounts = try ledger.jobCounts()
    page.gauge(
      "sheaf_jobs", "Jobs by state.",
      JobState.allCases.map { .init(jobCounts[$0] ?? 0, ["state": $0.rawValue]) })
    let live = jobs.keys.compactMap { scheduler.progress(of: $0)?.segments }
    let segments: [(SegmentState, KeyPath<SegmentCounts, Int>)] = [
      (.pending, \.pending), (.leased, \.leased), (.completed, \.completed), (.failed, \.failed),
    ]
    page.gauge(
      "sheaf_segments", "Segments of unfinished jobs by state.",
      segments.map { state, count in
        .init(live.reduce(0) { $0 + $1[keyPath: count] }, ["state": state.rawValue])
      })
    page.gauge(
      "sheaf_oldest_pending_segment_age_seconds",
      "Time that the oldest pending segment has waited for a worker; 0 if none is pending.",
      (scheduler.longestWait(at: clock.now()) ?? .zero) / .seconds(1))
    let workers = workerStatuses()
    page.gauge(
      "sheaf_workers", "Workers by state.",
      WorkerStatus.State.allCases.map { state in
        .init(workers.count { $0.state == state }, ["state": state.rawValue])
      })
    page.gauge(
      "sheaf_workers_desired",
      "Workers that the segments to render would keep busy, with as many slots as the current ones.",
      scheduler.load.desiredWorkers)
    meters.forgetWorkers(
      besides: Set(workers.filter { $0.state != .lost }.map(\.name)), at: clock.now())
    addWorkers(workers, to: &page)
    meters.add(to: &page)
    page.gauge("sheaf_leases", "Active leases.", scheduler.leaseCount)
    page.gauge("sheaf_waiting_requests", "Requests waiting for a lease.", scheduler.waitingCount)
    page.counter("sheaf_leases_granted_total", "Leases granted.", counters.leasesGranted)
    page.counter("sheaf_leases_expired_total", "Leases that expired.", counters.leasesExpired)
    page.counter(
      "sheaf_leases_given_back_total", "Leases that workers gave back.", counters.leasesGivenBack)
    page.counter("sheaf_attempts_failed_total", "Attempts that failed.", counters.attemptsFailed)
    page.counter(
      "sheaf_copies_granted_total", "Second leases granted for slow segments.",
      counters.copiesGranted)
    page.counter(
      "sheaf_copies_first_total", "Second leases that finished before the first one.",
      counters.copiesFirst)
    page.counter(
      "sheaf_leases_superseded_total", "Leases whose segment another worker delivered first.",
      counters.leasesSuperseded)
    page.counter(
      "sheaf_leases_stuck_total", "Leases withdrawn because they made no progress.",
      counters.leasesStuck)
    page.counter(
      "sheaf_leases_held_up_total", "Leases withdrawn because their assets did not arrive.",
      counters.leasesHeldUp)
    page.counter(
      "sheaf_chunks_reused_total", "Segments that reused the chunk of an earlier job.",
      counters.chunksReused)
    page.counter(
      "sheaf_mixes_reused_total", "Runs of jobs that reused the mix of an earlier run.",
      counters.mixesReused)
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
      "sheaf_jobs_deleted_total", "Deleted jobs by cause: a user's request, or their age.",
      [
        .init(counters.jobsDeleted, ["cause": "request"]),
        .init(counters.oldJobsDeleted, ["cause": "age"]),
      ])
    page.counter(
      "sheaf_outputs_deleted_total",
      "Finished files deleted because of their age, without those of deleted jobs.",
      counters.oldOutputsDeleted)
    page.counter(
      "sheaf_files_quarantined_total", "Files moved to the quarantine.",
      assetStore.storage.setAsideCount)
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
      "sheaf_scrub_pass_read_bytes", "Bytes read in the current pass.", Int(scrub.bytesRead))
    return page
  }

  /// Adds the figures of workers by name. Workers with equal names are added up, and so are those beyond a limit.
  private func addWorkers(_ workers: [WorkerStatus], to page: inout MetricsPage) {
    let named = Dictionary(grouping: workers.filter { $0.state != .lost }) { meters.name($0.name) }
    var others = named[FarmMeters.otherWorkers] ?? []
    var kept = named.filter { $0.key != FarmMeters.otherWorkers }.sorted { $0.key < $1.key }
    if kept.count > FarmMeters.workerLimit {
      others += kept[FarmMeters.workerLimit...].flatMap(\.value)
      kept = Array(kept[..<FarmMeters.workerLimit])
    }
    if !others.isEmpty { kept.append((FarmMeters.otherWorkers, others)) }
    let figures: [(String, String, (WorkerStatus) -> Double)] = [
      ("sheaf_worker_slots", "Segments that a worker renders at a time.", { Double($0.slots) }),
      ("sheaf_worker_leases", "Current leases of a worker.", { Double($0.leases) }),
      (
        "sheaf_worker_memory_bytes", "Memory that a worker's leases may need; 0 if unlimited.",
        { Double($0.memory ?? 0) }
      ),
      (
        "sheaf_worker_memory_used_bytes", "Memory that a worker's leases are expected to need.",
        { Double($0.memoryInUse) }
      ),
    ]
    for (name, help, value) in figures {
      page.gauge(
        name, help,
        kept.map { .init($0.value.reduce(0) { $0 + value($1) }, ["worker": $0.key]) })
    }
    page.gauge(
      "sheaf_worker_silence_seconds", "Time since a worker was last heard of.",
      kept.map {
        .init($0.value.map(\.secondsSinceSeen).min() ?? 0, ["worker": $0.key])
      })
  }
}
