extension TitleDesign {
  /// Semibold letters over a scrim at the bottom of the picture.
  static let lowerThirdMinimal = TitleDesign(
    family: sans, accent: "#ffffff", width: 0.84,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "shape", "shape": "rectangle", "fillGradient": {"direction": "down", "stops": [
           {"color": "#000000", "opacity": 0, "at": 0}, {"color": "#000000", "opacity": 0.16, "at": 0.2}, {"color": "#000000", "opacity": 0.46, "at": 0.4}, {"color": "#000000", "opacity": 0.68, "at": 0.58}, {"color": "#000000", "opacity": 0.78, "at": 0.8}, {"color": "#000000", "opacity": 0.82, "at": 1}]}, "safeArea": "none",
         "bounds": {"x": 0, "y": 0, "width": "100%", "height": "[42vmin|34vmin]"}, "anchorPoint": {"x": 0, "y": 1}, "position": {"x": 0, "y": "100%"},
         \(fade("0"))},
        {"type": "text", "text": "{text}", "font": {"family": "{font}", "size": "5.4vmin", "weight": "semibold"}, "color": "#ffffff",
         "position": {"x": "0%", "y": "100% - [12.6vmin|7.4vmin]"}, "anchorPoint": {"x": 0, "y": 0},
         "shadow": {"opacity": 0.6, "offset": {"x": 0, "y": "0.04em"}, "radius": "0.25em"},
         \(rise("0.1", "0%", "100% - [12.6vmin|7.4vmin]"))},
        {"type": "text", "text": "{subtitle}", "font": {"family": "{font}", "size": "3.3vmin"}, "color": "#eef1f4",
         "position": {"x": "0%", "y": "100% - 4.9vmin"}, "anchorPoint": {"x": 0, "y": 0},
         "shadow": {"opacity": 0.6, "offset": {"x": 0, "y": "0.04em"}, "radius": "0.25em"},
         \(rise("0.2", "0%", "100% - 4.9vmin"))}]}
      """)

  /// A white plate with an accent bar for the name, and an accent plate for the role.
  static let lowerThirdBroadcast = TitleDesign(
    family: sans, accent: "#b50d28", width: 0.8,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "group", "safeArea": "none", "masksToBounds": true, "position": {"x": 0, "y": 0}, "anchorPoint": {"x": 0, "y": 0},
         \(wipe("0.1")),
         "layers": [
        {"type": "text", "text": "{text}", "font": {"family": "{font}", "size": "5.2vmin", "weight": "bold"}, "color": "#101418",
         "safeArea": "title", "position": {"x": "0% + 3.6vmin", "y": "100% - [14vmin|8.4vmin]"}, "anchorPoint": {"x": 0, "y": 0},
         "plate": {"color": "#ffffff", "padding": {"x": "2.4vmin", "y": "0.7vmin"}}},
        {"type": "solid", "color": "{accent}", "bounds": {"x": 0, "y": 0, "width": "1.2vmin", "height": "8.45vmin"},
         "safeArea": "title", "position": {"x": "0%", "y": "100% - [14.7vmin|9.1vmin]"}, "anchorPoint": {"x": 0, "y": 0},
         \(draw("0", "1.2vmin", "8.45vmin"))}]},
        {"type": "group", "safeArea": "none", "masksToBounds": true, "position": {"x": 0, "y": 0}, "anchorPoint": {"x": 0, "y": 0},
         \(wipe("0.25")),
         "layers": [
        {"type": "text", "text": "{SUBTITLE}", "font": {"family": "{font}", "size": "2.8vmin", "weight": "semibold", "tracking": "0.08em"}, "color": "{onAccent}",
         "safeArea": "title", "position": {"x": "0% + 2.4vmin", "y": "100% - 5.3vmin"}, "anchorPoint": {"x": 0, "y": 0},
         "plate": {"color": "{accent}", "padding": {"x": "2.4vmin", "y": "1vmin"}}}]}]}
      """)

  /// Serif letters on paper, beside a fine rule.
  static let lowerThirdEditorial = TitleDesign(
    family: serif, accent: "#8c2318", width: 0.8,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "solid", "color": "{accent}", "bounds": {"x": 0, "y": 0, "width": "0.5vmin", "height": "[13.3vmin|8.1vmin]"},
         "position": {"x": "0%", "y": "100% - [13.3vmin|8.1vmin]"}, "anchorPoint": {"x": 0, "y": 0},
         \(draw("0", "0.5vmin", "[13.3vmin|8.1vmin]"))},
        {"type": "text", "text": "{text}", "font": {"family": "{font}", "size": "5.8vmin"}, "color": "#1b1a17",
         "position": {"x": "0% + 2.9vmin", "y": "100% - [12.1vmin|7vmin]"}, "anchorPoint": {"x": 0, "y": 0},
         "plate": {"color": "#f4efe6", "padding": {"x": "2.4vmin", "y": "1.1vmin"}},
         \(fade("0.1"))},
        {"type": "text", "text": "{subtitle}", "font": {"family": "{font}", "size": "3.6vmin", "style": "italic"}, "color": "#4a4438",
         "position": {"x": "0% + 2.9vmin", "y": "100% - 4.4vmin"}, "anchorPoint": {"x": 0, "y": 0},
         "plate": {"color": "#f4efe6", "padding": {"x": "2.4vmin", "y": "0.8vmin"}},
         \(fade("0.2"))}]}
      """)
}
