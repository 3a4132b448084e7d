/// The available workers of a pool or of the whole farm, by fingerprint.
struct WorkerSupply: Sendable {
  /// The number of workers by memory, by fingerprint.
  private var memories: [String: [Int: Int]] = [:]
  /// The largest memory of a worker, by fingerprint. A fingerprint without workers is absent.
  private(set) var largestMemory: [String: Int] = [:]

  var isEmpty: Bool { largestMemory.isEmpty }

  /// Whether there is a worker of the fingerprint, or of any if it is `nil`.
  func has(_ fingerprint: String?) -> Bool {
    fingerprint.map { largestMemory[$0] != nil } ?? !isEmpty
  }

  /// Counts a worker that has become available.
  mutating func insert(_ worker: WorkerRecord) {
    let fingerprint = worker.entry.fingerprint
    memories[fingerprint, default: [:]][worker.memory, default: 0] += 1
    largestMemory[fingerprint] = max(largestMemory[fingerprint] ?? 0, worker.memory)
  }

  /// Removes a worker that is no longer available.
  mutating func remove(_ worker: WorkerRecord) {
    let fingerprint = worker.entry.fingerprint
    guard let count = memories[fingerprint]?[worker.memory] else { return }
    memories[fingerprint]?[worker.memory] = count > 1 ? count - 1 : nil
    guard count == 1, worker.memory == largestMemory[fingerprint] else { return }
    largestMemory[fingerprint] = memories[fingerprint]?.keys.max()
    if memories[fingerprint]?.isEmpty == true { memories[fingerprint] = nil }
  }
}
