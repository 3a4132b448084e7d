/// A model of everything around the scheduler: one job, its hosts' links, and the costs of all work besides rendering.
///
/// Rates are in bytes per second.
struct FarmModel {
  /// The number of segments of the job.
  var segmentCount = 720
  /// The time that a host of speed 1 takes to render an average segment: 150 frames of 1080p at 60 ms, as `make bench`
  /// measures for a full re-encode.
  var renderTime = Duration.seconds(9)
  /// How much the segments differ: a segment takes from `1 - spread` to `1 + spread` times the average.
  var spread = 0.4
  /// The bytes of sources that a segment shows, and that its host must fetch if nothing is cached.
  var sourceBytes = 7_500_000.0
  /// Whether the hosts have the sources already, in a cache or on shared storage.
  var hasSources = true
  /// The bytes of a segment's chunk.
  var chunkBytes = 5_000_000.0
  /// The time from a message's departure to its arrival, without the coordinator's own work.
  var latency = Duration.microseconds(500)
  /// The time for which the coordinator handles one call, while all others wait. This is an assumption: in
  /// `make bench-load`, the coordinator handles 806 calls and sends 44,000 events a second, on two cores that it shares
  /// with the simulated workers, which is 1.24 ms for a call with its events.
  var callTime = Duration.milliseconds(1)
  /// The rate of the coordinator's link, in each direction.
  var coordinatorLink = 125_000_000.0
  /// The rate at which the assembler verifies and appends chunks.
  var assemblyRate = 400_000_000.0
  /// The time to append a chunk, besides its bytes.
  var appendTime = Duration.milliseconds(3)
  /// The time from the last append to the finished file.
  var finishTime = Duration.milliseconds(300)
  /// The time that mixing the audio takes, from the job's start: for an hour at 49 times its speed, an assumption.
  var mixTime = Duration.seconds(74)

  /// The time that a host of speed 1 takes for a segment. It depends only on the segment's number.
  func renderTime(of segment: Int) -> Duration {
    renderTime * (1 - spread + 2 * spread * SeededNumber(segment).fraction)
  }

  /// The time that one host of speed 1 takes for all segments.
  var totalRenderTime: Duration {
    (0..<segmentCount).reduce(.zero) { $0 + renderTime(of: $1) }
  }
}

/// A number between 0 and 1 that looks random and depends only on a seed (SplitMix64, Steele et al. 2014).
struct SeededNumber {
  /// The number.
  let fraction: Double

  init(_ seed: Int) {
    var bits = UInt64(bitPattern: Int64(seed)) &* 0x9E37_79B9_7F4A_7C15 &+ 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    fraction = Double((bits ^ bits >> 31) >> 11) / Double(1 << 53)
  }
}
