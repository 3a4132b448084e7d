extension VideoSettings {
  /// How chroma is sampled.
  public enum Chroma: String, Hashable, Codable, Sendable {
    /// At every second pixel of a row, in each row.
    case half = "4:2:2"
    /// At every pixel.
    case full = "4:4:4"
  }

  /// The field of an interlaced frame that is shown first.
  public enum Field: String, Hashable, Codable, Sendable {
    /// The field with the first row.
    case top = "top"
    /// The field with the second row.
    case bottom = "bottom"
  }
}

extension VideoStream {
  /// The field that is shown first; `nil` if the file does not declare the frames as interlaced.
  package var firstField: VideoSettings.Field? {
    switch fieldOrder {
    case "tt", "bt": .top
    case "bb", "tb": .bottom
    default: nil
    }
  }
}
