import FarmAPI
import Foundation
import Preparation
import Recording
import Threads
import Timeline

/// Recordings of streams that the coordinator downloads.
extension RecordingRun {
  /// Downloads a stream until it ends or is stopped.
  ///
  /// - Returns: the reason why it ended early; `nil` if it ended or was stopped.
  func receive(_ playlist: AssetURL, in folder: String) async throws -> JobFailure? {
    var puller = StreamPuller(
      playlist, allowed: allowed, skipsOffered: nextPart > 1)
    var failures = 0
    // When the last segment was passed to a recorder.
    var passed: ContinuousClock.Instant?
    do {
      var next = try await next(&puller, &failures)
      if let ignored = puller.ignored { try note([.ignored(ignored)]) }
      while let segment = next {
        let pipe = try RecordingUpload()
        // Missed segments leave a pause that is as long as nothing was passed.
        let silence = passed.map { segment.isAfterGap ? ContinuousClock.now - $0 : .zero }
        async let recorded = recordToEnd(of: pipe, in: folder, after: silence)
        let fed: Result<Feed, any Error>
        do {
          fed = .success(try await feed(segment, then: &puller, &failures, into: pipe, &passed))
        } catch {
          fed = .failure(error)
        }
        // The recorder commits what it has, whatever the reason.
        pipe.close()
        let failure = try await recorded
        if let failure {
          guard mayRecover(from: failure) else { return failure }
          shop.log.error("\(failure.message): trying again", fields)
        }
        switch try fed.get() {
        case .ended: return isEnding ? nil : failure
        case .discontinuity(let segment): next = segment
        case .recorderEnded:
          try await Task.sleep(for: Self.pause)
          next = try await self.next(&puller, &failures)
        }
      }
      return nil
    } catch let error as JobError {
      return error.failure
    }
  }

  /// Records from a pipe, and closes it when the recorder ends, so that nothing waits for a recorder that reads no more.
  private func recordToEnd(
    of pipe: RecordingUpload, in folder: String, after silence: Duration?
  ) async throws -> JobFailure? {
    defer { pipe.close() }
    do {
      return try await record(from: [pipe.readingEnd], in: folder, after: silence)
    } catch let error as JobError {
      return error.failure
    }
  }

  /// Why a recorder gets no more segments.
  private enum Feed {
    /// The stream has ended, or is no longer wanted.
    case ended
    /// This segment does not continue those before it.
    case discontinuity(StreamPuller.Segment)
    /// The recorder reads no more.
    case recorderEnded
  }

  /// Passes a segment to a recorder, and those that continue it.
  private func feed(
    _ segment: StreamPuller.Segment, then puller: inout StreamPuller, _ failures: inout Int,
    into pipe: RecordingUpload, _ passed: inout ContinuousClock.Instant?
  ) async throws -> Feed {
    var segment = segment
    var offset: Int64 = 0
    while true {
      guard try await pass(segment.bytes, at: &offset, into: pipe) else {
        return isEnding ? .ended : .recorderEnded
      }
      passed = .now
      guard let next = try await next(&puller, &failures) else { return .ended }
      if next.isDiscontinuous { return .discontinuity(next) }
      segment = next
    }
  }

  /// Writes bytes to a pipe. Returns whether the recorder took all of them.
  private func pass(
    _ bytes: Data, at offset: inout Int64, into pipe: RecordingUpload
  ) async throws -> Bool {
    let end = offset + Int64(bytes.count)
    while offset < end {
      guard !isEnding else { return false }
      let (start, rest) = (offset, bytes.suffix(Int(end - offset)))
      let outcome = try await BlockingThread.run(named: "pull") { [self] isCancelled in
        pipe.add(rest, at: start, isLast: false) { !isCancelled() && !isToldToEnd }
      }
      guard case .goesOn(let place) = outcome else { return false }
      offset = place
    }
    return true
  }

  /// Waits for the next segment.
  ///
  /// - Returns: `nil` if the stream has ended or is no longer wanted.
  /// - Throws: ``JobError``.
  private func next(
    _ puller: inout StreamPuller, _ failures: inout Int
  ) async throws -> StreamPuller.Segment? {
    while !isEnding {
      try Task.checkCancellation()
      do {
        switch try await puller.next() {
        case .segment(let segment):
          failures = 0
          return segment
        case .nothing(let wait): try await Task.sleep(for: wait)
        case .ended: return nil
        }
      } catch let failure as FetchFailure {
        let message = "\(source): \(failure.reason): check the address and the server"
        try await wait(after: JobError(.sourceUnreachable, message), &failures)
      } catch let error as JobError {
        // A server may answer with something else for a while, for example during an update.
        guard nextPart > 1, failures < Self.mostInvalid else { throw error }
        try await wait(after: error, &failures)
      }
    }
    return nil
  }

  /// The number of invalid answers in a row after which a recording that has begun fails.
  private static let mostInvalid = 60

  /// Waits before another try.
  ///
  /// - Throws: the error, if nothing was recorded and there were too many.
  private func wait(after error: JobError, _ failures: inout Int) async throws {
    failures += 1
    guard nextPart > 1 || failures < Self.patience else { throw error }
    if failures == 1 { shop.log.error("\(error.failure.message): trying again", fields) }
    try await Task.sleep(for: Self.pause)
  }
}
