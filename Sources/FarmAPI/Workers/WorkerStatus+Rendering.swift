extension WorkerStatus {
  /// A segment that a worker is rendering.
  public struct Rendering: Hashable, Codable, Sendable {
    /// The id of the job that the segment belongs to.
    public var job: String
    /// The name in that job's submission, for people.
    public var jobName: String
    /// The segment's index in the plan, from 0.
    public var segment: Int
    /// The number of frames that the worker has reported.
    public var framesRendered: Int
    /// The number of frames of the segment.
    public var frameCount: Int

    /// Creates a description.
    public init(job: String, jobName: String, segment: Int, framesRendered: Int, frameCount: Int) {
      self.job = job
      self.jobName = jobName
      self.segment = segment
      self.framesRendered = framesRendered
      self.frameCount = frameCount
    }
  }
}
