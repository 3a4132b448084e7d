import Foundation

/// Finds the places of a media file's packets with `ffprobe`, and damages them.
public enum PacketPlaces {
  /// The position and size in bytes of each packet that has a position, in the order in which ffprobe reads them.
  ///
  /// - Parameter stream: a stream specifier of ffprobe, such as `v:0`; all streams by default.
  public static func of(
    _ path: String, stream: String? = nil
  ) throws -> [(position: Int, size: Int)] {
    let selection = stream.map { ["-select_streams", $0] } ?? []
    let text = String(
      decoding: try Tool.run(
        "ffprobe",
        ["-v", "error"] + selection + ["-show_entries", "packet=pos,size", "-of", "csv=p=0", path]),
      as: UTF8.self)
    return text.split(separator: "\n").compactMap { line -> (position: Int, size: Int)? in
      // ffprobe prints the size first, whatever the order in the command.
      let numbers = line.split(separator: ",").compactMap { Int($0) }
      return numbers.count >= 2 ? (position: numbers[1], size: numbers[0]) : nil
    }
  }

  /// Overwrites packets from a third of their length on.
  ///
  /// - Parameters:
  ///   - packets: the packets' places in the list of ``of(_:stream:)``.
  ///   - stream: the stream that has them; all streams by default.
  public static func overwrite(
    _ packets: some Sequence<Int>, of path: String, stream: String? = nil
  ) throws {
    let places = try of(path, stream: stream)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for packet in packets {
      let (position, size) = places[packet]
      for place in position + size / 3..<position + size {
        bytes[place] = 0xA5 ^ UInt8(place & 0xFF)
      }
    }
    try bytes.write(to: URL(fileURLWithPath: path))
  }
}
