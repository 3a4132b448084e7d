import FarmAPI
import Foundation
import Planning
import Timeline

/// A summary of a job in plain sentences.
package struct JobSummary: Sendable {
  package var job: JobStatus
  /// The file, if it is on this machine.
  package var path: String?
  /// The content of the file, if it was read.
  package var media: MediaIndex?
  /// The time that it took, in seconds.
  package var elapsed: Double?

  package init(_ job: JobStatus) {
    self.job = job
    elapsed = job.finishedAt.map { $0.timeIntervalSince(job.createdAt) }
  }

  /// The sentences about a completed job.
  package var sentences: [String] { [made, took].compactMap(\.self) + making }

  /// The sentences about how the frames are made, and why some of them are encoded; none if the job has failed or was
  /// cancelled.
  package var making: [String] {
    job.state == .failed || job.state == .cancelled ? [] : [origin, why].compactMap(\.self)
  }

  /// The verb of sentences about several frames.
  private var are: String { job.state == .completed ? "were" : "will be" }

  /// The length in seconds.
  private var duration: Double? {
    if let frames = job.frameCount, frames > 0, let frame = job.frameDuration {
      return Double(frames) * frame
    }
    return media?.duration.seconds
  }

  private var made: String {
    var parts: [String] = []
    if let frames = job.frameCount, frames > 0, let frame = job.frameDuration {
      parts.append(TimeText.frames(frames, ofSeconds: frame) + picture)
    } else if let media {
      parts.append(TimeText.seconds(media.duration.seconds) + picture)
    }
    if let output = job.output { parts.append("\(ByteCount(output.byteCount))") }
    let subject = path.map { "Made \($0)" } ?? "Job \(job.id) (\(job.name)) is complete"
    return subject + (parts.isEmpty ? "" : ": \(parts.joined(separator: ", "))") + "."
  }

  /// The codecs, the size and the rate.
  private var picture: String {
    guard let media else {
      return job.frameDuration.map { " at \(TimeText.rate(1 / $0))" } ?? ""
    }
    let sound = media.audio.first.map { Self.name(of: $0.codec) + " sound" }
    guard let video = media.video.first else { return sound.map { " of \($0)" } ?? "" }
    let rate = job.frameDuration.map { " and \(TimeText.rate(1 / $0))" } ?? ""
    return " of \(Self.name(of: video.codec)) at \(video.size.width)×\(video.size.height)\(rate)"
      + (sound.map { " with \($0)" } ?? "")
  }

  private var took: String? {
    guard let elapsed, elapsed > 0 else { return nil }
    let time = "It took \(TimeText.elapsed(elapsed))"
    guard let duration, duration > 0 else { return time + "." }
    return time + ", " + String(format: "%.2f× the speed of playback.", duration / elapsed)
  }

  /// How the frames are made.
  private var origin: String? {
    guard let total = job.frameCount, total > 0 else { return nil }
    guard job.framesCopied != nil || job.framesEncoded != nil else {
      return job.segmentsReused.map { "\($0) of \(job.segments.total) segments were reused." }
    }
    let kinds = [
      ("copied", job.framesCopied ?? 0), ("reused", job.framesReused ?? 0),
      ("encoded", job.framesEncoded ?? 0),
    ].filter { $0.1 > 0 }
    if kinds.count == 1 { return "All \(TimeText.grouped(total)) frames \(are) \(kinds[0].0)." }
    let list = kinds.map { "\(TimeText.grouped($0.1)) \(are) \($0.0)" }
    let last = list.last ?? ""
    return "Of \(TimeText.grouped(total)) frames, \(list.dropLast().joined(separator: ", "))"
      + " and \(last)."
  }

  /// The most frequent reasons for encoding frames; `nil` if the preset encodes every frame, or if nothing is encoded.
  private var why: String? {
    let reasons = (job.encodedBecause ?? []).filter { $0.kind != .preset }
    guard let first = reasons.first else { return nil }
    let others = reasons.dropFirst().prefix(Self.reasonLimit - 1)
    var list = others.map { "\(TimeText.grouped($0.frameCount)) because \($0.reason)" }
    let rest = reasons.dropFirst(Self.reasonLimit).reduce(0) { $0 + $1.frameCount }
    if rest > 0 { list.append("\(TimeText.grouped(rest)) for other reasons") }
    let isOne = first.frameCount == 1
    let subject = "\(isOne ? "frame" : "frames") \(isOne && are == "were" ? "was" : are)"
    var parts = [
      "\(TimeText.grouped(first.frameCount)) \(subject) encoded because \(first.reason)"
    ]
    let last = list.popLast()
    parts += list
    if let last { parts.append("and \(last)") }
    return parts.joined(separator: ", ") + "."
  }

  /// The number of reasons that are listed.
  private static let reasonLimit = 4

  /// The usual name of a codec.
  private static func name(of codec: String) -> String {
    [
      "h264": "H.264", "hevc": "H.265", "av1": "AV1", "vp9": "VP9", "prores": "ProRes",
      "aac": "AAC", "opus": "Opus", "flac": "FLAC", "alac": "ALAC",
    ][codec] ?? (codec.hasPrefix("pcm") ? "PCM" : codec)
  }
}

extension Console {
  /// Prints the summary of a completed job whose file is on the farm, and how to get it.
  func print(summaryOf job: JobStatus, at farm: FarmConnection) throws {
    for sentence in JobSummary(job).sentences { try print(prose: sentence) }
    for line in job.concealedLines { try print(prose: line) }
    if let deletion = job.outputDeletion { try print(prose: deletion.sentence) }
    guard let file = job.output else { return }
    try print("Save it with: \(farm.command("fetch", job.id, "-o", file.fileName))")
  }
}
