import CXML

/// Finds references to files and servers in an SVG document, so that errors can name them.
///
/// Isolation does not depend on this: librsvg gets the document without an address, and resolves no reference that
/// leads outside it.
enum ExternalReferences {
  /// The first reference that is neither to a part of the document nor to data inside it; `nil` if there is none.
  static func first(in bytes: [UInt8]) -> String? {
    // Entities are expanded only after it is certain that the document contains all of them.
    scan(bytes, expandsEntities: false) { reader in
      reader.isElement ? .stop(nil) : reader.externalEntity.map { .stop($0) }
    } ?? scan(bytes, expandsEntities: true, ReferenceFinder().next)
  }

  /// The result of a step of a scan.
  fileprivate enum Outcome {
    case stop(String?)
  }

  /// Visits the nodes of a document until a step stops the scan.
  private static func scan(
    _ bytes: [UInt8], expandsEntities: Bool, _ step: (DocumentReader) -> Outcome?
  ) -> String? {
    guard let reader = DocumentReader(bytes, expandsEntities: expandsEntities) else { return nil }
    while reader.read() {
      if case .stop(let reference) = step(reader) { return reference }
    }
    return nil
  }

  /// Whether a reference leads outside the document.
  static func isExternal(_ value: String) -> Bool {
    !value.isEmpty && !value.hasPrefix("#") && !value.lowercased().hasPrefix("data:")
  }
}

/// Finds references in elements, attributes and style sheets.
private final class ReferenceFinder {
  private var isInStyle = false
  private var styles = ""

  private static let namespaces = [
    nil, "http://www.w3.org/2000/svg", "http://www.w3.org/2001/XInclude",
  ]
  /// The attributes whose values are CSS.
  private static let properties: Set = [
    "style", "fill", "stroke", "clip-path", "mask", "filter", "marker", "marker-start",
    "marker-mid", "marker-end", "cursor", "color-profile",
  ]

  func next(_ reader: DocumentReader) -> ExternalReferences.Outcome? {
    switch reader.kind {
    case XML_READER_TYPE_ELEMENT:
      let (name, isDrawn) = (reader.localName, Self.namespaces.contains(reader.namespace))
      isInStyle = isDrawn && name == "style" && !reader.isEmpty
      guard isDrawn else { return nil }
      for (attribute, value) in reader.attributes {
        // A link's target is not drawn.
        if attribute == "href", name != "a" {
          let target = value.trimmed
          if ExternalReferences.isExternal(target) { return .stop(target.shortened) }
        } else if Self.properties.contains(attribute),
          let reference = StyleReferences.first(in: value)
        {
          return .stop(reference.shortened)
        }
      }
    case XML_READER_TYPE_TEXT, XML_READER_TYPE_CDATA:
      if isInStyle { styles += reader.value }
    case XML_READER_TYPE_END_ELEMENT:
      guard isInStyle else { return nil }
      defer { (isInStyle, styles) = (false, "") }
      if let reference = StyleReferences.first(in: styles) { return .stop(reference.shortened) }
    case XML_READER_TYPE_PROCESSING_INSTRUCTION where reader.localName == "xml-stylesheet":
      return .stop("<?xml-stylesheet \(reader.value)?>".shortened)
    default: break
    }
    return nil
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
  fileprivate var shortened: String { String(prefix(200)) }
}
