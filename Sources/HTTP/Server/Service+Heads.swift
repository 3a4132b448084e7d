extension Service {
  /// The error for a head that is too large or for another host.
  ///
  /// - Parameter target: the request target as it was received.
  func refusal(of head: RequestHead, target: String) -> HTTPError? {
    if target.utf8.count > limits.targetBytes {
      return HTTPError(
        .uriTooLong, detail: "the request target is longer than \(limits.targetBytes) bytes")
    }
    // Each field has a colon, a space and a line end.
    let count = head.headers.fields.reduce(target.utf8.count) {
      $0 + $1.name.utf8.count + $1.value.utf8.count + 4
    }
    guard count <= limits.headerBytes else {
      return HTTPError(
        .headerFieldsTooLarge, detail: "the headers have more than \(limits.headerBytes) bytes")
    }
    guard let hosts,
      head.headers["Host"].flatMap(HostField.init).map({ hosts.contains($0.host) }) != true
    else { return nil }
    return HTTPError(
      .misdirectedRequest, detail: "this server does not serve the requested host")
  }
}
