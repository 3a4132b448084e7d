import Scheduling

/// The central work on the file: chunks are appended in order as they arrive, beside the mix.
struct VirtualAssembly {
  private let model: FarmModel
  private var accepted: Set<Int> = []
  private var arrivals: [Int: Instant] = [:]
  private var appended = 0
  private var free = Instant(.zero)
  /// When the last chunk was accepted.
  private(set) var lastChunk = Instant(.zero)

  init(_ model: FarmModel) { self.model = model }

  /// Whether all chunks are appended.
  var isComplete: Bool { appended == model.segmentCount }

  /// The time from the last chunk until all are appended and the file is finished.
  var length: Duration { free - lastChunk + model.finishTime }

  /// The time by which the file waits for the mix, after all chunks are appended.
  var waitForMix: Duration { max(model.mixTime - free.sinceStart, .zero) }

  /// Takes a segment's chunk, and appends it and those that waited for it.
  ///
  /// - Returns: whether it is the segment's first.
  mutating func append(_ segment: Int, at instant: Instant) -> Bool {
    guard accepted.insert(segment).inserted else { return false }
    arrivals[segment] = instant
    lastChunk = instant
    while let arrival = arrivals.removeValue(forKey: appended) {
      free =
        max(free, arrival) + model.appendTime + .seconds(model.chunkBytes / model.assemblyRate)
      appended += 1
    }
    return true
  }
}
