import CCurl
import Foundation
import Synchronization

/// Requests that block the calling thread until they are complete. Send them only on a thread of your own, never from a
/// task.
extension Client {
  /// Sends `request` and returns the response with its body. A response with an error status does not throw.
  public func sendAndWait(_ request: ClientRequest) throws(ClientError) -> ClientResponse {
    try perform(request, MemoryReceiver(request))
  }

  /// Sends `length` bytes of the file at `path` from `offset` as the body of `request`.
  public func uploadAndWait(
    _ request: ClientRequest, file path: String, offset: Int64 = 0, length: Int64? = nil
  ) throws(ClientError) -> ClientResponse {
    let source = try FileSource(
      path: path, offset: offset, length: length, url: request.url, progress: nil)
    return try perform(request, sending: source, MemoryReceiver(request))
  }

  /// Writes the content of the response into the file at `path`; see ``download(_:to:from:progress:)``.
  public func downloadAndWait(
    _ request: ClientRequest, to path: String
  ) throws(ClientError) -> ClientResponse {
    try perform(request, FileReceiver(path: path, offset: 0, url: request.url, progress: nil))
  }

  /// Runs a transfer on the calling thread.
  func perform(
    _ request: ClientRequest, sending source: FileSource? = nil, _ receiver: any ResponseReceiver
  ) throws(ClientError) -> ClientResponse {
    let handle = blockingHandles.take()
    defer { blockingHandles.give(handle) }
    let transfer = try Transfer(
      request, on: handle, settings: settings, source: source, receiver: receiver)
    do {
      return try transfer.finish(curl_easy_perform(handle.pointer))
    } catch let error as ClientError {
      throw error
    } catch {
      throw ClientError(.other, "\(error)", failing: request)
    }
  }
}

/// The idle easy handles for blocking calls, with their open connections.
final class HandlePool: Sendable {
  /// `@unchecked`: a handle belongs either to the pool or to one caller.
  private struct Idle: @unchecked Sendable {
    let handle: EasyHandle
  }

  private let idle = Mutex<[Idle]>([])

  /// Removes an idle handle from the pool, or creates one.
  func take() -> EasyHandle {
    idle.withLock { $0.popLast() }?.handle ?? EasyHandle()
  }

  /// Returns `handle` to the pool.
  func give(_ handle: EasyHandle) {
    let entry = Idle(handle: handle)
    idle.withLock { $0.append(entry) }
  }
}
