extension TitleDesign {
  /// Semibold letters over a scrim at the bottom of the picture.
  static let lowerThirdMinimal = TitleDesign(
    family: sans, accent: "#ffffff", width: 0.84,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "shape", "shape": "rectangle", "fillGradient": {"direction": "down", "stops": [
           {"color": "#000000", "opacity": 0, "at": 0}, {"color": "#000000", "opacity": 0.16, "at": 0.2}, {"color": "#000000", "opacity": 0.46, "at": 0.4}, {"color": "#000000", "opacity": 0.68, "at": 0.58}, {"color": "#000000", "opacity": 0.78, "at": 0.8}, {"color": "#000000", "opacity": 0.82, "at": 1}]}, "safeArea": "none",
         "bounds": {"x": 0, "y": 0, "width": "100%", "height": "[42vmin|34vmin] + {+14}vmin"}, "anchorPoint": {"x": 0, "y": 1}, "position": {"x": 0, "y": "100%"},
         \(fade("0"))},
        {"type": "text", "text": "{text}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.name)", "weight": "semibold"}, "color": "#ffffff",
         "position": {"x": "0%", "y": "100% - [5vmin|0vmin]"}, "anchorPoint": {"x": 0, "y": 1},
         "shadow": {"opacity": 0.6, "offset": {"x": 0, "y": "0.04em"}, "radius": "0.25em"},
         \(rise("0.1", "0%", "100% - [5vmin|0vmin]"))},
        {"type": "text", "text": "{subtitle}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.line)"}, "color": "#eef1f4",
         "position": {"x": "0%", "y": "100%"}, "anchorPoint": {"x": 0, "y": 1},
         "shadow": {"opacity": 0.6, "offset": {"x": 0, "y": "0.04em"}, "radius": "0.25em"},
         \(rise("0.2", "0%", "100%"))}]}
      """)

  /// A white plate with an accent bar for the name, and an accent plate for the role. The bar is the edge of a second
  /// plate beneath the first, so it is as high as the name.
  static let lowerThirdBroadcast = TitleDesign(
    family: sans, accent: "#b50d28", width: 0.8,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "group", "safeArea": "none", "masksToBounds": true, "position": {"x": 0, "y": 0}, "anchorPoint": {"x": 0, "y": 0},
         \(wipe("0.1")),
         "layers": [
        {"type": "text", "text": "{text}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.name)", "weight": "bold"}, "color": "{accent}",
         "safeArea": "title", "position": {"x": "0% + 2.4vmin", "y": "100% - [7.3vmin|0.7vmin]"}, "anchorPoint": {"x": 0, "y": 1},
         "plate": {"color": "{accent}", "padding": {"x": "2.4vmin", "y": "0.7vmin"}}},
        {"type": "text", "text": "{text}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.name)", "weight": "bold"}, "color": "#101418",
         "safeArea": "title", "position": {"x": "0% + 3.6vmin", "y": "100% - [7.3vmin|0.7vmin]"}, "anchorPoint": {"x": 0, "y": 1},
         "plate": {"color": "#ffffff", "padding": {"x": "2.4vmin", "y": "0.7vmin"}}}]},
        {"type": "group", "safeArea": "none", "masksToBounds": true, "position": {"x": 0, "y": 0}, "anchorPoint": {"x": 0, "y": 0},
         \(wipe("0.25")),
         "layers": [
        {"type": "text", "text": "{SUBTITLE}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.label)", "weight": "semibold", "tracking": "0.08em"}, "color": "{onAccent}",
         "safeArea": "title", "position": {"x": "0% + 3.6vmin", "y": "100% - 1vmin"}, "anchorPoint": {"x": 0, "y": 1},
         "plate": {"color": "{accent}", "padding": {"x": "3.6vmin", "y": "1vmin"}}}]}]}
      """)

  /// Two paper labels with serif letters, beside a fine rule.
  static let lowerThirdEditorial = TitleDesign(
    family: serif, accent: "#8c2318", width: 0.8,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "text", "text": "{text}", "font": {"family": "{font}", "size": "\(TitleSizes.serif.name)"}, "color": "#1b1a17",
         "position": {"x": "0% + 2.9vmin", "y": "100% - [8vmin|1.1vmin]"}, "anchorPoint": {"x": 0, "y": 1},
         "plate": {"color": "#f4efe6", "padding": {"x": "2.4vmin", "y": "1.1vmin"}},
         \(fade("0.1"))},
        {"type": "text", "text": "{subtitle}", "font": {"family": "{font}", "size": "\(TitleSizes.serif.line)", "style": "italic"}, "color": "#4a4438",
         "position": {"x": "0% + 2.9vmin", "y": "100% - 1.1vmin"}, "anchorPoint": {"x": 0, "y": 1},
         "plate": {"color": "#f4efe6", "padding": {"x": "2.4vmin", "y": "1.1vmin"}},
         \(fade("0.2"))},
        {"type": "solid", "color": "{accent}", "bounds": {"x": 0, "y": 0, "width": "0.5vmin", "height": "[15.3vmin|8.4vmin] + {+6.2}vmin"},
         "position": {"x": "0%", "y": "100%"}, "anchorPoint": {"x": 0, "y": 1},
         \(draw("0", "0.5vmin", "[15.3vmin|8.4vmin]"))}]}
      """)
}
