extension TitleDesign {
  /// Large light letters over the dimmed picture.
  static let openerMinimal = TitleDesign(
    family: sans, accent: "#ffffff", width: 0.84,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "shape", "shape": "rectangle", "fillGradient": {"direction": "down", "stops": [
           {"color": "#000000", "opacity": 0.66, "at": 0}, {"color": "#000000", "opacity": 0.66, "at": 1}]}, "safeArea": "none",
         "bounds": {"x": 0, "y": 0, "width": "100%", "height": "100%"},
         \(fade("0"))},
        {"type": "text", "text": "{text}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.display)", "weight": "light", "tracking": "0.01em"}, "color": "#ffffff",
         "position": {"x": "50%", "y": "50% - [1.6vmin|0vmin]"}, "anchorPoint": {"x": 0.5, "y": 0.5}, "alignment": "center",
         "shadow": {"opacity": 0.5, "offset": {"x": 0, "y": "0.04em"}, "radius": "0.3em"},
         \(rise("0.1", "50%", "50% - [1.6vmin|0vmin]"))},
        {"type": "text", "text": "{SUBTITLE}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.label)", "weight": "semibold", "tracking": "0.28em"}, "color": "#ffffff",
         "position": {"x": "50%", "y": "50% + 9vmin + {+8.2}vmin"}, "anchorPoint": {"x": 0.5, "y": 0.5}, "alignment": "center",
         "shadow": {"opacity": 0.6, "offset": {"x": 0, "y": "0.04em"}, "radius": "0.25em"},
         \(rise("0.3", "50%", "50% + 9vmin + {+8.2}vmin"))}]}
      """)

  /// Heavy capitals on a dark plate with an accent bar, and an accent plate beneath. The bar is the edge of a second plate
  /// beneath the first, so it is as high as the title.
  static let openerBroadcast = TitleDesign(
    family: sans, accent: "#b50d28", width: 0.8,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "group", "safeArea": "none", "masksToBounds": true, "position": {"x": 0, "y": 0}, "anchorPoint": {"x": 0, "y": 0},
         \(wipe("0.1")),
         "layers": [
        {"type": "text", "text": "{TEXT}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.heading)", "weight": "heavy"}, "color": "{accent}",
         "safeArea": "title", "position": {"x": "0% + 3.4vmin", "y": "50% + [2.7vmin|6.1vmin] + {+6.1}vmin"}, "anchorPoint": {"x": 0, "y": 1},
         "plate": {"color": "{accent}", "padding": {"x": "3.4vmin", "y": "0.6vmin"}}},
        {"type": "text", "text": "{TEXT}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.heading)", "weight": "heavy"}, "color": "#ffffff",
         "safeArea": "title", "position": {"x": "0% + 5.4vmin", "y": "50% + [2.7vmin|6.1vmin] + {+6.1}vmin"}, "anchorPoint": {"x": 0, "y": 1},
         "plate": {"color": "#0a1a2f", "padding": {"x": "3.4vmin", "y": "0.6vmin"}}}]},
        {"type": "group", "safeArea": "none", "masksToBounds": true, "position": {"x": 0, "y": 0}, "anchorPoint": {"x": 0, "y": 0},
         \(wipe("0.3")),
         "layers": [
        {"type": "text", "text": "{SUBTITLE}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.label)", "weight": "semibold", "tracking": "0.08em"}, "color": "{onAccent}",
         "safeArea": "title", "position": {"x": "0% + 5.4vmin", "y": "50% + 4.9vmin + {+6.1}vmin"}, "anchorPoint": {"x": 0, "y": 0},
         "plate": {"color": "{accent}", "padding": {"x": "5.4vmin", "y": "1.1vmin"}}}]}]}
      """)

  /// A serif title between two fine rules.
  static let openerEditorial = TitleDesign(
    family: serif, accent: "#d9b46a", width: 0.84,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "shape", "shape": "rectangle", "fillGradient": {"direction": "down", "stops": [
           {"color": "#0d0b08", "opacity": 0.66, "at": 0}, {"color": "#0d0b08", "opacity": 0.66, "at": 1}]}, "safeArea": "none",
         "bounds": {"x": 0, "y": 0, "width": "100%", "height": "100%"},
         \(fade("0"))},
        {"type": "solid", "color": "{accent}", "bounds": {"x": 0, "y": 0, "width": "22vmin", "height": "0.22vmin"},
         "position": {"x": "50%", "y": "50% - 13vmin - {+6.75}vmin"}, "anchorPoint": {"x": 0.5, "y": 0.5},
         \(draw("0", "22vmin", "0.22vmin"))},
        {"type": "text", "text": "{text}", "font": {"family": "{font}", "size": "\(TitleSizes.serif.display)"}, "color": "#fbf7ef",
         "position": {"x": "50%", "y": "50% - [1.6vmin|0vmin]"}, "anchorPoint": {"x": 0.5, "y": 0.5}, "alignment": "center",
         "shadow": {"opacity": 0.5, "offset": {"x": 0, "y": "0.04em"}, "radius": "0.3em"},
         \(rise("0.15", "50%", "50% - [1.6vmin|0vmin]"))},
        {"type": "text", "text": "{subtitle}", "font": {"family": "{font}", "size": "\(TitleSizes.serif.line)", "style": "italic"}, "color": "#fbf7ef",
         "position": {"x": "50%", "y": "50% + 8.4vmin + {+6.75}vmin"}, "anchorPoint": {"x": 0.5, "y": 0.5}, "alignment": "center",
         "shadow": {"opacity": 0.6, "offset": {"x": 0, "y": "0.04em"}, "radius": "0.25em"},
         \(rise("0.3", "50%", "50% + 8.4vmin + {+6.75}vmin"))},
        {"type": "solid", "color": "{accent}", "bounds": {"x": 0, "y": 0, "width": "22vmin", "height": "0.22vmin"},
         "position": {"x": "50%", "y": "50% + [14vmin|13vmin] + {+6.75}vmin"}, "anchorPoint": {"x": 0.5, "y": 0.5},
         \(draw("0", "22vmin", "0.22vmin"))}]}
      """)
}
