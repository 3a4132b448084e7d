/// The farm's counters since the coordinator started.
struct Counters: Hashable, Sendable {
  var leasesGranted = 0
  var copiesGranted = 0
  var copiesFirst = 0
  var leasesSuperseded = 0
  var leasesStuck = 0
  var leasesHeldUp = 0
  var leasesExpired = 0
  var leasesGivenBack = 0
  var attemptsFailed = 0
  var chunksAccepted = 0
  var chunksReused = 0
  var mixesReused = 0
  var chunksRefused = 0
  var chunksLost = 0
  var outputsLost = 0
  var plansLost = 0
  var jobsDeleted = 0
  var oldJobsDeleted = 0
  var oldOutputsDeleted = 0
  var chunksRepeated = 0
  var chunksDiffering = 0
  var chunksForgotten = 0
  var chunkBytes: Int64 = 0
  var audits = 0
  var auditsFailed = 0
  var auditsUncompared = 0
  var workersDistrusted = 0
  var workersForgotten = 0
  var workersSetAside = 0
  var jobsRestarted = 0
}
