import FarmAPI
import HTTP

extension Operation {
  /// Declares that the route sends a file: a response with the file, with a range of it, and none if the client has it.
  func sending(_ summary: String, _ content: Content) -> Operation {
    let (tag, range): (JSON, JSON) = (["type": "string"], ["type": "string"])
    return with(
      Parameter(name: "Range", place: "header", summary: "A range of bytes", isRequired: false)
    )
    .tagged()
    .answering(.ok, summary, content, headers: ["ETag": tag])
    .answering(
      .partialContent, "The requested range", content,
      headers: ["ETag": tag, "Content-Range": range]
    )
    .refusing(.rangeNotSatisfiable, .blank)
  }

  /// Declares that the content has a tag, and that a client with the tag gets no content.
  func tagged() -> Operation {
    with(
      Parameter(
        name: "If-None-Match", place: "header",
        summary: "The `ETag` of the content that the client has",
        isRequired: false)
    )
    .answering(.notModified, "The client has the content that `If-None-Match` names")
  }
}
