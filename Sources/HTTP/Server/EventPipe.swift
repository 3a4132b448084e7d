import CMicroHTTPD
import Foundation
import Synchronization

/// Passes the events of one response from a task to libmicrohttpd's content reader.
///
/// While there is nothing to send, the connection is suspended. While the client is too slow, the task waits. So
/// neither uses a thread or unbounded memory.
///
/// `@unchecked`: all mutable state is in the mutex; libmicrohttpd's pointers within it are used as
/// ``Suspensions`` says.
final class EventPipe: @unchecked Sendable {
  private struct State {
    var buffer: [UInt8] = []
    var isEnded = false
    var byteCount: Int64 = 0
    var suspension: Suspensions.Suspension?
    var roomWaiter: CheckedContinuation<Void, Never>?
    var tasks: [Task<Void, Never>] = []
  }

  /// The value that tells libmicrohttpd that content of unknown length has ended.
  static let endOfStream = -1
  /// The number of buffered bytes from which on the task has to wait.
  private static let bufferLimit = 256 << 10

  private let state = Mutex(State())
  private let suspensions: Suspensions
  private let connection: OpaquePointer

  init(suspensions: Suspensions, connection: OpaquePointer) {
    self.suspensions = suspensions
    self.connection = connection
  }

  /// Starts to send `events`, and a heartbeat after each `heartbeat` if the buffer is empty.
  func start(_ events: AsyncStream<ServerSentEvent>, heartbeat: Duration) {
    let pump = Task {
      for await event in events { await send(event.encoded) }
      end()
    }
    let beat = Task {
      while (try? await Task.sleep(for: heartbeat)) != nil { sendHeartbeat() }
    }
    state.withLock { $0.tasks = [pump, beat] }
  }

  /// Fills `bytes` for libmicrohttpd. Returns the number of bytes, or ``endOfStream``, or 0 if the connection was
  /// suspended and libmicrohttpd has to call again after it is resumed.
  func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
    state.withLock { state in
      if !state.buffer.isEmpty {
        let count = min(bytes.count, state.buffer.count)
        bytes.copyBytes(from: state.buffer[..<count])
        state.buffer.removeFirst(count)
        state.byteCount += Int64(count)
        if state.buffer.count < Self.bufferLimit { state.roomWaiter.take()?.resume() }
        return count
      }
      guard !state.isEnded else { return Self.endOfStream }
      state.suspension = suspensions.suspend(connection) { [weak self] _ in self?.end() }
      return state.suspension == nil ? Self.endOfStream : 0
    }
  }

  /// The number of bytes that libmicrohttpd has taken.
  var byteCount: Int64 { state.withLock { $0.byteCount } }

  /// Ends the response after the buffered bytes, and stops its source.
  func end() {
    let tasks = state.withLock { state in
      state.isEnded = true
      state.roomWaiter.take()?.resume()
      resume(&state)
      defer { state.tasks = [] }
      return state.tasks
    }
    for task in tasks { task.cancel() }
  }

  private func send(_ bytes: [UInt8]) async {
    await withCheckedContinuation { room in
      state.withLock { state in
        guard !state.isEnded else { return room.resume() }
        state.buffer += bytes
        resume(&state)
        if state.buffer.count < Self.bufferLimit { room.resume() } else { state.roomWaiter = room }
      }
    }
  }

  private func sendHeartbeat() {
    state.withLock { state in
      guard state.buffer.isEmpty, !state.isEnded else { return }
      state.buffer = ServerSentEvent.heartbeat
      resume(&state)
    }
  }

  private func resume(_ state: inout State) {
    if let suspension = state.suspension.take() { suspensions.resume(suspension) }
  }
}
