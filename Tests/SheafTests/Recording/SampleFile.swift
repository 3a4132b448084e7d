import Media
import Sheaf
import Timeline

/// The samples of a file, as a live source would deliver them.
struct SampleFile {
  let tracks: [RecordingTrack]
  /// The samples in the order of the file, each with the number of its track.
  let samples: [(track: Int, sample: EncodedSample)]

  /// Reads a file. `origin` is added to all times, as the clock of a source would.
  init(_ path: String, origin: RationalTime = .zero) throws {
    let demuxer = try Demuxer(source: FileByteSource(path: path), named: path)
    tracks = demuxer.streams.map {
      RecordingTrack($0.parameters, timescale: $0.timeBase.denominator)
    }
    var samples: [(track: Int, sample: EncodedSample)] = []
    let packet = try Packet()
    while try demuxer.read(into: packet) == .packet {
      let base = packet.timeBase
      samples.append(
        (
          packet.streamIndex,
          EncodedSample(
            bytes: packet.withUnsafeBytes { Array($0) },
            presentationTime: try base * (packet.time ?? 0) + origin,
            decodingTime: try base * (packet.decodingTime ?? 0) + origin,
            duration: try base * packet.duration, isSync: packet.isKey)
        ))
    }
    self.samples = samples
  }
}
