import Foundation

/// The server to which a ``Relay`` passes connections on.
public struct RelayTarget: Hashable, Sendable, CustomStringConvertible {
  /// The address and the port on which the server's ``RelayEntrance`` listens.
  public let place: SocketPlace
  /// The key that the entrance requires.
  public let key: String

  /// Creates a target.
  public init(_ place: SocketPlace, key: String) {
    self.place = place
    self.key = key
  }

  /// The place. The key is never shown.
  public var description: String { "\(place)" }

  /// The line with which a relay introduces a connection of a client.
  package func introduction(of client: String) -> [UInt8] {
    // The scope of a link-local address means nothing on another host.
    let text = "\(Self.protocolName) \(key) \(client.prefix { $0 != "%" })"
    let padding = max(0, Self.introductionLength - 1 - text.utf8.count)
    return Array(text.utf8) + Array(repeating: UInt8(ascii: " "), count: padding)
      + [UInt8(ascii: "\n")]
  }

  /// The address of the client in an introduction; `nil` if the introduction is not for this key.
  static func client(in introduction: [UInt8], key: String) -> InternetAddress? {
    let words = String(decoding: introduction, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard words.count == 3, words[0] == protocolName, Self.isEqual(String(words[1]), key) else {
      return nil
    }
    return InternetAddress(String(words[2]))
  }

  /// Compares two texts in a time that depends only on their lengths.
  private static func isEqual(_ one: String, _ other: String) -> Bool {
    guard one.utf8.count == other.utf8.count else { return false }
    return zip(one.utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private static let protocolName = "SHEAF-RELAY/1"
  /// The length of an introduction in bytes. It is fixed, so that the entrance reads nothing of what the client sent.
  static let introductionLength = 160
}
