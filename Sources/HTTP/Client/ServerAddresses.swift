import Foundation
import Synchronization

/// The addresses of servers that all answer the same requests, and the address that is in use.
///
/// Requests go to one address until it fails. Later ones go to the next address, and after the last to the first.
public final class ServerAddresses: Sendable {
  /// The base URLs, without a slash at their ends.
  public let all: [String]
  private let index = Mutex(0)

  /// Creates an empty list, with which only absolute URLs can be requested.
  public init() { all = [] }

  /// Creates the list for one server.
  public init(_ url: String) { all = [Self.trimmed(url)] }

  /// Creates a list of the distinct addresses. Returns `nil` if there are no addresses, or if their schemes or paths
  /// differ.
  public init?(_ urls: [String]) {
    var all: [String] = []
    for url in urls.map(Self.trimmed) where !all.contains(url) { all.append(url) }
    let parts = all.map { url in
      let parsed = URL(string: url)
      return [parsed?.scheme?.lowercased(), parsed?.path]
    }
    guard Set(parts).count == 1 else { return nil }
    self.all = all
  }

  private static func trimmed(_ url: String) -> String {
    url.hasSuffix("/") ? String(url.dropLast()) : url
  }

  /// The address in use; empty if there is none.
  public var current: String { index.withLock { all.isEmpty ? "" : all[$0] } }

  /// Whether there are addresses, and all of them are loopback addresses.
  public var areLoopback: Bool {
    !all.isEmpty
      && all.allSatisfy { address in
        guard let host = URLComponents(string: address)?.host else { return false }
        return host == "localhost"
          || LoopbackAddress.isNumeric(
            host.trimmingCharacters(in: CharacterSet(charactersIn: "[]")))
      }
  }

  /// Every address, the one in use first.
  var fromCurrent: [String] {
    let start = index.withLock(\.self)
    return Array(all[start...] + all[..<start])
  }

  /// Records that an address failed. If it is still in use, the next one is used from now on.
  func leave(_ address: String) {
    index.withLock { index in
      guard !all.isEmpty, all[index] == address else { return }
      index = (index + 1) % all.count
    }
  }

  /// The address that begins a URL; the URL itself if none does.
  public func address(in url: String) -> String {
    all.first { url == $0 || url.hasPrefix($0 + "/") } ?? url
  }
}

extension ServerAddresses: Hashable, CustomStringConvertible {
  /// Whether both lists contain the same addresses in the same order.
  public static func == (one: ServerAddresses, other: ServerAddresses) -> Bool {
    one.all == other.all
  }

  /// Hashes the addresses.
  public func hash(into hasher: inout Hasher) { hasher.combine(all) }

  /// All addresses for messages.
  public var description: String { all.joined(separator: ", ") }
}
