import Timeline

/// Reads the clean aperture (`clap`) of a video track from a QuickTime or MP4 file, which libav 5.1 ignores.
enum CleanAperture {
  /// The clean aperture of a track in coded pixels; `nil` if there is none.
  static func read(
    from source: any ByteSource, of demuxer: Demuxer, stream: Int, size: PixelSize
  ) throws -> PixelRect? {
    guard demuxer.format.hasPrefix("mov,") else { return nil }
    let entries = try SampleEntries(of: source, named: demuxer.name)
    guard stream < entries.tracks.count, let entry = entries.tracks[stream].first,
      let clap = try entries.boxes(inVideo: entry).first(where: { $0.type == "clap" })
    else { return nil }
    return rectangle(try entries.bytes(of: clap, count: 32), size: size)
  }

  /// ISO 14496-12, 12.1.4: width, height, horizontal and vertical offset of the center, each a fraction.
  private static func rectangle(_ bytes: [UInt8], size: PixelSize) -> PixelRect? {
    guard bytes.count == 32 else { return nil }
    let numbers = stride(from: 0, to: 32, by: 4).map { start in
      Int32(bitPattern: bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    guard stride(from: 1, to: 8, by: 2).allSatisfy({ numbers[$0] != 0 }) else { return nil }
    let values = stride(from: 0, to: 8, by: 2).map { Double(numbers[$0]) / Double(numbers[$0 + 1]) }
    let (width, height) = (values[0], values[1])
    guard width > 0, height > 0, width <= Double(size.width), height <= Double(size.height) else {
      return nil
    }
    return PixelRect(
      x: (Double(size.width) - width) / 2 + values[2],
      y: (Double(size.height) - height) / 2 + values[3], width: width, height: height)
  }
}
