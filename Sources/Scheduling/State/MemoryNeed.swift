/// The pending segments of a job that need the same amount of memory.
struct MemoryNeed: Hashable, Sendable {
  let job: JobID
  let memory: Int
}
