extension TitleDesign {
  /// Light letters at the left, over a scrim.
  static let chapterMinimal = TitleDesign(
    family: sans, accent: "#ffffff", width: 0.84,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "shape", "shape": "rectangle", "fillGradient": {"direction": "right", "stops": [
           {"color": "#000000", "opacity": 0.8, "at": 0}, {"color": "#000000", "opacity": 0.7, "at": 0.5}, {"color": "#000000", "opacity": 0.6, "at": 1}]}, "safeArea": "none",
         "bounds": {"x": 0, "y": 0, "width": "100%", "height": "100%"},
         \(fade("0"))},
        {"type": "text", "text": "{SUBTITLE}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.label)", "weight": "semibold", "tracking": "0.24em"}, "color": "#ffffff",
         "position": {"x": "0%", "y": "50% - 8.6vmin - {+6.1}vmin"}, "anchorPoint": {"x": 0, "y": 0.5},
         "shadow": {"opacity": 0.6, "offset": {"x": 0, "y": "0.04em"}, "radius": "0.25em"},
         \(rise("0.1", "0%", "50% - 8.6vmin - {+6.1}vmin"))},
        {"type": "text", "text": "{text}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.heading)", "weight": "light"}, "color": "#ffffff",
         "position": {"x": "0%", "y": "50%"}, "anchorPoint": {"x": 0, "y": 0.5},
         "shadow": {"opacity": 0.5, "offset": {"x": 0, "y": "0.04em"}, "radius": "0.3em"},
         \(rise("0.2", "0%", "50%"))},
        {"type": "solid", "color": "{accent}", "bounds": {"x": 0, "y": 0, "width": "9vmin", "height": "0.5vmin"},
         "position": {"x": "0%", "y": "50% + 9vmin + {+6.1}vmin"}, "anchorPoint": {"x": 0, "y": 0},
         \(draw("0.3", "9vmin", "0.5vmin"))}]}
      """)

  /// A dark band across the picture, with an accent edge.
  static let chapterBroadcast = TitleDesign(
    family: sans, accent: "#b50d28", width: 0.8,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "solid", "color": "#0a1a2f", "opacity": 0.96, "safeArea": "none", "bounds": {"x": 0, "y": 0, "width": "100%", "height": "[25vmin|18vmin] + {+12.3}vmin"},
         "anchorPoint": {"x": 0, "y": 0.5}, "position": {"x": 0, "y": "50%"}, \(slide("0", "0 - 100%", "0", "50%"))},
        {"type": "solid", "color": "{accent}", "safeArea": "none", "bounds": {"x": 0, "y": 0, "width": "100%", "height": "0.8vmin"},
         "anchorPoint": {"x": 0, "y": 0}, "position": {"x": 0, "y": "50% + [12.5vmin|9vmin] + {+6.15}vmin"}, \(slide("0.15", "0 - 100%", "0", "50% + [12.5vmin|9vmin] + {+6.15}vmin"))},
        {"type": "text", "text": "{SUBTITLE}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.label)", "weight": "bold", "tracking": "0.2em"}, "color": "#cfe0f5",
         "position": {"x": "0%", "y": "50% - 6.2vmin - {+6.15}vmin"}, "anchorPoint": {"x": 0, "y": 0.5},
         \(fade("0.3"))},
        {"type": "text", "text": "{text}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.heading)", "weight": "bold"}, "color": "#ffffff",
         "position": {"x": "0%", "y": "50% + [2.2vmin|0vmin]"}, "anchorPoint": {"x": 0, "y": 0.5},
         \(fade("0.35"))}]}
      """)

  /// A paper card with a serif heading.
  static let chapterEditorial = TitleDesign(
    family: serif, accent: "#8c2318", width: 0.84,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "shape", "shape": "rectangle", "fillColor": "#f4efe6", "safeArea": "none",
         "bounds": {"x": 0, "y": 0, "width": "100%", "height": "100%"},
         \(fade("0"))},
        {"type": "text", "text": "{SUBTITLE}", "font": {"family": "{font}", "size": "\(TitleSizes.serif.label)", "tracking": "0.22em"}, "color": "{accent}",
         "position": {"x": "50%", "y": "50% - 11vmin - {+5.25}vmin"}, "anchorPoint": {"x": 0.5, "y": 0.5}, "alignment": "center",
         \(rise("0.15", "50%", "50% - 11vmin - {+5.25}vmin"))},
        {"type": "text", "text": "{text}", "font": {"family": "{font}", "size": "\(TitleSizes.serif.heading)"}, "color": "#1b1a17",
         "position": {"x": "50%", "y": "50%"}, "anchorPoint": {"x": 0.5, "y": 0.5}, "alignment": "center",
         \(rise("0.25", "50%", "50%"))},
        {"type": "solid", "color": "{accent}", "bounds": {"x": 0, "y": 0, "width": "12vmin", "height": "0.3vmin"},
         "position": {"x": "50%", "y": "50% + 10vmin + {+5.25}vmin"}, "anchorPoint": {"x": 0.5, "y": 0.5},
         \(draw("0.3", "12vmin", "0.3vmin"))}]}
      """)
}
