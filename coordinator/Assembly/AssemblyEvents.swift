import Planning
import Preparation

/// An event that a job's assembly reacts to.
enum AssemblyEvent: Sendable {
  /// News about the job's chunks.
  case news(ChunkNews)
  /// News about the job's sound while it is mixed.
  case sound(SoundNews)
  /// The job's sound is mixed.
  case mixed(AssetFile)
  /// The job's sound cannot be mixed.
  case unmixed
  /// An interval has passed.
  case tick
  /// The job has got a slot. Earlier events arrived while it waited.
  case slotGranted
}

/// The events of a job's assembly, until the job ends.
struct AssemblyEvents: Sendable {
  let stream: AsyncStream<AssemblyEvent>
  private let continuation: AsyncStream<AssemblyEvent>.Continuation
  private let forwarding: Task<Void, Never>

  /// - Parameter chunks: the news about the job's chunks.
  init(_ chunks: AsyncStream<ChunkNews>) {
    let (stream, continuation) = AsyncStream.makeStream(of: AssemblyEvent.self)
    self.stream = stream
    self.continuation = continuation
    forwarding = Task {
      for await news in chunks { continuation.yield(.news(news)) }
      continuation.finish()
    }
  }

  /// Reports an event.
  func tell(_ event: AssemblyEvent) { continuation.yield(event) }

  /// Reports that the job has got a slot, and then a tick after each interval until the task is cancelled.
  func begin(tickingEvery interval: Duration) -> Task<Void, Never> {
    continuation.yield(.slotGranted)
    return Task {
      while (try? await Task.sleep(for: interval)) != nil { continuation.yield(.tick) }
    }
  }

  /// Stops forwarding.
  func end() { forwarding.cancel() }
}
