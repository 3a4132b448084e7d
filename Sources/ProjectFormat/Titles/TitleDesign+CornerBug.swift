extension TitleDesign {
  /// White letters on a translucent plate.
  static let cornerBugMinimal = TitleDesign(
    family: sans, accent: "#ffffff", width: 0.5,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "text", "text": "{text}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.label)", "weight": "semibold", "tracking": "0.06em"}, "color": "#ffffff",
         "position": {"x": "100% - 1.4vmin", "y": "0% + 0.8vmin"}, "anchorPoint": {"x": 1, "y": 0},
         "plate": {"color": "#000000", "padding": {"x": "1.4vmin", "y": "0.7vmin"}, "opacity": 0.64, "cornerRadius": "0.8vmin"},
         \(fade("0"))}]}
      """)

  /// Bold capitals on an accent plate.
  static let cornerBugBroadcast = TitleDesign(
    family: sans, accent: "#b50d28", width: 0.5,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "text", "text": "{TEXT}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.label)", "weight": "bold", "tracking": "0.1em"}, "color": "{onAccent}",
         "position": {"x": "100% - 1.6vmin", "y": "0% + 0.7vmin"}, "anchorPoint": {"x": 1, "y": 0},
         "plate": {"color": "{accent}", "padding": {"x": "1.6vmin", "y": "0.7vmin"}},
         \(fade("0"))}]}
      """)

  /// Italic letters on a paper plate.
  static let cornerBugEditorial = TitleDesign(
    family: serif, accent: "#8c2318", width: 0.5,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "text", "text": "{text}", "font": {"family": "{font}", "size": "\(TitleSizes.serif.label)", "style": "italic"}, "color": "#1b1a17",
         "position": {"x": "100% - 1.5vmin", "y": "0% + 0.7vmin"}, "anchorPoint": {"x": 1, "y": 0},
         "plate": {"color": "#f4efe6", "padding": {"x": "1.5vmin", "y": "0.7vmin"}},
         \(fade("0"))}]}
      """)
}
