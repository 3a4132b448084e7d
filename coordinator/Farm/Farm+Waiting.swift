import Scheduling

extension Farm {
  /// A job's place among the jobs that wait for workers, from 1; `nil` if it does not wait for others.
  func position(of job: JobID) -> Int? {
    let places =
      waitingPlaces
      ?? Dictionary(
        scheduler.waitingJobs.enumerated().map { ($0.element, $0.offset + 1) }
      ) { first, _ in first }
    waitingPlaces = places
    guard places.count > 1 || scheduler.leaseCount > 0 else { return nil }
    return places[job]
  }
}
