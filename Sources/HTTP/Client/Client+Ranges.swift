import Foundation

extension Client {
  /// Reads up to `buffer.count` bytes of the content at `url` from `offset`, and returns their number, which is 0 at
  /// and past the end.
  ///
  /// Blocks until the bytes have arrived. Call it only on a thread of your own, never from a task.
  public func readRange(
    _ url: String, offset: Int64, into buffer: UnsafeMutableRawBufferPointer,
    headers: Headers = [:]
  ) throws(ClientError) -> Int {
    let outcome = receiveRange(url, offset: offset, into: buffer, headers: headers)
    if let failure = outcome.failure { throw failure }
    return outcome.count
  }

  /// The result of a range request.
  public struct RangeOutcome: Sendable {
    /// The number of bytes received, counted from the start of the range.
    public let count: Int
    /// The error if the response was incomplete or was not a range.
    public let failure: ClientError?
  }

  /// Reads like ``readRange(_:offset:into:headers:)``, but also reports the bytes that arrived before a failure, so
  /// that the caller can request the rest.
  ///
  /// - Parameter arrived: called with the number of new bytes each time that some arrive.
  public func receiveRange(
    _ url: String, offset: Int64, into buffer: UnsafeMutableRawBufferPointer,
    headers: Headers = [:], arrived: @escaping (Int) -> Void = { _ in }
  ) -> RangeOutcome {
    guard !buffer.isEmpty else { return RangeOutcome(count: 0, failure: nil) }
    var request = ClientRequest(.get, url, headers: headers)
    request.headers["Range"] = "bytes=\(offset)-\(offset + Int64(buffer.count) - 1)"
    var receiver: RangeReceiver?
    do throws(ClientError) {
      let response = try perform(request) { request in
        let range = RangeReceiver(
          buffer: buffer, offset: offset, url: request.url, arrived: arrived)
        receiver = range
        return range
      }
      switch response.status {
      case .partialContent, .ok: return RangeOutcome(count: receiver?.count ?? 0, failure: nil)
      case .rangeNotSatisfiable: return RangeOutcome(count: 0, failure: nil)
      default: throw ClientError(refusal: response)
      }
    } catch {
      return RangeOutcome(count: receiver?.count ?? 0, failure: error)
    }
  }

  /// Returns up to `length` bytes of the content at `url` from `offset`, or no bytes at and past the end.
  ///
  /// Blocks until the bytes have arrived. Call it only on a thread of your own, never from a task.
  public func readRange(
    _ url: String, offset: Int64, length: Int, headers: Headers = [:]
  ) throws(ClientError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: length)
    let result: Result<Int, ClientError> = bytes.withUnsafeMutableBytes { buffer in
      do throws(ClientError) {
        return .success(try readRange(url, offset: offset, into: buffer, headers: headers))
      } catch {
        return .failure(error)
      }
    }
    bytes.removeLast(length - (try result.get()))
    return bytes
  }

  /// The size in bytes of the content at `url`, from the response to a HEAD request.
  ///
  /// Blocks until the response has arrived. Call it only on a thread of your own, never from a task.
  public func size(of url: String, headers: Headers = [:]) throws(ClientError) -> Int64 {
    let response = try perform(ClientRequest(.head, url, headers: headers)) {
      MemoryReceiver(url: $0.url, limit: ClientError.refusalLimit)
    }.successful()
    guard let size = response.headers["Content-Length"].flatMap({ Int64($0) }) else {
      throw ClientError(
        .invalidResponse, "the server did not send the size", at: response.url,
        status: response.status)
    }
    return size
  }
}
