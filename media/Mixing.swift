import Confinement
import Crypto
import Foundation
import Media
import Planning
import Preparation
import Rendering

/// The service `mix`, which mixes a job's sound or copies it.
struct Mixing: ChildService {
  func sandbox(for first: MixRequest) -> Sandbox {
    Sandbox(
      limits: .mix, readable: [first.mix.path] + first.files.values.flatMap(\.paths).sorted(),
      writable: [first.output.directory])
  }

  func handle(_ request: MixRequest) throws -> ChildAnswer {
    try handle(request) { _ in }
  }

  func handle(
    _ request: MixRequest, telling tell: @escaping (ChildAnswer) throws -> Void
  ) throws -> ChildAnswer {
    let parts = request.parts.map { folder in
      SoundPartWriter(in: folder) { try tell(.mixing($0)) }
    }
    let assets = RereadAssets(request.files)
    let open = { (source: AudioSource) in try assets.open(source.asset, named: source.name) }
    let mix = try request.mix.decode(MixDescription.self)
    var report = MixReport()
    let written: WrittenContent
    if let copy = try SoundCopier(mix)?.copy(to: request.output, open: open) {
      written = copy
      report = MixReport(copied: try mix.duration)
    } else if let spliced = try SoundSplicer(mix, open: open)?.splice(
      to: request.output, parts: parts)
    {
      written = spliced.content
      report = MixReport(
        concealments: spliced.concealments, waveform: spliced.waveform, copied: spliced.copied)
    } else {
      let mixer = try AudioMixer(mix: mix, open: open)
      let mixed = try mixer.mix(to: request.output, parts: parts)
      written = mixed.content
      report = MixReport(
        loudness: mixed.loudness, concealments: mixer.concealments, waveform: mixer.waveform)
    }
    var hasher = BlockHasher()
    guard try WrittenContent.of(file: request.output, noting: { hasher.update($0) }) == written
    else {
      throw MediaError(
        .writeFailed, "the sound read back from the disk differs from what was written",
        on: request.output,
        remedy: "check the disk and the memory of the coordinator's host")
    }
    let blocks = hasher.finalize()
    let list = try HashedFile(request.blocks)
    try blocks.stored.withUnsafeBytes { try list.write($0) }
    return .mixed(
      MixedSound(report: report, blocks: blocks.digest, fingerprint: Fingerprint.current))
  }
}
