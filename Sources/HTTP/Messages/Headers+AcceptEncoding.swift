extension Headers {
  /// Whether the client accepts content in the gzip format and does not prefer it uncompressed (`Accept-Encoding`,
  /// RFC 9110, section 12.5.3).
  ///
  /// The weight of a coding takes precedence over the weight of `*`. Without the header, the result is `false`.
  public var acceptsGzip: Bool {
    var weights: [String: Double] = [:]
    for entry in values(of: "Accept-Encoding").flatMap({ $0.split(separator: ",") }) {
      let parts = entry.lowercased().split(separator: ";").map {
        $0.split(separator: "=").map(\.trimmed)
      }
      guard let coding = parts.first?.first else { continue }
      let weight = parts.dropFirst().first { $0.first == "q" }
      weights[String(coding)] = weight.map { Double($0.last ?? "") ?? 0 } ?? 1
    }
    let gzip = weights["gzip"] ?? weights["x-gzip"] ?? weights["*"] ?? 0
    return gzip > 0 && gzip >= weights["identity"] ?? 0
  }
}
