/// What the farm has counted since the coordinator started.
struct Counters: Hashable, Sendable {
  var leasesGranted = 0
  var leasesExpired = 0
  var leasesGivenBack = 0
  var attemptsFailed = 0
  var chunksAccepted = 0
  var chunkBytes: Int64 = 0
  var workersForgotten = 0
}
