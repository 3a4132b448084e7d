import Confinement
import FarmAPI
import Foundation
import Preparation

/// A kind of media process, which answers requests.
protocol ChildService {
  associatedtype Request: Decodable
  /// The sandbox that the process enters once its first request has arrived.
  func sandbox(for first: Request) -> Sandbox
  func handle(_ request: Request) throws -> ChildAnswer
  /// Handles a request, and sends news with `tell` before the answer. One thread at a time may call `tell`.
  func handle(
    _ request: Request, telling tell: @escaping (ChildAnswer) throws -> Void
  ) throws -> ChildAnswer
  /// Takes a descriptor that comes with the next request.
  func take(_ descriptor: Int32)
}

extension ChildService {
  /// Handles a request that reports no news.
  func handle(
    _ request: Request, telling tell: @escaping (ChildAnswer) throws -> Void
  ) throws -> ChildAnswer { try handle(request) }

  /// Closes the descriptor, because the service uses none.
  func take(_ descriptor: Int32) { close(descriptor) }
}

extension String {
  /// The directory of a file.
  var directory: String { URL(fileURLWithPath: self).deletingLastPathComponent().path }
}
