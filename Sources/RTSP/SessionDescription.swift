import Foundation

/// A server's description of its streams (SDP, RFC 8866), as far as they can be played.
package struct SessionDescription: Hashable, Sendable {
  /// A stream of pictures or sound over RTP.
  package struct Media: Hashable, Sendable {
    /// The kind of a stream.
    package enum Kind: String, Hashable, Sendable {
      case video = "video"
      case audio = "audio"
    }

    package let kind: Kind
    /// The payload type of its packets.
    package let payloadType: UInt8
    /// The encoding's name in upper case, such as `H264`.
    package fileprivate(set) var encoding = ""
    /// Ticks of its clock per second.
    package fileprivate(set) var clockRate: Int64 = 0
    /// The number of channels of sound, which follows the clock rate; empty if it is not stated.
    fileprivate(set) var channels = ""
    /// The parameters of the format, as they are stated.
    fileprivate(set) var format = ""
    /// The address or the relative address of the stream; `nil` if it is that of the session.
    fileprivate(set) var control: String?
  }

  /// The streams, in the order of the description.
  package private(set) var media: [Media] = []
  /// The address of all streams together, as it is stated.
  private(set) var control: String?

  /// The clock rates of RTP that are supported, in ticks per second.
  private static let rates: ClosedRange<Int64> = 1000...1_000_000
  /// The profiles of RTP: plain (RFC 3551), over TCP, and with feedback (RFC 4585).
  private static let profiles: Set<Substring> = ["RTP/AVP", "RTP/AVP/TCP", "RTP/AVPF"]
  /// The maximum number of streams.
  private static let mostMedia = 8
  /// The encodings with fixed payload types (RFC 3551, 6) that have no `rtpmap` attribute.
  private static let fixed: [UInt8: (encoding: String, rate: Int64, channels: String)] = [
    0: ("PCMU", 8000, "1"), 3: ("GSM", 8000, "1"), 8: ("PCMA", 8000, "1"), 9: ("G722", 8000, "1"),
    10: ("L16", 44_100, "2"), 11: ("L16", 44_100, "1"), 14: ("MPA", 90_000, ""),
    26: ("JPEG", 90_000, ""), 32: ("MPV", 90_000, ""),
  ]

  /// Reads a description. Streams that are neither pictures nor sound over RTP are left out.
  ///
  /// - Throws: ``RTSPError`` with code `invalid` or `unsupported`.
  package init(_ bytes: [UInt8]) throws(RTSPError) {
    let lines = String(decoding: bytes, as: UTF8.self).split { $0.isNewline }
    guard lines.first?.hasPrefix("v=0") == true else {
      throw RTSPError(.invalid, "the server does not describe its streams with SDP")
    }
    // Whether the lines belong to a stream that is left out.
    var isForeign = false
    for line in lines {
      if line.hasPrefix("m=") {
        let stream = Self.stream(line.dropFirst(2))
        isForeign = stream == nil
        if let stream { media.append(stream) }
      } else if line.hasPrefix("a="), !isForeign {
        take(line.dropFirst(2))
      }
    }
    media.removeAll { $0.clockRate <= 0 || $0.encoding.isEmpty || $0.encoding == "MP2T" }
    guard (1...Self.mostMedia).contains(media.count) else {
      throw RTSPError(
        .unsupported,
        media.isEmpty
          ? "the server offers neither pictures nor sound over RTP"
          : "the server offers too many streams")
    }
  }

  private static func stream(_ text: Substring) -> Media? {
    let words = text.split(separator: " ")
    guard words.count >= 4, let kind = Media.Kind(rawValue: String(words[0])),
      profiles.contains(words[2]), let type = UInt8(words[3]), type < 128
    else { return nil }
    var media = Media(kind: kind, payloadType: type)
    if let known = fixed[type] {
      (media.encoding, media.clockRate, media.channels) = known
    }
    return media
  }

  /// Takes an attribute of the session, or of the last stream.
  private mutating func take(_ attribute: Substring) {
    guard let colon = attribute.firstIndex(of: ":") else { return }
    let value = attribute[attribute.index(after: colon)...].trimmed
    guard let last = media.indices.last else {
      if attribute[..<colon] == "control" { control = ControlURL.checked(value) }
      return
    }
    switch attribute[..<colon] {
    case "control": media[last].control = ControlURL.checked(value)
    case "rtpmap":
      guard let text = Self.parameters(value, of: media[last].payloadType) else { return }
      let parts = text.split(separator: "/")
      guard parts.count >= 2, let rate = Int64(parts[1]), Self.rates.contains(rate),
        parts[0].utf8.allSatisfy({ (33..<127).contains($0) })
      else { return }
      media[last].encoding = parts[0].uppercased()
      media[last].clockRate = rate
      media[last].channels = parts.count > 2 && UInt8(parts[2]) != nil ? String(parts[2]) : ""
    case "fmtp":
      media[last].format = Self.parameters(value, of: media[last].payloadType) ?? ""
    default: break
    }
  }

  /// The rest of an attribute after the payload type; `nil` if that is another one.
  private static func parameters(_ value: String, of type: UInt8) -> String? {
    guard let space = value.firstIndex(of: " "), UInt8(value[..<space]) == type else { return nil }
    return value[space...].trimmed
  }
}

extension SessionDescription.Media {
  /// The value of a parameter of the format.
  func parameter(_ name: String) -> String? {
    for parameter in format.split(separator: ";") {
      let parts = parameter.split(separator: "=", maxSplits: 1)
      if parts.count == 2, parts[0].trimmed.lowercased() == name { return parts[1].trimmed }
    }
    return nil
  }

  /// The maximum number of parameter sets, and of their bytes together.
  private static let mostSets = (count: 16, size: 8 << 10)

  /// The parameter sets of H.264 and H.265 video that the description states; empty if there are too many.
  var parameterSets: [[UInt8]] {
    let names =
      switch encoding {
      case "H264": ["sprop-parameter-sets"]
      case "H265": ["sprop-vps", "sprop-sps", "sprop-pps"]
      default: [String]()
      }
    let sets = names.compactMap(parameter).flatMap { $0.split(separator: ",") }.compactMap {
      Data(base64Encoded: $0.trimmed).map(Array.init)
    }.filter { !$0.isEmpty }
    let isUsable =
      sets.count <= Self.mostSets.count
      && sets.reduce(0, { $0 + $1.count }) <= Self.mostSets.size
    return isUsable ? sets : []
  }
}
