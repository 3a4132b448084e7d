import Crypto
import FarmAPI
import Scheduling
import Support
import Testing

@Suite(.mayBlock) struct AssemblyProgressTests {
  private static let failure = JobFailure(code: .badChunk, message: "the chunk is bad")

  private static func chunk(_ segment: Int, version: Int = 0) -> Digest {
    Digest.of(Array("\(segment).\(version)".utf8))
  }

  private static func second(_ number: Int) -> Instant { Instant(.seconds(number)) }

  /// Performs steps until one has to wait, and returns the appended segments and whether the file was finished.
  private func run(
    _ progress: inout AssemblyProgress, fullAfter: Int? = nil
  ) -> (appended: [Int], isFinished: Bool) {
    var appended: [Int] = []
    while true {
      switch progress.next {
      case .wait: return (appended, false)
      case .finish: return (appended, true)
      case .takeSlot:
        _ = progress.take(.slotRequested)
        #expect(progress.next == .wait)
        #expect(progress.take(.slotGranted(at: Self.second(0))) == [])
      case .begin: #expect(progress.take(.begun) == [])
      case .append(let segment, let chunk):
        #expect(chunk == Self.chunk(segment) || chunk == Self.chunk(segment, version: 1))
        appended.append(segment)
        let isFull = appended.count == fullAfter
        #expect(progress.take(.appended(isFull: isFull, at: Self.second(0))) == [])
      }
    }
  }

  private func progress(of count: Int, with chunks: [Int]) -> AssemblyProgress {
    var progress = AssemblyProgress(segmentCount: count, patience: .seconds(1))
    for segment in chunks {
      #expect(progress.take(.accepted(segment: segment, Self.chunk(segment))) == [])
    }
    return progress
  }

  /// Leads a job with chunks 0, 1 and 2 of 4 to the moment before chunk `segment` is appended.
  private func progress(before segment: Int) -> AssemblyProgress {
    var progress = progress(of: 4, with: [0, 1, 2])
    _ = progress.take(.slotRequested)
    _ = progress.take(.slotGranted(at: Self.second(0)))
    _ = progress.take(.begun)
    for _ in 0..<segment { _ = progress.take(.appended(isFull: false, at: Self.second(0))) }
    #expect(progress.next == .append(segment: segment, Self.chunk(segment)))
    return progress
  }

  @Test(arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
  func `chunks are appended in the order of their segments, whatever order they arrive in`(
    order: [Int]
  ) {
    var progress = AssemblyProgress(segmentCount: 4, patience: .seconds(1))
    var appended: [Int] = []
    var isFinished = false
    for segment in order {
      #expect(!isFinished)
      _ = progress.take(.accepted(segment: segment, Self.chunk(segment)))
      let (more, done) = run(&progress)
      appended += more
      isFinished = done
    }
    #expect(isFinished)
    #expect(appended == [0, 1, 2, 3])
    #expect(progress.appended == (0..<4).map { Self.chunk($0) })
  }

  @Test func `a job with nothing to append does not request a slot`() {
    #expect(progress(of: 4, with: []).next == .wait)
    #expect(progress(of: 4, with: [1, 2, 3]).next == .wait)
    #expect(progress(of: 4, with: [0]).next == .takeSlot)
  }

  @Test func `a job without segments produces an empty file`() {
    var progress = progress(of: 0, with: [])
    #expect(run(&progress) == ([], true))
  }

  @Test func `a full file takes no more chunks`() {
    var progress = progress(of: 4, with: [0, 1, 2, 3])
    #expect(run(&progress, fullAfter: 2) == ([0, 1], true))
    #expect(progress.appended == [Self.chunk(0), Self.chunk(1)])
  }

  @Test func `a bad chunk is rendered again, and the file continues with the new one`() {
    var progress = progress(before: 1)
    #expect(
      progress.take(.bad(Self.failure, at: Self.second(1)))
        == [.refuse(segment: 1, Self.failure)])
    #expect(progress.next == .wait)
    _ = progress.take(.accepted(segment: 1, Self.chunk(1, version: 1)))
    #expect(run(&progress) == ([1, 2], false))
    #expect(progress.appended[1] == Self.chunk(1, version: 1))
  }

  @Test func `a chunk that is damaged on the disk is rendered again, and no worker is blamed`() {
    var progress = progress(before: 2)
    #expect(progress.take(.lost(at: Self.second(1))) == [.lose(segment: 2)])
    #expect(progress.next == .wait)
  }

  @Test func `a chunk that the muxer rejects is rendered again, and the file starts over`() {
    var progress = progress(before: 2)
    #expect(
      progress.take(.unwritable(Self.failure, at: Self.second(1)))
        == [.abandon, .refuse(segment: 2, Self.failure)])
    #expect(run(&progress) == ([0, 1], false))
    _ = progress.take(.accepted(segment: 2, Self.chunk(2, version: 1)))
    #expect(run(&progress) == ([2], false))
  }

  @Test func `a process that dies once is started again with the same chunks`() {
    var progress = progress(before: 1)
    #expect(progress.take(.died(Self.failure, at: Self.second(1))) == [.abandon])
    #expect(progress.next == .begin)
    #expect(run(&progress) == ([0, 1, 2], false))
  }

  @Test func `a chunk that crashes the process twice is rendered again`() {
    var progress = progress(before: 1)
    _ = progress.take(.died(Self.failure, at: Self.second(1)))
    _ = progress.take(.begun)
    _ = progress.take(.appended(isFull: false, at: Self.second(1)))
    #expect(
      progress.take(.died(Self.failure, at: Self.second(2)))
        == [.abandon, .refuse(segment: 1, Self.failure)])
    #expect(run(&progress) == ([0], false))
  }

  @Test func `processes that keep dying fail the job`() {
    var progress = progress(before: 0)
    for _ in 0..<8 {
      #expect(!progress.take(.died(Self.failure, at: Self.second(1))).contains(.fail(Self.failure)))
      if progress.next == .wait {
        _ = progress.take(.accepted(segment: 0, Self.chunk(0, version: 1)))
      }
      #expect(progress.next == .begin)
      _ = progress.take(.begun)
    }
    #expect(progress.take(.died(Self.failure, at: Self.second(1))) == [.fail(Self.failure)])
  }

  @Test func `after a restart, only the chunks that are reported again count`() {
    var progress = progress(before: 2)
    #expect(progress.take(.restarted) == [.abandon])
    #expect(progress.next == .wait)
    for segment in 0..<4 {
      _ = progress.take(.accepted(segment: segment, Self.chunk(segment, version: 1)))
    }
    #expect(run(&progress) == ([0, 1, 2, 3], true))
    #expect(progress.appended == (0..<4).map { Self.chunk($0, version: 1) })
  }

  @Test func `a restart while the job waits for a slot leaves it without a file`() {
    var progress = progress(of: 2, with: [0])
    _ = progress.take(.slotRequested)
    #expect(progress.take(.restarted) == [])
    _ = progress.take(.slotGranted(at: Self.second(0)))
    #expect(progress.next == .wait)
  }

  @Test func `a job that lacks its next chunk gives up its slot, but only if another job waits`() {
    var progress = progress(before: 2)
    _ = progress.take(.appended(isFull: false, at: Self.second(5)))
    #expect(progress.take(.tick(at: Self.second(60), isWanted: false)) == [])
    var early = progress
    #expect(early.take(.tick(at: Instant(.milliseconds(5999)), isWanted: true)) == [])
    #expect(
      progress.take(.tick(at: Self.second(6), isWanted: true)) == [.abandon, .leaveSlot])
    #expect(progress.next == .wait)
    // It comes back when it has all of its chunks, so that it cannot lose its slot again.
    _ = progress.take(.accepted(segment: 3, Self.chunk(3)))
    #expect(run(&progress) == ([0, 1, 2, 3], true))
  }

  @Test func `a job that can append keeps its slot`() {
    var progress = progress(before: 1)
    #expect(progress.take(.tick(at: Self.second(60), isWanted: true)) == [])
    #expect(progress.next == .append(segment: 1, Self.chunk(1)))
  }

  // MARK: Sound

  @Test func `chunks are appended once their sound is available`() {
    var progress = AssemblyProgress(segmentCount: 3, patience: .seconds(1), mixesSound: true)
    for segment in 0..<2 {
      _ = progress.take(.accepted(segment: segment, Self.chunk(segment)))
    }
    #expect(progress.next == .wait)
    #expect(progress.take(.soundArrived(segments: 1)) == [])
    #expect(run(&progress) == ([0], false))
    #expect(progress.take(.soundArrived(segments: 3)) == [])
    #expect(run(&progress) == ([1], false))
    _ = progress.take(.accepted(segment: 2, Self.chunk(2)))
    #expect(run(&progress) == ([2], false))
    #expect(progress.take(.soundCompleted) == [])
    #expect(run(&progress) == ([], true))
  }

  @Test func `if the sound so far is withdrawn, the file begins again when all of it is available`()
  {
    var progress = AssemblyProgress(segmentCount: 2, patience: .seconds(1), mixesSound: true)
    for segment in 0..<2 {
      _ = progress.take(.accepted(segment: segment, Self.chunk(segment)))
    }
    _ = progress.take(.soundArrived(segments: 1))
    #expect(run(&progress) == ([0], false))
    #expect(progress.take(.soundWithdrawn) == [.abandon])
    #expect(progress.next == .wait)
    _ = progress.take(.soundCompleted)
    #expect(run(&progress) == ([0, 1], true))
  }

  @Test func `a job that waits for its sound gives up its slot, but only if another job waits`() {
    var progress = AssemblyProgress(segmentCount: 2, patience: .seconds(1), mixesSound: true)
    for segment in 0..<2 {
      _ = progress.take(.accepted(segment: segment, Self.chunk(segment)))
    }
    _ = progress.take(.soundArrived(segments: 1))
    #expect(run(&progress) == ([0], false))
    #expect(progress.take(.tick(at: Self.second(60), isWanted: false)) == [])
    #expect(
      progress.take(.tick(at: Self.second(60), isWanted: true)) == [.abandon, .leaveSlot])
    // It comes back when it has all of its sound.
    _ = progress.take(.soundArrived(segments: 2))
    #expect(progress.next == .wait)
    _ = progress.take(.soundCompleted)
    #expect(run(&progress) == ([0, 1], true))
  }

  @Test func `sound that is withdrawn after it was completed is read from the mix`() {
    var progress = AssemblyProgress(segmentCount: 1, patience: .seconds(1), mixesSound: true)
    _ = progress.take(.accepted(segment: 0, Self.chunk(0)))
    _ = progress.take(.soundArrived(segments: 1))
    #expect(run(&progress) == ([0], false))
    _ = progress.take(.soundCompleted)
    #expect(progress.take(.soundWithdrawn) == [.abandon])
    #expect(run(&progress) == ([0], true))
  }

  @Test func `a full file is finished when its sound is complete`() {
    var progress = AssemblyProgress(segmentCount: 2, patience: .seconds(1), mixesSound: true)
    _ = progress.take(.accepted(segment: 0, Self.chunk(0)))
    _ = progress.take(.soundArrived(segments: 2))
    #expect(run(&progress, fullAfter: 1) == ([0], false))
    _ = progress.take(.soundCompleted)
    #expect(run(&progress) == ([], true))
  }
}
