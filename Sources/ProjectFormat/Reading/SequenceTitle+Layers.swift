import Timeline

extension SequenceTitle {
  /// The lines of the text.
  var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

  /// The roles and the names of credits, line by line. A line without a colon is a name without a role.
  private var credits: (roles: String, names: String) {
    let pairs = lines.map { line -> (Substring, Substring) in
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 ? (parts[0], parts[1]) : ("", line)
    }
    func column(_ words: [Substring]) -> String {
      // A line without letters would be lower than the others.
      words.map { $0.allSatisfy(\.isWhitespace) ? "\u{a0}" : Self.trimmed($0) }
        .joined(separator: "\n")
    }
    return (column(pairs.map(\.0)), column(pairs.map(\.1)))
  }

  private static func trimmed(_ text: Substring) -> String {
    let body = text.drop(while: \.isWhitespace)
    return String(body.reversed().drop(while: \.isWhitespace).reversed())
  }

  /// The title as a group of layers.
  ///
  /// - Parameters:
  ///   - frame: The size of the output.
  ///   - end: The end of the sequence.
  /// - Returns: `nil` if the times cannot be computed.
  func layer(in frame: PixelSize, until end: RationalTime) -> AnimationLayer? {
    guard let rest = try? end - start else { return nil }
    let length = duration ?? max(rest, Self.shortest)
    guard length > .zero, let range = try? TimeRange(start: start, duration: length),
      let template = try? JSONParser.parse(Array(design.layers.utf8))
    else { return nil }
    let filled = template.filled(with: values, in: self)
    guard var layers = filled.animation(in: frame)?.layers else { return nil }
    Self.removeEmpty(&layers)
    TitleFit.fit(&layers, into: Double(frame.width) * design.width)
    let time = TitleTime(range)
    for number in layers.indices { time.place(&layers[number]) }
    return AnimationLayer(.group(layers), timeRange: range)
  }

  /// Removes the layers of texts that the title does not have, and groups without layers.
  private static func removeEmpty(_ layers: inout [AnimationLayer]) {
    for number in layers.indices {
      guard case .group(var inner) = layers[number].content else { continue }
      removeEmpty(&inner)
      layers[number].content = .group(inner)
    }
    layers.removeAll { layer in
      switch layer.content {
      case .text(let text): text.text.isEmpty
      case .group(let inner): inner.isEmpty
      default: false
      }
    }
  }

  /// The height of credits in font sizes, rounded up: lines of 1.4 font sizes, and one more.
  private var height: Int { (7 * (lines.count + 1) + 4) / 5 }

  /// The value of a marker `{+N}`: N for each line after the first, up to twelve.
  fileprivate func growth(_ marker: Substring) -> String? {
    guard marker.hasPrefix("{+"),
      let step = try? RationalTime(String(marker.dropFirst(2).dropLast()))
    else { return nil }
    return (try? step * Int64(min(lines.count - 1, 12)))?.description
  }

  private var design: TitleDesign { TitleDesign.of(template, style) }

  /// The values of the markers in the template's texts.
  private var values: [String: String] {
    let design = design
    let credits = credits
    let accent = color ?? Color(design.accent) ?? .black
    return [
      "{text}": text, "{TEXT}": text.uppercased(), "{subtitle}": subtitle ?? "",
      "{SUBTITLE}": (subtitle ?? "").uppercased(), "{roles}": credits.roles,
      "{names}": credits.names, "{height}": "\(height)",
      "{font}": family ?? design.family, "{accent}": accent.description,
      "{onAccent}": accent.luminance > 0.179 ? "#000000" : "#ffffff",
    ]
  }
}

extension Color {
  /// The relative luminance, as WCAG 2 defines it for sRGB.
  fileprivate var luminance: Double {
    func linear(_ value: UInt8) -> Double {
      let base = (Double(value) / 255 + 0.055) / 1.055
      guard value > 10 else { return Double(value) / 255 / 12.92 }
      // The power of 2.4, from square roots: 2 + 1/4 + 1/8 + 1/32 is 2.406.
      let fourth = base.squareRoot().squareRoot()
      let eighth = fourth.squareRoot()
      return base * base * fourth * eighth * eighth.squareRoot().squareRoot()
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }
}

extension JSONValue {
  /// The template with its markers replaced. Of `[A|B]` in a text, A remains if there is a subtitle, and B otherwise.
  fileprivate func filled(with values: [String: String], in title: SequenceTitle) -> JSONValue {
    switch self {
    case .string(let text):
      if let value = values[text] { return .string(value) }
      var rest = text[...]
      var result = ""
      while let open = rest.firstIndex(where: { $0 == "[" || $0 == "{" }) {
        let close: Character = rest[open] == "[" ? "]" : "}"
        guard let end = rest[open...].firstIndex(of: close) else { break }
        result += rest[..<open]
        let marker = rest[open...end]
        let parts = marker.dropFirst().dropLast()
          .split(separator: "|", omittingEmptySubsequences: false)
        result +=
          parts.count == 2
          ? String(title.subtitle != nil ? parts[0] : parts[1])
          : values[String(marker)] ?? title.growth(marker) ?? String(marker)
        rest = rest[end...].dropFirst()
      }
      return .string(result + rest)
    case .array(let elements):
      return .array(elements.map { $0.filled(with: values, in: title) })
    case .object(let object):
      var filled = JSONObject()
      for key in object.keys {
        guard let value = object[key] else { continue }
        _ = filled.insert(key, value.filled(with: values, in: title))
      }
      return .object(filled)
    case .number, .bool, .null: return self
    }
  }
}
