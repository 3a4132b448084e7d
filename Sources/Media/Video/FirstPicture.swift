import CFFmpeg
import Timeline

/// Reads the picture that a file shows first.
public enum FirstPicture {
  /// The first picture of a file's first video stream.
  ///
  /// - Throws: ``MediaError``.
  public static func read(_ source: any ByteSource, named name: String) throws -> Frame {
    let demuxer = try Demuxer(source: source, named: name)
    guard let stream = demuxer.streams.first(where: { $0.mediaKind == .video }) else {
      throw MediaError(.noVideoStream, "there is no video", on: name)
    }
    demuxer.select(streams: [stream.index])
    let decoder = try VideoDecoder(stream, named: name)
    let packet = try Packet()
    var hasEnded = false
    while true {
      switch try decoder.receive() {
      case .frame(let frame):
        if frame.pixelAspectRatio == nil, let ratio = stream.pixelAspectRatio {
          frame.pointer.pointee.sample_aspect_ratio = AVRational(
            num: Int32(clamping: ratio.numerator), den: Int32(clamping: ratio.denominator))
        }
        return frame
      case .endOfStream:
        throw MediaError(.frameMissing, "there is no picture", on: name)
      case .needsInput:
        guard !hasEnded else { throw MediaError(.frameMissing, "there is no picture", on: name) }
        switch try demuxer.read(into: packet) {
        case .packet: try decoder.send(packet)
        case .endOfStream:
          hasEnded = true
          try decoder.send(nil)
        }
      }
    }
  }
}
