import Glibc

/// Counts the entries in the edit lists of QuickTime and MP4 files (ISO/IEC 14496-12, 8.6.6) before libav reads them,
/// because libav's time grows with the product of entries and samples.
///
/// libav applies an `elst` box to the last track wherever it finds one: in boxes other than `edts`, in the extensions of
/// a sample entry, or after the movie box. So the bytes of every box that libav looks into are searched for the type,
/// regardless of their structure.
package struct EditLists {
  /// The maximum number of boxes at the file's top level. Files with a fragment for each frame have many.
  static let boxLimit = 1 << 20
  /// The boxes at the top level that libav looks into.
  private static let searched: Set<String> = [
    "clip", "cmov", "dinf", "edts", "elst", "free", "gmhd", "hoov", "ilst", "ipco", "iprp", "mdia",
    "meta",
    "minf", "moof", "moov", "mvex", "schi", "sinf", "skip", "stbl", "stsd", "traf", "trak", "tref",
    "udta",
    "wave",
  ]
  /// The number of bytes that are searched at a time.
  private static let windowLength = 1 << 20
  /// The bytes of an edit list's start, from its length to its version.
  private static let headLength = 24

  private let source: any ByteSource
  private let name: String

  /// The edit lists of a file.
  package init(_ source: any ByteSource, named name: String) {
    self.source = source
    self.name = name
  }

  /// The number of entries in the file's longest edit list; 0 for files of other kinds.
  ///
  /// - Throws: ``MediaError`` if the lists cannot be found: the file has too many boxes, or its movie box is compressed.
  package func longest() throws -> Int {
    var (longest, offset, count) = (0, Int64(0), 0)
    while offset + 8 <= source.size {
      let head = try bytes(at: offset, count: 16)
      guard head.count >= 8 else { break }
      var length = Self.number(head[..<4])
      var headLength: Int64 = 8
      if length == 1, head.count == 16 {
        length = Self.number(head[8...])
        headLength = 16
      } else if length == 0 {
        length = source.size - offset
      }
      guard length >= headLength else { break }
      count += 1
      guard count <= Self.boxLimit else {
        throw MediaError(
          .unsupportedFormat, "the file has more than \(Self.boxLimit) boxes", on: name,
          remedy: "remux it, e.g. with ffmpeg -c copy")
      }
      // A truncated box may contain a list, too.
      let end = length > source.size - offset ? source.size : offset + length
      if Self.searched.contains(String(decoding: head[4..<8], as: UTF8.self)) {
        longest = max(longest, try self.longest(in: offset..<end))
      }
      offset = end
    }
    return longest
  }

  /// The number of entries in the longest edit list within a box.
  private func longest(in box: Range<Int64>) throws -> Int {
    var longest = 0
    // A file may have a million empty boxes, and clearing a whole window for each would take half a minute.
    let length = Int(min(Int64(Self.windowLength), box.upperBound - box.lowerBound))
    var window = [UInt8](repeating: 0, count: length)
    var start = box.lowerBound
    while true {
      let wanted = Int(min(Int64(window.count), box.upperBound - start))
      let count = try window.withUnsafeMutableBytes {
        try source.fill(UnsafeMutableRawBufferPointer(rebasing: $0[..<wanted]), from: start)
      }
      let bytes = window[..<count]
      guard !Self.hasCompressedMovie(bytes) else {
        throw MediaError(
          .unsupportedFormat, "the file's movie box is compressed (cmov)", on: name,
          remedy: "remux it, e.g. with ffmpeg -c copy")
      }
      for place in Self.places(of: "elst", in: bytes) {
        let rest = box.upperBound - (start + Int64(place) - 4)
        longest = max(longest, Self.entries(at: place, in: bytes, upTo: rest))
      }
      guard count == window.count, start + Int64(count) < box.upperBound else { return longest }
      start += Int64(count - Self.headLength)
    }
  }

  /// The number of entries that libav reads from an edit list: as many as its length allows, whatever count it states.
  ///
  /// - Parameters:
  ///   - place: the place of its type.
  ///   - rest: the number of bytes from its start to the end of what contains it.
  private static func entries(at place: Int, in bytes: ArraySlice<UInt8>, upTo rest: Int64) -> Int {
    guard place >= 4 else { return 0 }
    var length = number(bytes[place - 4..<place])
    var content = place + 4
    if length == 1 {
      guard content + 8 < bytes.endIndex else { return 0 }
      length = number(bytes[content..<content + 8])
      content += 8
    } else if length == 0 {
      length = rest
    }
    guard content < bytes.endIndex, length > 0 else { return 0 }
    // Version, flags and count come first.
    let room = min(length, rest) - Int64(content - place + 4) - 8
    return Int(max(room, 0) / (bytes[content] == 1 ? 20 : 12))
  }

  /// Whether the bytes contain a compressed movie box (`cmov`) with the box that must come first in it (`dcom`).
  private static func hasCompressedMovie(_ bytes: ArraySlice<UInt8>) -> Bool {
    places(of: "cmov", in: bytes).contains { place in
      place + 12 <= bytes.endIndex && bytes[place + 8..<place + 12].elementsEqual("dcom".utf8)
    }
  }

  /// The places at which a box type occurs.
  private static func places(of type: String, in bytes: ArraySlice<UInt8>) -> [Int] {
    let type = Array(type.utf8)
    return bytes.withUnsafeBytes { buffer in
      var found: [Int] = []
      guard let base = buffer.baseAddress, buffer.count >= type.count else { return found }
      let last = buffer.count - type.count
      var place = 0
      while place <= last, let match = memchr(base + place, Int32(type[0]), last - place + 1) {
        place = UnsafeRawPointer(match) - base
        if memcmp(match, type, type.count) == 0 { found.append(bytes.startIndex + place) }
        place += 1
      }
      return found
    }
  }

  private static func number(_ bytes: some Sequence<UInt8>) -> Int64 {
    bytes.reduce(Int64(0)) { $0 << 8 | Int64($1) }
  }

  private func bytes(at offset: Int64, count: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = try source.fill(UnsafeMutableRawBufferPointer(buffer), from: offset)
    }
  }
}
