import Foundation
import Media
import Recording
import Sheaf
import Support
import Synchronization
import Testing

/// Streams whose bytes were changed at random.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct MutatedStreamTests {
  private static let packet = 188

  /// A way to change a stream.
  enum Mutation: String, CaseIterable, Sendable {
    case flippedBits = "flipped bits"
    case lostPackets = "lost packets"
    case repeatedPackets = "repeated packets"
    case exchangedPackets = "exchanged packets"
    case otherIdentifiers = "other identifiers"
    case otherTimes = "other times"
    case lostBytes = "lost bytes"
    case noise = "noise"

    /// Changes a stream of whole packets.
    fileprivate func apply(to stream: inout [UInt8], _ random: inout SeededRandom) {
      let packets = stream.count / MutatedStreamTests.packet
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        let number = Int.random(in: 0..<packets, using: &random)
        let start = number * MutatedStreamTests.packet
        guard start + MutatedStreamTests.packet <= stream.count else { continue }
        let range = start..<start + MutatedStreamTests.packet
        switch self {
        case .flippedBits:
          let place = Int.random(in: range, using: &random)
          stream[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case .lostPackets: stream.removeSubrange(range)
        case .repeatedPackets: stream.insert(contentsOf: stream[range], at: start)
        case .exchangedPackets:
          let other = Int.random(in: 0..<packets, using: &random) * MutatedStreamTests.packet
          guard other + MutatedStreamTests.packet <= stream.count else { continue }
          for offset in 0..<MutatedStreamTests.packet {
            stream.swapAt(start + offset, other + offset)
          }
        case .otherIdentifiers:
          stream[start + 1] = UInt8.random(in: 0...255, using: &random)
          stream[start + 2] = UInt8.random(in: 0...255, using: &random)
        case .otherTimes:
          // The times of a packet that begins a picture or sound follow its header.
          for place in start + 13..<start + 23 {
            stream[place] = UInt8.random(in: 0...255, using: &random)
          }
        case .lostBytes:
          stream.removeSubrange(start..<start + Int.random(in: 1...187, using: &random))
        case .noise:
          for place in range { stream[place] = UInt8.random(in: 0...255, using: &random) }
        }
      }
    }
  }

  @Test(arguments: Mutation.allCases)
  func `a recorder survives any stream, and what it commits plays`(mutation: Mutation) throws {
    let folder = try TemporaryDirectory()
    let clip = folder.path("clip.ts")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x90:r=25", "-f", "lavfi", "-i",
        "sine=r=48000", "-t", "3", "-c:v", "libx264", "-preset", "ultrafast", "-g", "12", "-c:a",
        "aac", "-muxdelay", "0", clip,
      ])
    let original = [UInt8](try Data(contentsOf: URL(filePath: clip)))
    var random = SeededRandom(seed: UInt64(Mutation.allCases.firstIndex(of: mutation) ?? 0))
    var recorded = 0
    for round in 0..<12 {
      var stream = original
      mutation.apply(to: &stream, &random)
      let place = folder.path("\(round)")
      let told = try record(stream, in: place, folder.path("stream"))
      recorded += told.isEmpty ? 0 : 1
      for run in try RecordedMovie.runs(of: told) {
        let movie = folder.path("\(round).mp4")
        try RecordedMovie.write(run, to: movie)
        // The container is sound, and every packet is where its index says.
        let check = try Tool.output(
          of: "ffmpeg", ["-v", "error", "-i", movie, "-map", "0", "-c", "copy", "-f", "null", "-"])
        // A transport stream has no checksums of pictures and sound, so only their decoders notice a changed bit.
        let complaints = check.standardError.split(separator: "\n").filter {
          !$0.hasPrefix("[h264 @") && !$0.hasPrefix("[aac @")
        }
        #expect(complaints == [], "round \(round)")
      }
    }
    // Otherwise the test would show nothing.
    #expect(recorded >= 6)
  }

  /// Records a stream. The recorder may reject it with an error.
  ///
  /// - Returns: the parts with fragments.
  private func record(
    _ stream: [UInt8], in folder: String, _ file: String
  ) throws -> [RecordedMovie.Part] {
    try Data(stream).write(to: URL(filePath: file))
    let descriptor = open(file, O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    let parts = Mutex<[RecordedMovie.Part]>([])
    let recorder = LiveRecorder(
      LiveSource(taking: descriptor, named: "the source"), at: LiveRecorder.Place(folder: folder)
    ) { event in
      switch event {
      case .began(let part):
        parts.withLock {
          $0.append(
            RecordedMovie.Part(
              folder: "\(folder)/\(part.folderName)", start: part.start, fragments: []))
        }
      case .wrote(_, let fragment):
        parts.withLock { $0[$0.count - 1].fragments.append(fragment) }
      case .ended, .ignored: break
      }
    }
    do {
      try recorder.run()
    } catch let error as MediaError {
      #expect(
        ["not-media", "damaged", "unsupported-format"].contains(error.code.wireName), "\(error)")
    }
    return parts.withLock { $0.filter { !$0.fragments.isEmpty } }
  }
}
