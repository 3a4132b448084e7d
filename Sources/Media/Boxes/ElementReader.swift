/// Reads the elements of a Matroska or WebM file (EBML: RFC 8794, 4), for details that libav 5.1 does not report.
struct ElementReader {
  /// An element by id and place in the file.
  struct Element {
    var id: UInt32
    /// The payload, cut off at the end of the range that was read.
    var payload: Range<Int64>
    /// The end of the payload according to the element's length; `nil` if the length is unknown.
    var statedEnd: Int64?
  }

  /// The most elements that are read in a row.
  private static let limit = 1 << 20

  private let reader: BoxReader

  /// A reader of the file in `source`, called `name` in messages.
  init(_ source: any ByteSource, named name: String) {
    reader = BoxReader(source: source, name: name)
  }

  func elements(in range: Range<Int64>) throws(MediaError) -> [Element] {
    var elements: [Element] = []
    try scan(range) { element in
      elements.append(element)
      return true
    }
    return elements
  }

  func first(_ id: UInt32, in range: Range<Int64>) throws(MediaError) -> Element? {
    var found: Element?
    try scan(range) { element in
      if element.id == id { found = element }
      return found == nil
    }
    return found
  }

  /// Passes the elements in a range to `visit` until that returns false, or until one has an unknown length.
  func scan(_ range: Range<Int64>, _ visit: (Element) -> Bool) throws(MediaError) {
    var (offset, count) = (range.lowerBound, 0)
    while offset < range.upperBound {
      count += 1
      guard count <= Self.limit else {
        throw MediaError(
          .damaged, "the file has more than \(Self.limit) elements at one level", on: reader.name,
          remedy: "remux it, e.g. with ffmpeg -c copy")
      }
      // An id has at most 4 bytes, a length 8 (RFC 8794, 4).
      let head = try reader.bytes(at: offset, count: Int(min(12, range.upperBound - offset)))
      guard let first = head.first, first >= 0x10 else { return }
      let idLength = first.leadingZeroBitCount + 1
      guard head.count > idLength, head[idLength] > 0 else { return }
      let lengthLength = head[idLength].leadingZeroBitCount + 1
      guard head.count >= idLength + lengthLength else { return }
      let id = head[..<idLength].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      let bits = head[idLength..<idLength + lengthLength].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let unknown = UInt64(1) << (7 * lengthLength) - 1
      let length = bits & unknown
      let start = offset + Int64(idLength + lengthLength)
      guard start <= range.upperBound else { return }
      let (sum, overflow) = start.addingReportingOverflow(Int64(length))
      let stated: Int64? = length == unknown ? nil : (overflow ? Int64.max : sum)
      let end = min(stated ?? range.upperBound, range.upperBound)
      guard visit(Element(id: id, payload: start..<end, statedEnd: stated)) else { return }
      offset = end
    }
  }

  /// The value of an unsigned integer, or the bits of a float.
  func number(of element: Element) throws(MediaError) -> UInt64 {
    try bytes(of: element, upTo: 8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The first bytes of an element's payload, at most `limit`.
  func bytes(of element: Element, upTo limit: Int) throws(MediaError) -> [UInt8] {
    try reader.bytes(at: element.payload.lowerBound, count: min(element.payload.count, limit))
  }
}
