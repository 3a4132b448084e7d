import Crypto
import Foundation
import Media
import Recording
import Sheaf
import Support
import Synchronization
import Testing
import Timeline

@Suite(.mayBlock) struct RecordingWriterTests {
  private let folder: TemporaryDirectory
  private let clip: String
  private let file: SampleFile

  /// Eight seconds with B-frames and a keyframe every 12 frames at 24 frames a second, and sound.
  init() throws {
    folder = try TemporaryDirectory()
    clip = folder.path("clip.mp4")
    let pictures = folder.path("pictures.mp4")
    try FrameNamingClip(
      source: 7, frameCount: 192, rate: "24",
      encoding: FrameNamingClip.h264 + ["-sc_threshold", "0"]
    ).write(to: pictures)
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", pictures, "-f", "lavfi", "-i", "sine=r=48000:d=8", "-c:v", "copy",
        "-c:a", "aac", "-shortest", clip,
      ])
    file = try SampleFile(clip, origin: RationalTime(1000))
  }

  /// Collects what a writer reports.
  private final class Notes: RecordingWriterDelegate {
    struct Content: Sendable {
      var fragments: [RecordedFragment] = []
      var failures: [String] = []
      var finished = 0
    }
    let content = Mutex(Content())

    var fragments: [RecordedFragment] { content.withLock { $0.fragments } }

    func recordingWriter(_ writer: RecordingWriter, didWrite fragment: RecordedFragment) {
      content.withLock { $0.fragments.append(fragment) }
    }

    func recordingWriter(_ writer: RecordingWriter, didFailWith error: any Error) {
      content.withLock { $0.failures.append("\(error)") }
    }

    func recordingWriterDidFinish(_ writer: RecordingWriter) {
      content.withLock { $0.finished += 1 }
    }
  }

  private var part: String { folder.path("part") }

  private func writer(
    _ notes: Notes, _ settings: RecordingSettings = RecordingSettings()
  ) throws -> RecordingWriter {
    let writer = RecordingWriter(folder: part, settings: settings, delegate: notes)
    for track in file.tracks {
      #expect(writer.canAdd(track))
      _ = try writer.add(track)
    }
    try writer.startWriting()
    return writer
  }

  /// Joins the fragments, and returns the path of the file.
  private func movie(_ fragments: [RecordedFragment]) throws -> String {
    let path = folder.path("movie.mp4")
    let content = try RecordedMovie.write(
      [RecordedMovie.Part(folder: part, start: .zero, fragments: fragments)], to: path)
    #expect(try WrittenContent.of(file: path) == content)
    let check = try Tool.output(of: "ffmpeg", ["-v", "error", "-i", path, "-f", "null", "-"])
    #expect(check.standardError == "")
    return path
  }

  /// The time of presentation and the SHA-256 of every packet of a stream that is presented at zero or later.
  private func packets(of path: String, _ stream: String) throws -> [String] {
    let text = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", stream, "-show_data_hash", "sha256", "-show_entries",
        "packet=pts_time,data_hash", "-of", "csv=p=0", path,
      ])
    // Side data has lines of its own.
    return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
      .filter { $0.first?.isNumber == true }
  }

  private func names(_ frames: Range<Int>) -> [FrameName] {
    frames.map { FrameName(source: 7, frame: $0) }
  }

  @Test func `every sample from the first keyframe on is in the file, in place`() async throws {
    let notes = Notes()
    let writer = try writer(notes)
    #expect(writer.isReadyForMoreMediaData)
    for (track, sample) in file.samples { try writer.append(sample, to: track) }
    try await writer.finishWriting()
    #expect(writer.status == .finished)
    #expect(writer.sessionStart == RationalTime(1000))
    // The encoder's first packet of sound is presented before the first picture.
    #expect(writer.losses.beforeStart == 1)
    let fragments = notes.fragments
    #expect(fragments.map(\.number) == Array(1...8))
    #expect(fragments.allSatisfy { $0.gaps.isEmpty && $0.beginsWithKeyframe })
    #expect(fragments.map(\.start) == (0..<8).map { RationalTime($0) })
    #expect(fragments.map(\.end) == (1...8).map { RationalTime($0) })
    let sampleCounts = (0..<2).map { track in fragments.reduce(0) { $0 + $1.sampleCounts[track] } }
    #expect(sampleCounts == [192, 375])
    let movie = try movie(fragments)
    for stream in ["v:0", "a:0"] {
      let expected = try packets(of: clip, stream)
      let recorded = try packets(of: movie, stream)
      #expect(recorded.count == expected.count)
      #expect(zip(recorded, expected).first { $0 != $1 } == nil)
    }
    #expect(try FrameNameReader.names(in: movie) == names(0..<192))
    try await eventually("the delegate is told") { notes.content.withLock { $0.finished } == 1 }
  }

  @Test func `a recording that joins a running stream begins with its next keyframe`() throws {
    let notes = Notes()
    let writer = try writer(notes)
    for (track, sample) in file.samples.dropFirst(50) { try writer.append(sample, to: track) }
    try writer.finishWritingAndWait()
    let first = try #require(writer.sessionStart)
    let skipped = Int(try (first - RationalTime(1000)).ticks(of: RationalTime(1, 24)))
    #expect(skipped > 0 && skipped % 12 == 0)
    #expect(writer.losses.beforeStart > 0)
    #expect(
      try FrameNameReader.names(in: movie(notes.fragments)) == names(skipped..<192))
  }

  @Test func `damage costs the rest of its group, and the gap is recorded`() throws {
    let notes = Notes()
    let writer = try writer(notes)
    let frame = { (number: Int64) in try RationalTime(number, 24) }
    // Bytes of two keyframes did not arrive.
    let lost = [try frame(24) + RationalTime(1000), try frame(96) + RationalTime(1000)]
    for (track, sample) in file.samples {
      var sample = sample
      if track == 0, lost.contains(sample.presentationTime) { sample.isDamaged = true }
      try writer.append(sample, to: track)
    }
    try writer.finishWritingAndWait()
    #expect(writer.losses.damagedSamples == 24)
    let gaps = notes.fragments.flatMap(\.gaps)
    #expect(
      gaps == [
        RecordingGap(track: 0, start: try frame(24), end: try frame(36)),
        RecordingGap(track: 0, start: try frame(96), end: try frame(108)),
      ])
    #expect(
      try FrameNameReader.names(in: movie(notes.fragments))
        == names(0..<24) + names(36..<96) + names(108..<192))
  }

  @Test func `sound does not wait for pictures that do not come`() async throws {
    let notes = Notes()
    let writer = try writer(notes)
    for (track, sample) in file.samples {
      // No picture after the second second.
      if track == 0, sample.presentationTime >= RationalTime(1002) { continue }
      try writer.append(sample, to: track)
    }
    try await eventually("the sound is committed") {
      notes.fragments.reduce(0) { $0 + $1.sampleCounts[1] } > 250
    }
    try writer.cancelWriting()
  }

  @Test func `a slow disk costs whole groups, and appending never waits`() throws {
    let notes = Notes()
    var settings = RecordingSettings()
    settings.queueLimit = 1
    let writer = try writer(notes, settings)
    // Far faster than any disk: nearly all groups arrive while the first one is being written.
    for (track, sample) in file.samples { try writer.append(sample, to: track) }
    try writer.finishWritingAndWait()
    let kept = notes.fragments.reduce(0) { $0 + $1.sampleCounts[0] }
    #expect(kept % 12 == 0)
    #expect(writer.losses.droppedGroups == 16 - kept / 12)
    let frames = try FrameNameReader.names(in: movie(notes.fragments)).compactMap(\.self)
    #expect(frames.count == kept)
    #expect(frames.map(\.frame) == frames.map(\.frame).sorted())
    // Every gap between two frames is recorded.
    let steps = zip(frames, frames.dropFirst()).filter { $1.frame != $0.frame + 1 }
    let gaps = notes.fragments.flatMap(\.gaps).filter { $0.track == 0 }
    #expect(
      try gaps.filter { $0.start > .zero }
        == steps.map {
          RecordingGap(
            track: 0, start: try RationalTime(Int64($0.frame + 1), 24),
            end: try RationalTime(Int64($1.frame), 24))
        })
  }

  @Test(.enabled(if: SmallDisk.isAvailable))
  func `a full disk fails the recording by name, and keeps what was written`() throws {
    let disk = try SmallDisk(mebibytes: 1)
    let notes = Notes()
    let recording = RecordingWriter(folder: disk.directory.path("part"), delegate: notes)
    for track in file.tracks { _ = try recording.add(track) }
    try recording.startWriting()
    try disk.fill(butFor: 40_000)
    var thrown: (any Error)?
    do {
      for (track, sample) in file.samples { try recording.append(sample, to: track) }
      try recording.finishWritingAndWait()
    } catch {
      thrown = error
    }
    let error = try #require(thrown as? MediaError)
    #expect(error.code == .writeFailed)
    #expect(error.systemError == ENOSPC)
    #expect(recording.status == .failed)
    let names = try FileManager.default.contentsOfDirectory(atPath: disk.directory.path("part"))
    #expect(!names.contains { $0.hasSuffix(".partial") })
    #expect(names.count == notes.fragments.count + 1)
    #expect(notes.fragments.count > 0)
    let path = folder.path("kept.mp4")
    try RecordedMovie.write(
      [
        RecordedMovie.Part(
          folder: disk.directory.path("part"), start: .zero, fragments: notes.fragments)
      ],
      to: path)
    let kept = notes.fragments.reduce(0) { $0 + $1.sampleCounts[0] }
    #expect(try FrameNameReader.names(in: path) == self.names(0..<kept))
  }

  @Test func `a cancelled recording leaves nothing`() throws {
    let notes = Notes()
    let writer = try writer(notes)
    for (track, sample) in file.samples.prefix(200) { try writer.append(sample, to: track) }
    try writer.cancelWriting()
    #expect(writer.status == .cancelled)
    #expect(!FileManager.default.fileExists(atPath: part))
    #expect(throws: RecordingError.self) { try writer.append(file.samples[0].sample, to: 0) }
  }

  @Test func `parts stay apart by the time between them`() throws {
    var parts: [RecordedMovie.Part] = []
    for number in 0..<2 {
      let notes = Notes()
      let writer = RecordingWriter(folder: folder.path("part-\(number)"), delegate: notes)
      for track in file.tracks { _ = try writer.add(track) }
      try writer.startWriting()
      for (track, sample) in file.samples { try writer.append(sample, to: track) }
      try writer.finishWritingAndWait()
      parts.append(
        RecordedMovie.Part(
          folder: folder.path("part-\(number)"), start: RationalTime(Int64(number) * 11),
          fragments: notes.fragments))
    }
    #expect(try RecordedMovie.runs(of: parts).map(\.count) == [2])
    let path = folder.path("movie.mp4")
    try RecordedMovie.write(parts, to: path)
    let times = try packets(of: path, "v:0").compactMap { Double($0.prefix { $0 != "," }) }.sorted()
    #expect(times.count == 384)
    #expect(times[191] < 8)
    #expect(times[192] == 11)
    #expect(try FrameNameReader.names(in: path) == names(0..<192) + names(0..<192))
  }

  @Test func `a fragment that changed on disk is not used`() throws {
    let notes = Notes()
    let writer = try writer(notes)
    for (track, sample) in file.samples { try writer.append(sample, to: track) }
    try writer.finishWritingAndWait()
    try FileDamage.flipBit(of: part + "/" + RecordedFragment.fileName(3), at: 2000)
    let error = #expect(throws: MediaError.self) { try movie(notes.fragments) }
    #expect(error?.code == .damagedAsset)
    #expect(error?.message.contains(RecordedFragment.fileName(3)) == true)
  }

  @Test func `a track that MP4 cannot hold is rejected by name`() throws {
    let writer = RecordingWriter(folder: part)
    let track = RecordingTrack(
      try StreamParameters(codec: "rawvideo", parameterSets: []), timescale: 90_000)
    #expect(!writer.canAdd(track))
    let error = #expect(throws: MediaError.self) { try writer.add(track) }
    #expect(error?.message.contains("rawvideo") == true)
  }
}
