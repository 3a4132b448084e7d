import CXML

/// Reads an XML document node by node (libxml2), without opening anything outside it.
final class DocumentReader {
  private let reader: xmlTextReaderPtr
  /// The document, which the reader refers to.
  private let bytes: UnsafeMutableBufferPointer<CChar>

  /// Creates a reader; `nil` if there is not enough memory, or if the document is too large.
  init?(_ document: [UInt8], expandsEntities: Bool) {
    let bytes = UnsafeMutableBufferPointer<CChar>.allocate(capacity: max(document.count, 1))
    _ = bytes.initialize(from: document.lazy.map { CChar(bitPattern: $0) })
    let options =
      XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
      | (expandsEntities ? XML_PARSE_NOENT.rawValue : 0)
    guard let count = Int32(exactly: document.count),
      let reader = xmlReaderForMemory(bytes.baseAddress, count, nil, nil, Int32(options))
    else {
      bytes.deallocate()
      return nil
    }
    self.reader = reader
    self.bytes = bytes
  }

  deinit {
    xmlFreeTextReader(reader)
    bytes.deallocate()
  }

  /// Moves to the next node; `false` at the end, or if the document is malformed.
  func read() -> Bool { xmlTextReaderRead(reader) == 1 }

  /// The type of the node.
  var kind: xmlReaderTypes { xmlReaderTypes(UInt32(max(xmlTextReaderNodeType(reader), 0))) }

  /// Whether the node is the start of an element.
  var isElement: Bool { kind == XML_READER_TYPE_ELEMENT }

  /// Whether the element has no end tag.
  var isEmpty: Bool { xmlTextReaderIsEmptyElement(reader) == 1 }

  /// The node's name without its prefix.
  var localName: String { Self.text(xmlTextReaderConstLocalName(reader)) ?? "" }

  /// The namespace of the node's name.
  var namespace: String? { Self.text(xmlTextReaderConstNamespaceUri(reader)) }

  /// The node's text.
  var value: String { Self.text(xmlTextReaderConstValue(reader)) ?? "" }

  /// The element's attributes by their names without prefixes.
  var attributes: [(name: String, value: String)] {
    var attributes: [(String, String)] = []
    while xmlTextReaderMoveToNextAttribute(reader) == 1 { attributes.append((localName, value)) }
    xmlTextReaderMoveToElement(reader)
    return attributes
  }

  /// The address of an external entity that the document declares; `nil` if there is none.
  var externalEntity: String? {
    var node = xmlTextReaderCurrentDoc(reader)?.pointee.intSubset?.pointee.children
    while let declaration = node {
      if declaration.pointee.type == XML_ENTITY_DECL {
        let address = declaration.withMemoryRebound(to: xmlEntity.self, capacity: 1) {
          Self.text($0.pointee.SystemID)
        }
        if let address { return address }
      }
      node = declaration.pointee.next
    }
    return nil
  }

  private static func text(_ bytes: UnsafePointer<xmlChar>?) -> String? {
    bytes.map { String(cString: $0) }
  }
}
