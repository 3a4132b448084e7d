import Crypto
import FarmAPI
import Recording
import Timeline

/// The requests to `record`.
package enum RecordingRequest: Hashable, Codable, Sendable {
  /// The first request, with the descriptor of the source, or of its first device.
  case begin(RecordingBeginning)
  /// The descriptor of the source's next device.
  case attach
  /// Wait for events, but not much longer than these milliseconds.
  case next(milliseconds: Int)
  /// End the recording soon. Events follow until it has ended.
  case stop
}

/// Describes a recording that begins, or continues after an interruption of its source.
package struct RecordingBeginning: Hashable, Codable, Sendable {
  /// The source's name in messages.
  package var name: String
  package var folder: String
  /// The number of the first part.
  package var firstPart: Int
  /// The start of that part in seconds of the recording, if the source sends immediately.
  package var start: RationalTime
  /// Whether fragments are flushed to disk before they are reported.
  package var isDurable: Bool
  /// How the stream arrives at the descriptor.
  package var delivery: Delivery
  /// Whether the stream may be a file of uncompressed pictures or sound.
  package var mayBeFile: Bool
  /// How to encode streams that MP4 files cannot hold.
  package var encoding: RecordingEncoding

  /// How a stream arrives.
  package enum Delivery: Hashable, Codable, Sendable {
    /// The descriptor delivers the stream.
    case plain
    /// The descriptor delivers the stream, and its sender waits for the disk.
    case waiting
    /// The descriptor is a datagram socket that is connected to the sender. The recorder opens the SRT connection.
    case srtCaller(RecordingPassphrase?)
    /// The descriptor is a bound datagram socket. The sender opens the SRT connection.
    case srtListener(RecordingPassphrase?)

    /// The descriptor is a connection that a sender opened. The sender publishes over RTMP, with this stream key.
    case rtmp(key: RecordingPassphrase?)
    /// The descriptor is a connection to an RTSP server. The recorder asks it for the stream at a URL, with a user and a
    /// password as `user:password`.
    case rtsp(url: String, RecordingPassphrase?)
    /// The descriptor is a capture device. Those of other devices follow, in the order of the source.
    case devices(RecordingSource, CaptureSettings)

    /// Whether the stream arrives over SRT.
    package var usesSRT: Bool {
      switch self {
      case .plain, .waiting, .rtmp, .rtsp, .devices: false
      case .srtCaller, .srtListener: true
      }
    }

    /// The capture devices that deliver the stream; empty for other sources.
    package var devices: [CaptureDevice] {
      if case .devices(let source, _) = self { source.devices } else { [] }
    }
  }

  package init(
    name: String, folder: String, firstPart: Int, start: RationalTime, isDurable: Bool,
    delivery: Delivery = .plain, mayBeFile: Bool = false,
    encoding: RecordingEncoding = RecordingEncoding()
  ) {
    self.name = name
    self.folder = folder
    self.firstPart = firstPart
    self.start = start
    self.isDurable = isDurable
    self.delivery = delivery
    self.mayBeFile = mayBeFile
    self.encoding = encoding
  }
}

/// A recorder's events since the last request.
package struct RecordingNews: Hashable, Codable, Sendable {
  /// The events, in order.
  package var events: [RecorderEvent]
  /// Whether the recording has ended, so that nothing follows.
  package var hasEnded: Bool
  /// The reason why it failed; `nil` if the source ended or ``RecordingRequest/stop`` was sent.
  package var failure: JobFailure?

  package init(events: [RecorderEvent], hasEnded: Bool, failure: JobFailure? = nil) {
    self.events = events
    self.hasEnded = hasEnded
    self.failure = failure
  }
}

/// A request to `join`, which makes ordinary files of a recording.
package struct JoiningRequest: Hashable, Codable, Sendable {
  /// A part of a recording.
  package struct Part: Hashable, Codable, Sendable {
    package var folder: String
    /// Its start in seconds of the recording.
    package var start: RationalTime
    /// Its fragments, in order.
    package var fragments: [RecordedFragment]

    package init(folder: String, start: RationalTime, fragments: [RecordedFragment]) {
      self.folder = folder
      self.start = start
      self.fragments = fragments
    }
  }

  /// The recording's name in messages.
  package var name: String
  /// The parts, in order.
  package var parts: [Part]
  /// The length in seconds of each file, at least; `nil` for one file of each run of parts in one format.
  package var splitLength: RationalTime?
  /// The folder for the files, which are named `0.mp4`, `1.mp4` and so on.
  package var output: String
  /// Whether the files are flushed to disk.
  package var isDurable: Bool

  package init(
    name: String, parts: [Part], splitLength: RationalTime? = nil, output: String, isDurable: Bool
  ) {
    self.name = name
    self.parts = parts
    self.splitLength = splitLength
    self.output = output
    self.isDurable = isDurable
  }
}
