import Timeline

extension SequenceTitle {
  /// Reads `{"title", "style", "text", "subtitle", "at", "duration", "font", "color"}`.
  init(reading node: JSONNode) {
    self.init(.lowerThird, text: "")
    guard
      let members = node.object(
        ["title", "style", "text", "subtitle", "at", "duration", "font", "color"],
        later: ["position", "size", "logo"])
    else { return }
    let template = members.required("title")?.choice(of: Template.self)
    let style = members.optional("style").map { $0.choice(of: Style.self) } ?? .minimal
    let text = members.required("text")?.string()
    let subtitle = members.optional("subtitle").map { $0.string() }
    let start = members.optional("at").map { $0.time() } ?? .zero
    let duration = members.optional("duration").map { $0.time() }
    let family = members.optional("font").map { $0.string() }
    let color = members.optional("color").map(Color.init(reading:))
    self.init(
      template ?? .lowerThird, style: style ?? .minimal, text: text ?? "",
      subtitle: subtitle ?? nil, start: start ?? .zero, duration: duration ?? nil,
      family: family ?? nil, color: color ?? nil)
  }
}
