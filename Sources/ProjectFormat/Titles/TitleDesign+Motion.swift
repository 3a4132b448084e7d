/// The entrances and exits that templates share, as keys of a layer. Each takes 0.3 to 0.5 s.
extension TitleDesign {
  /// The curve of entrances: fast at first, with a long end.
  private static let out = "[0.16, 1, 0.3, 1]"
  /// The curve of exits.
  private static let away = "[0.5, 0, 0.75, 0]"

  private static let fadeOut = """
    {"property": "opacity", "from": 1, "to": 0, "beginTime": "4.6", "duration": "2/5",
     "timingFunction": "easeIn", "fillMode": "forwards"}
    """

  private static func fadeIn(_ time: String) -> String {
    """
    {"property": "opacity", "from": 0, "to": 1, "beginTime": "\(time)", "duration": "2/5",
     "timingFunction": "easeOut", "fillMode": "backwards"}
    """
  }

  /// Fades in and out.
  static func fade(_ time: String) -> String {
    """
    "animations": [\(fadeIn(time)), \(fadeOut)]
    """
  }

  /// Fades in while rising to its place, and fades out.
  static func rise(_ time: String, _ x: String, _ y: String) -> String {
    """
    "animations": [\(fadeIn(time)), \(fadeOut),
     {"property": "position", "from": {"x": "\(x)", "y": "\(y) + 1.8vmin"}, "to": {"x": "\(x)", "y": "\(y)"},
      "beginTime": "\(time)", "duration": "1/2", "timingFunction": \(out), "fillMode": "backwards"}]
    """
  }

  /// Grows from no width to its own, and fades out.
  static func draw(_ time: String, _ width: String, _ height: String) -> String {
    """
    "animations": [\(fadeOut), \(fadeIn(time)),
     {"property": "scale", "from": {"x": 0.001, "y": 1}, "to": {"x": 1, "y": 1},
      "beginTime": "\(time)", "duration": "1/2", "timingFunction": \(out), "fillMode": "backwards"}]
    """
  }

  /// Slides in from a horizontal position, and back.
  static func slide(_ time: String, _ from: String, _ x: String, _ y: String) -> String {
    """
    "animations": [
     {"property": "position", "from": {"x": "\(from)", "y": "\(y)"}, "to": {"x": "\(x)", "y": "\(y)"},
      "beginTime": "\(time)", "duration": "1/2", "timingFunction": \(out), "fillMode": "backwards"},
     {"property": "position", "from": {"x": "\(x)", "y": "\(y)"}, "to": {"x": "\(from)", "y": "\(y)"},
      "beginTime": "4.6", "duration": "2/5", "timingFunction": \(away), "fillMode": "forwards"}]
    """
  }

  /// Uncovers a group that fills the frame from left to right, and covers it again.
  static func wipe(_ time: String) -> String {
    let closed = #"{"x": 0, "y": 0, "width": 1, "height": "100%"}"#
    let open = #"{"x": 0, "y": 0, "width": "100%", "height": "100%"}"#
    return """
      "animations": [
       {"property": "bounds", "from": \(closed), "to": \(open), "beginTime": "\(time)", "duration": "1/2",
        "timingFunction": \(out), "fillMode": "backwards"},
       {"property": "bounds", "from": \(open), "to": \(closed), "beginTime": "4.6", "duration": "2/5",
        "timingFunction": \(away), "fillMode": "forwards"}]
      """
  }

  /// Rolls from below the frame to above it at a steady pace.
  static func roll(_ x: String) -> String {
    """
    "animations": [
     {"property": "position", "from": {"x": "\(x)", "y": "100%"}, "to": {"x": "\(x)", "y": "-{height}em"},
      "beginTime": 0, "duration": 5, "fillMode": "both"}]
    """
  }
}
