import FarmAPI
import Foundation
import Planning
import Support
import Testing
import sheaf

@Suite(.mayBlock) struct JobSummaryTests {
  private func job() -> JobStatus {
    var job = JobStatus(
      id: "5f0c", name: "cut", state: .completed, createdAt: Date(timeIntervalSince1970: 0),
      finishedAt: Date(timeIntervalSince1970: 41), frameCount: 2487, frameDuration: 1 / 25)
    (job.framesCopied, job.framesReused, job.framesEncoded) = (1500, 300, 687)
    return job
  }

  @Test func `the summary says what was made, how long it took, and how`() {
    #expect(
      JobSummary(job()).sentences == [
        "Job 5f0c (cut) is complete: 00:01:39:12 at 25 fps.",
        "It took 41 s, 2.43× the speed of playback.",
        "Of 2,487 frames, 1,500 were copied, 300 were reused and 687 were encoded.",
      ])
  }

  @Test func `frames of one kind need no list`() {
    var copied = job()
    (copied.framesCopied, copied.framesReused, copied.framesEncoded) = (2487, 0, 0)
    #expect(JobSummary(copied).sentences.last == "All 2,487 frames were copied.")
    (copied.framesCopied, copied.framesReused, copied.framesEncoded) = (0, 2400, 87)
    #expect(
      JobSummary(copied).sentences.last
        == "Of 2,487 frames, 2,400 were reused and 87 were encoded.")
  }

  @Test func `the summary says why frames were encoded, the most frequent reasons first`() {
    var encoded = job()
    encoded.encodedBecause = [
      EncodedFrames(reason: "two or more pictures are blended", frameCount: 600),
      EncodedFrames(reason: "the clip's next keyframe is later", frameCount: 87),
    ]
    #expect(
      JobSummary(encoded).making.last
        == "600 frames were encoded because two or more pictures are blended, and 87 because the"
        + " clip's next keyframe is later.")
    encoded.encodedBecause = (1...6).reversed().map {
      EncodedFrames(reason: "reason \($0)", frameCount: $0)
    }
    #expect(
      JobSummary(encoded).making.last
        == "6 frames were encoded because reason 6, 5 because reason 5, 4 because reason 4,"
        + " 3 because reason 3, and 3 for other reasons.")
  }

  @Test func `the summary does not say that the preset encodes every frame`() {
    var encoded = job()
    encoded.encodedBecause = [
      EncodedFrames(kind: .preset, reason: "any reason", frameCount: 600),
      EncodedFrames(kind: .blended, reason: "pictures are blended", frameCount: 87),
    ]
    #expect(
      JobSummary(encoded).making.last
        == "87 frames were encoded because pictures are blended.")
    encoded.encodedBecause?.removeLast()
    #expect(JobSummary(encoded).making.count == 1)
  }

  @Test(arguments: [JobState.queued, .planning, .rendering, .assembling])
  func `the summary of an unfinished job does not say that its frames were made`(
    state: JobState
  ) {
    var job = job()
    job.state = state
    job.encodedBecause = [
      EncodedFrames(reason: "two or more pictures are blended", frameCount: 687)
    ]
    #expect(
      JobSummary(job).making == [
        "Of 2,487 frames, 1,500 will be copied, 300 will be reused and 687 will be encoded.",
        "687 frames will be encoded because two or more pictures are blended.",
      ])
    (job.framesCopied, job.framesReused, job.framesEncoded) = (0, 0, 2487)
    job.encodedBecause?[0].frameCount = 1
    #expect(
      JobSummary(job).making == [
        "All 2,487 frames will be encoded.",
        "1 frame will be encoded because two or more pictures are blended.",
      ])
    job.state = .completed
    #expect(
      JobSummary(job).making.last
        == "1 frame was encoded because two or more pictures are blended.")
  }

  @Test(arguments: [JobState.failed, .cancelled])
  func `the summary of a job without a file says nothing about its frames`(state: JobState) {
    var job = job()
    job.state = state
    #expect(JobSummary(job).making == [])
  }

  @Test(arguments: [
    (0.84, "0.8 s"), (9.9, "9.9 s"), (41.4, "41 s"), (725, "12 min 5 s"), (7200, "2 h"),
    (12_000, "3 h 20 min"), (-1, "unknown"), (Double.nan, "unknown"),
  ])
  func `a length of time is written in words`(seconds: Double, text: String) {
    #expect(TimeText.elapsed(seconds) == text)
  }

  @Test func `frames without a rate that timecodes have are written in seconds`() {
    #expect(TimeText.frames(100, ofSeconds: 0.08333) == "8.333 s")
    #expect(TimeText.frames(2487, ofSeconds: 0.04) == "00:01:39:12")
    #expect(TimeText.frames(1800, ofSeconds: 1001.0 / 30_000) == "00:01:00;02")
  }
}
