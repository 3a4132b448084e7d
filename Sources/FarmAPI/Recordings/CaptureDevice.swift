/// A capture device of the coordinator's host.
public enum CaptureDevice: Hashable, Sendable {
  /// A camera or another video device of V4L2, by its path below `/dev`.
  case video(path: String)
  /// A device of a sound card of ALSA. The card is its number or its id.
  case sound(card: String, device: Int)

  /// Whether it is a video device.
  public var isVideo: Bool {
    if case .video = self { true } else { false }
  }

  /// The scheme of addresses of video devices.
  static let videoScheme = "v4l2"
  /// The scheme of addresses of sound cards.
  static let soundScheme = "alsa"

  /// Reads an address such as `v4l2:///dev/video0`, `alsa://hw:1,0` or `alsa://hw:Loopback`. Returns `nil` for other text.
  public init?(_ text: String) {
    let prefixes = (video: "\(Self.videoScheme)://", sound: "\(Self.soundScheme)://hw:")
    if text.hasPrefix(prefixes.video) {
      let path = text.dropFirst(prefixes.video.count)
      let names = path.split(separator: "/", omittingEmptySubsequences: false)
      guard names.count > 2, names[0].isEmpty, names[1] == "dev",
        names.dropFirst(2).allSatisfy({ Self.isName($0) }), path.utf8.count <= 255
      else { return nil }
      self = .video(path: String(path))
    } else if text.hasPrefix(prefixes.sound) {
      let parts = text.dropFirst(prefixes.sound.count)
        .split(separator: ",", omittingEmptySubsequences: false)
      guard let card = parts.first, Self.isName(card), parts.count <= 2,
        let device = UInt8(parts.count == 2 ? String(parts[1]) : "0")
      else { return nil }
      self = .sound(card: String(card), device: Int(device))
    } else {
      return nil
    }
  }

  /// Whether text can be the name of a file or of a card, and no path.
  private static func isName(_ text: Substring) -> Bool {
    !text.isEmpty && !text.allSatisfy { $0 == "." }
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte) || "-._:@".utf8.contains(byte)
      }
  }
}

extension CaptureDevice: CustomStringConvertible {
  /// The address as ``init(_:)`` reads it.
  public var description: String {
    switch self {
    case .video(let path): "\(Self.videoScheme)://\(path)"
    case .sound(let card, let device): "\(Self.soundScheme)://hw:\(card),\(device)"
    }
  }
}
