/// Linear PCM in MP4 (`ipcm` and `fpcm`, ISO/IEC 23003-5). libav 5.1 ignores its configuration (`pcmC`) and mistakes
/// 24 bits for 16.
///
/// QuickTime has entries of the same layout that libav knows by name, and a box (`enda`) for the byte order, so libav
/// is shown those instead.
enum LinearSoundEntries {
  /// The source with its entries translated for libav.
  ///
  /// - Throws: ``MediaError`` with code `unsupportedCodec` if the standard does not define the sample size, or if the
  ///   configuration is missing.
  static func translated(
    _ source: any ByteSource, named name: String
  ) throws(MediaError) -> any ByteSource {
    var patches: [PatchedByteSource.Patch] = []
    let entries = try SampleEntries(of: source, named: name)
    for entry in entries.tracks.joined() where ["ipcm", "fpcm"].contains(entry.type) {
      let boxes = try entries.boxes(inSound: entry)
      guard let box = boxes.first(where: { $0.type == "pcmC" }) else {
        throw unknown(entry.type, "it has no pcmC box", on: name)
      }
      let bytes = try entries.bytes(of: box, count: 6)
      guard bytes.count == 6 else {
        throw unknown(entry.type, "its pcmC box is too short", on: name)
      }
      let (isLittle, bits) = (bytes[4] & 1 == 1, Int(bytes[5]))
      guard let code = code(of: entry.type, bits: bits, isLittle: isLittle) else {
        throw MediaError(
          .unsupportedCodec, "\(bits)-bit PCM samples are not supported", on: name,
          remedy: "convert the file's audio to 16, 24 or 32 bits")
      }
      patches.append(.init(offset: entry.typeOffset, bytes: Array(code.utf8)))
      patches.append(.init(offset: box.typeOffset, bytes: Array("enda".utf8)))
      patches.append(.init(offset: box.payload.lowerBound, bytes: [0, isLittle ? 1 : 0]))
    }
    return patches.isEmpty ? source : PatchedByteSource(source, patches: patches)
  }

  private static func unknown(_ type: String, _ cause: String, on name: String) -> MediaError {
    MediaError(
      .unsupportedCodec, "the file does not describe its PCM samples (\(type))", on: name,
      remedy: "convert the file's audio to AAC, or export the file again", cause: cause)
  }

  /// QuickTime's code for samples (QuickTime File Format, "Sound Sample Descriptions").
  private static func code(of type: String, bits: Int, isLittle: Bool) -> String? {
    switch (type, bits) {
    case ("ipcm", 16): isLittle ? "sowt" : "twos"
    case ("ipcm", 24): "in24"
    case ("ipcm", 32): "in32"
    case ("fpcm", 32): "fl32"
    case ("fpcm", 64): "fl64"
    default: nil
    }
  }
}
