import Foundation
import FoundationXML

/// An element of a small XML document, without attributes and namespaces.
final class XMLElement {
  let name: String
  private(set) var children: [XMLElement] = []
  private var text = ""

  private init(_ name: String) { self.name = name }

  /// The text of the first child with a name; `nil` if there is none.
  subscript(name: String) -> String? { children.first { $0.name == name }?.text }

  /// Reads a document, and returns its root.
  ///
  /// - Throws: ``S3Error`` with code `unavailable` if it is not XML.
  static func read(_ data: Data) throws(S3Error) -> XMLElement {
    let reader = Reader()
    let parser = XMLParser(data: data)
    parser.delegate = reader
    guard !data.isEmpty, parser.parse(), let root = reader.root else {
      throw S3Error(
        .unavailable, "the answer of the object store is not XML: check --store-endpoint")
    }
    return root
  }

  /// Builds the tree.
  private final class Reader: NSObject, XMLParserDelegate {
    var root: XMLElement?
    private var open: [XMLElement] = []

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
      qualifiedName: String?, attributes: [String: String]
    ) {
      let element = XMLElement(name)
      if let parent = open.last { parent.children.append(element) } else { root = element }
      open.append(element)
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) { open.last?.text += text }

    func parser(
      _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) { open.removeLast() }
  }
}
