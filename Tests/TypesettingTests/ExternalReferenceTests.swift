import Foundation
import Planning
import ProjectFormat
import Support
import Testing
import Timeline
import Typesetting

/// An SVG shows only its own content. References to anything else are rejected by name, and never opened.
@Suite(.mayBlock) struct ExternalReferenceTests {
  private let directory: TemporaryDirectory
  private static let start =
    #"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="4" height="4">"#

  init() throws { directory = try TemporaryDirectory() }

  /// The problem with a document; `nil` if there is none.
  private func problem(of bytes: some Sequence<UInt8>) throws -> String? {
    let file = directory.path("a.svg")
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    do {
      _ = try TypesetLayer(.image(asset: "a"), files: ["a": file])
      return nil
    } catch let error as ProjectError {
      #expect(error.findings.first?.path == "videoComposition.animation.layers[0].asset")
      return error.findings.first?.problem
    }
  }

  private func problem(of element: String, before: String = "") throws -> String? {
    try problem(of: "\(before)\(Self.start)\(element)</svg>".utf8)
  }

  @Test(arguments: [
    (#"<image href="http://example.org/a.png" width="4" height="4"/>"#, "http://example.org/a.png"),
    (#"<image xlink:href='file:///etc/passwd' width="4" height="4"/>"#, "file:///etc/passwd"),
    (#"<image href="&#x66;ile:///etc/passwd" width="4" height="4"/>"#, "file:///etc/passwd"),
    (#"<use href="other.svg#a"/>"#, "other.svg#a"),
    (##"<rect fill="url(other.svg#a)" width="4" height="4"/>"##, "other.svg#a"),
    (##"<rect style="fill: URL( 'other.svg#a' )" width="4" height="4"/>"##, "other.svg#a"),
    (##"<rect style="fill: u\72 l(\68 ttp://example.org/#a)"/>"##, "http://example.org/#a"),
    (#"<style>@import "a.css";</style>"#, "@import a.css"),
    (#"<style><![CDATA[/* " */ @\69mport url(a.css);]]></style>"#, "@import a.css"),
    (#"<style>rect { fill: url("http://example.org/a.svg") }</style>"#, "http://example.org/a.svg"),
    (
      #"<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="a.txt" parse="text"/>"#,
      "a.txt"
    ),
  ])
  func `a reference to outside the document is rejected, and the error names it`(
    element: String, reference: String
  ) throws {
    #expect(
      try problem(of: element) == "the SVG refers to an external resource: \(reference)")
  }

  @Test(arguments: [
    (##"<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>"##, "file:///etc/passwd"),
    (##"<!DOCTYPE svg [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]>"##, "file:///etc/passwd"),
    (##"<!DOCTYPE svg [<!ENTITY a PUBLIC "a" "http://example.org/a">]>"##, "http://example.org/a"),
    (#"<?xml-stylesheet href="a.css"?>"#, #"<?xml-stylesheet href="a.css"?>"#),
  ])
  func `an external declaration is rejected, and the error names it`(
    declaration: String, reference: String
  ) throws {
    #expect(
      try problem(of: "<rect/>", before: declaration)
        == "the SVG refers to an external resource: \(reference)")
  }

  @Test func `a reference in an entity is found`() throws {
    let declaration = ##"<!DOCTYPE svg [<!ENTITY a "<image href='b.png'/>">]>"##
    #expect(
      try problem(of: "&a;", before: declaration)
        == "the SVG refers to an external resource: b.png")
  }

  @Test(arguments: [
    ##"<a href="https://example.org/"><rect width="4" height="4"/></a>"##,
    ##"<a xlink:href="https://example.org/"><rect width="4" height="4"/></a>"##,
    ##"<!-- <image href="http://example.org/a.png"/> --><rect width="4" height="4"/>"##,
    ##"<style>/* @import "a.css"; url(b.svg) */ rect { fill: red }</style><rect width="4" height="4"/>"##,
    ##"<linearGradient id="g"/><rect fill="url(#g)" style="stroke: url('#g')" width="4" height="4"/>"##,
    ##"<rect id="r" width="4" height="4"/><use href="#r"/><use xlink:href="#r"/>"##,
    ##"<image href="data:image/png;base64,AAAA" width="4" height="4"/>"##,
    ##"<text>url(http://example.org/) @import</text>"##,
    ##"<metadata><x xmlns="urn:x" href="http://example.org/"/></metadata>"##,
  ])
  func `references that open nothing are allowed`(element: String) throws {
    #expect(try problem(of: element) == nil)
  }

  @Test func `the usual document type and internal entities are allowed`() throws {
    let declaration =
      ##"<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" [<!ENTITY c "red">]>"##
    #expect(
      try problem(of: #"<rect fill="&c;" width="4" height="4"/>"#, before: declaration) == nil)
  }

  @Test(arguments: [true, false])
  func `a reference in UTF-16 is found`(isBigEndian: Bool) throws {
    let text = "\u{FEFF}\(Self.start)<image href=\"b.png\"/></svg>"
    let bytes = text.utf16.flatMap { unit -> [UInt8] in
      let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
      return isBigEndian ? [high, low] : [low, high]
    }
    #expect(try problem(of: bytes) == "the SVG refers to an external resource: b.png")
  }

  /// Draws a document that has not been scanned, and returns the number of visible pixels.
  private func shown(_ text: String) throws -> Int {
    let picture = try VectorPicture(Array(text.utf8))
    let canvas = try Canvas(width: 4, height: 4)
    try picture.draw(on: canvas, in: PixelRect(x: 0, y: 0, width: 4, height: 4))
    return canvas.withPixels { pixels, stride in
      (0..<16).count { pixels[$0 / 4 * stride + $0 % 4 * 4 + 3] > 0 }
    } ?? 16
  }

  @Test func `a file that a document refers to is not read, even if the document is not scanned`()
    throws
  {
    let picture = directory.path("b.png")
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "color=red:s=4x4", "-frames:v", "1", picture])
    let other = directory.path("b.svg")
    try "\(Self.start)<rect id=\"r\" width=\"4\" height=\"4\"/></svg>"
      .write(toFile: other, atomically: false, encoding: .utf8)
    for address in ["b.png", picture, "file://\(picture)"] {
      #expect(
        try shown("\(Self.start)<image href=\"\(address)\" width=\"4\" height=\"4\"/></svg>") == 0)
    }
    for address in ["b.svg", other, "file://\(other)"] {
      #expect(try shown("\(Self.start)<use href=\"\(address)#r\"/></svg>") == 0)
    }
    // The same picture inside the document is drawn.
    let data = try Data(contentsOf: URL(fileURLWithPath: picture)).base64EncodedString()
    #expect(
      try shown(
        "\(Self.start)<image href=\"data:image/png;base64,\(data)\" width=\"4\" height=\"4\"/></svg>"
      )
        == 16)
  }

  @Test func `an entity that refers to a file is not read`() throws {
    let secret = directory.path("secret")
    try "<rect width=\"4\" height=\"4\"/>".write(toFile: secret, atomically: false, encoding: .utf8)
    let declaration = #"<!DOCTYPE svg [<!ENTITY a SYSTEM "file://\#(secret)">]>"#
    #expect(throws: TypesettingError.self) { try shown("\(declaration)\(Self.start)&a;</svg>") }
  }
}
