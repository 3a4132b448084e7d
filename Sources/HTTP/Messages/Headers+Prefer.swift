extension Headers {
  /// How long the client is willing to wait for a response (`Prefer: wait=20`, RFC 7240), or `nil` if the header is
  /// missing.
  public var preferredWait: Duration? {
    for preference in values(of: "Prefer").flatMap({ $0.split(separator: ",") }) {
      let parts = preference.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
        .map(\.trimmed)
      guard parts.count == 2, parts[0].lowercased() == "wait" else { continue }
      return UInt16(parts[1]).map { .seconds(Int($0)) }
    }
    return nil
  }
}
