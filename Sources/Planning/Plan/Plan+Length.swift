import Timeline

extension Plan {
  /// An estimate of the file's size in bytes; see
  /// ``ExportSettings/estimatedLength(size:frameDuration:duration:hasSound:)``.
  public var estimatedFileLength: Int {
    let sound = mix.flatMap {
      try? RationalTime($0.sampleCount - ($0.skippedSamples ?? 0), Int64($0.settings.sampleRate))
    }
    let pictures = try? frameDuration * Int64(frameCount)
    return export.estimatedLength(
      size: frameCount > 0 ? renderSize : nil, frameDuration: frameDuration,
      duration: (frameCount > 0 ? pictures : sound) ?? .zero, hasSound: mix != nil)
  }
}
