import Timeline

extension Mask {
  /// The problems of a mask that can be found without media.
  func findings(at path: FindingPath, assets: [String: Asset]) -> [Finding] {
    var findings: [Finding] = []
    if let asset, assets[asset] == nil {
      findings.append(.unknownAsset(asset, at: "\(path).map", assets: assets.keys))
    }
    return findings + Self.softnessFindings(softness, at: "\(path).softness")
      + progress.findings(at: "\(path).progress") { value, path in
        (0...1).contains(value)
          ? nil
          : Finding(
            path: path, problem: "\(value) is out of range", remedy: "use a value from 0 to 1")
      }
  }

  /// A finding if a softness is out of range.
  static func softnessFindings(_ softness: Double, at path: FindingPath) -> [Finding] {
    guard !(0...1).contains(softness) else { return [] }
    return [
      Finding(
        path: path, problem: "\(softness) is out of range",
        remedy: "use a value from 0 (a hard edge) to 1 (as wide as the whole movement)")
    ]
  }
}

extension MediaIndex {
  /// The minimum width and height of a map, in pixels.
  private static let leastMapSide = 16

  /// The problems that prevent the file from being the map of a mask.
  func mapFindings(named name: String, at path: FindingPath) -> [Finding] {
    let remedy = "use a grayscale image with at least \(Self.leastMapSide) pixels on each side"
    func finding(_ problem: String) -> [Finding] {
      [Finding(path: path, problem: "\"\(name)\" \(problem)", remedy: remedy)]
    }
    guard let stream = video.first, !stream.frames.times.isEmpty else {
      return finding("has no video")
    }
    guard isStillImage else { return finding("is not a still image, as a map must be") }
    guard stream.size.width >= Self.leastMapSide, stream.size.height >= Self.leastMapSide else {
      return finding("has \(stream.size) pixels, which is too small for a map")
    }
    switch isGrayscale {
    case true: return []
    case false: return finding("has colors, but a map must be grayscale")
    case nil: return finding("cannot be decoded")
    }
  }
}

extension Backdrop {
  /// The greatest standard deviation of a blur, in pixels.
  private static let greatestSigma = 10_000.0

  /// The problems of a backdrop.
  func findings(at path: FindingPath) -> [Finding] {
    var findings: [Finding] = []
    let numbers = [rect.x, rect.y, rect.width, rect.height]
    if let number = numbers.first(where: { !RenderLimits.coordinates.contains($0) }) {
      findings.append(RenderLimits.coordinateFinding(number, at: "\(path).rect"))
    } else if rect.width < 1 || rect.height < 1 {
      findings.append(
        Finding(
          path: "\(path).rect",
          problem: "\(rect.width) × \(rect.height) is too small for a backdrop",
          remedy: "use a width and a height of at least 1"))
    }
    if case .blur(let sigma) = fill, !(sigma > 0 && sigma <= Self.greatestSigma) {
      findings.append(
        Finding(
          path: "\(path).blur", problem: "\(sigma) is out of range",
          remedy: "use a standard deviation greater than 0 and at most 10000 pixels"))
    }
    return findings
  }
}

extension Finding {
  /// The finding for an asset that the project does not have.
  static func unknownAsset(
    _ asset: String, at path: FindingPath, assets: some Sequence<String>
  ) -> Finding {
    let known = assets.sorted().prefix(20).map(shown).joined(separator: ", ")
    return Finding(
      path: path, problem: "there is no asset \"\(shown(asset))\"",
      remedy: known.isEmpty ? "add it to \"assets\"" : "known assets: \(known)")
  }

  /// A name, shortened to 100 characters.
  private static func shown(_ name: String) -> String {
    name.count <= 100 ? name : "\(name.prefix(100))…"
  }
}
