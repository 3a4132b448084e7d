import CCurl
import Foundation
import Synchronization

/// Requests that block the calling thread until they are complete. Send them only on a thread of your own, never from a
/// task.
extension Client {
  /// Sends `request` and returns the response with its body. A response with an error status does not throw.
  public func sendAndWait(_ request: ClientRequest) throws(ClientError) -> ClientResponse {
    try perform(request) { MemoryReceiver($0) }
  }

  /// Sends `length` bytes of the file at `path` from `offset` as the body of `request`.
  public func uploadAndWait(
    _ request: ClientRequest, file path: String, offset: Int64 = 0, length: Int64? = nil
  ) throws(ClientError) -> ClientResponse {
    try perform(
      request,
      sending: { request throws(ClientError) in
        try FileSource(
          path: path, offset: offset, length: length, url: request.url, progress: nil)
      },
      receiver: { MemoryReceiver($0) })
  }

  /// Writes the content of the response into the file at `path`; see ``download(_:to:from:progress:)``.
  public func downloadAndWait(
    _ request: ClientRequest, to path: String
  ) throws(ClientError) -> ClientResponse {
    try perform(request) {
      FileReceiver(path: path, offset: 0, url: $0.url, progress: nil)
    }
  }

  /// Sends a request on the calling thread to the first address to which a connection opens.
  ///
  /// - Parameters:
  ///   - source: creates the body of the request to one address.
  ///   - receiver: creates the receiver of its response.
  func perform(
    _ request: ClientRequest,
    sending source: (ClientRequest) throws(ClientError) -> FileSource? = { _ in nil },
    receiver: (ClientRequest) -> any ResponseReceiver
  ) throws(ClientError) -> ClientResponse {
    let handle = blockingHandles.take()
    defer { blockingHandles.give(handle) }
    var route = ServerRoute(request, to: servers, with: settings)
    let begin = ContinuousClock.now
    while true {
      let leg = route.leg(after: begin.duration(to: .now))
      do {
        let transfer = try Transfer(
          leg.request, on: handle, settings: leg.settings, source: source(leg.request),
          receiver: receiver(leg.request))
        let response = try transfer.finish(curl_easy_perform(handle.pointer))
        route.received(response)
        return response
      } catch let error as ClientError {
        try route.goOn(after: error)
      } catch {
        throw ClientError(.other, "\(error)", failing: leg.request)
      }
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
