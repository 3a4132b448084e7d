extension TitleDesign {
  /// Light letters on a dark card.
  static let endCardMinimal = TitleDesign(
    family: sans, accent: "#ffffff", width: 0.84,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "shape", "shape": "rectangle", "fillColor": "#101316", "safeArea": "none",
         "bounds": {"x": 0, "y": 0, "width": "100%", "height": "100%"},
         \(fade("0"))},
        {"type": "text", "text": "{text}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.heading)", "weight": "light"}, "color": "#ffffff",
         "position": {"x": "50%", "y": "50% - [4.4vmin|0vmin]"}, "anchorPoint": {"x": 0.5, "y": 0.5}, "alignment": "center",
         \(rise("0.15", "50%", "50% - [4.4vmin|0vmin]"))},
        {"type": "solid", "color": "{accent}", "bounds": {"x": 0, "y": 0, "width": "6vmin", "height": "0.35vmin"},
         "position": {"x": "50%", "y": "50% + [3.2vmin|8vmin] + {+6.1}vmin"}, "anchorPoint": {"x": 0.5, "y": 0.5},
         \(draw("0.3", "6vmin", "0.35vmin"))},
        {"type": "text", "text": "{subtitle}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.line)"}, "color": "#c3cad1",
         "position": {"x": "50%", "y": "50% + 8.4vmin + {+6.1}vmin"}, "anchorPoint": {"x": 0.5, "y": 0.5}, "alignment": "center",
         \(rise("0.3", "50%", "50% + 8.4vmin + {+6.1}vmin"))}]}
      """)

  /// Heavy capitals on a dark card, above an accent band.
  static let endCardBroadcast = TitleDesign(
    family: sans, accent: "#b50d28", width: 0.8,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "shape", "shape": "rectangle", "fillColor": "#0a1a2f", "safeArea": "none",
         "bounds": {"x": 0, "y": 0, "width": "100%", "height": "100%"},
         \(fade("0"))},
        {"type": "solid", "color": "{accent}", "safeArea": "none", "bounds": {"x": 0, "y": 0, "width": "100%", "height": "22%"},
         "anchorPoint": {"x": 0, "y": 1}, "position": {"x": 0, "y": "100%"}, \(slide("0.1", "0 - 100%", "0", "100%"))},
        {"type": "text", "text": "{TEXT}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.heading)", "weight": "heavy"}, "color": "#ffffff",
         "position": {"x": "0%", "y": "39%"}, "anchorPoint": {"x": 0, "y": 0.5},
         \(rise("0.2", "0%", "39%"))},
        {"type": "text", "text": "{subtitle}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.line)", "weight": "semibold"}, "color": "{onAccent}",
         "position": {"x": "0%", "y": "93.3%"}, "anchorPoint": {"x": 0, "y": 0.5},
         \(fade("0.35"))}]}
      """)

  /// Italic letters on a paper card.
  static let endCardEditorial = TitleDesign(
    family: serif, accent: "#8c2318", width: 0.84,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "shape", "shape": "rectangle", "fillColor": "#f4efe6", "safeArea": "none",
         "bounds": {"x": 0, "y": 0, "width": "100%", "height": "100%"},
         \(fade("0"))},
        {"type": "text", "text": "{text}", "font": {"family": "{font}", "size": "\(TitleSizes.serif.heading)", "style": "italic"}, "color": "#1b1a17",
         "position": {"x": "50%", "y": "50% - [4.6vmin|0vmin]"}, "anchorPoint": {"x": 0.5, "y": 0.5}, "alignment": "center",
         \(rise("0.15", "50%", "50% - [4.6vmin|0vmin]"))},
        {"type": "solid", "color": "{accent}", "bounds": {"x": 0, "y": 0, "width": "12vmin", "height": "0.3vmin"},
         "position": {"x": "50%", "y": "50% + [4.6vmin|9vmin] + {+5.25}vmin"}, "anchorPoint": {"x": 0.5, "y": 0.5},
         \(draw("0.3", "12vmin", "0.3vmin"))},
        {"type": "text", "text": "{subtitle}", "font": {"family": "{font}", "size": "\(TitleSizes.serif.line)"}, "color": "#4a4438",
         "position": {"x": "50%", "y": "50% + 10vmin + {+5.25}vmin"}, "anchorPoint": {"x": 0.5, "y": 0.5}, "alignment": "center",
         \(rise("0.3", "50%", "50% + 10vmin + {+5.25}vmin"))}]}
      """)
}
