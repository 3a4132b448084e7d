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
        {"type": "text", "text": "{text}", "font": {"family": "{font}", "size": "12vmin", "weight": "light", "tracking": "0.01em"}, "color": "#ffffff",
         "position": {"x": "50%", "y": "50%"}, "anchorPoint": {"x": 0.5, "y": "[0.6|0.5]"}, "alignment": "center",
         "shadow": {"opacity": 0.5, "offset": {"x": 0, "y": "0.04em"}, "radius": "0.3em"},
         \(rise("0.1", "50%", "50%"))},
        {"type": "text", "text": "{SUBTITLE}", "font": {"family": "{font}", "size": "3vmin", "weight": "semibold", "tracking": "0.28em"}, "color": "#ffffff",
         "position": {"x": "50%", "y": "50% + 9vmin"}, "anchorPoint": {"x": 0.5, "y": 0.5}, "alignment": "center",
         "shadow": {"opacity": 0.6, "offset": {"x": 0, "y": "0.04em"}, "radius": "0.25em"},
         \(rise("0.3", "50%", "50% + 9vmin"))}]}
      """)

  /// Heavy capitals on a dark plate, with an accent plate beneath.
  static let openerBroadcast = TitleDesign(
    family: sans, accent: "#b50d28", width: 0.8,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "group", "safeArea": "none", "masksToBounds": true, "position": {"x": 0, "y": 0}, "anchorPoint": {"x": 0, "y": 0},
         \(wipe("0.1")),
         "layers": [
        {"type": "text", "text": "{TEXT}", "font": {"family": "{font}", "size": "9.6vmin", "weight": "heavy"}, "color": "#ffffff",
         "safeArea": "title", "position": {"x": "0% + 5.4vmin", "y": "50% - [10vmin|7.2vmin]"}, "anchorPoint": {"x": 0, "y": 0},
         "plate": {"color": "#0a1a2f", "padding": {"x": "3.4vmin", "y": "0.6vmin"}, "opacity": 0.96}},
        {"type": "solid", "color": "{accent}", "bounds": {"x": 0, "y": 0, "width": "2vmin", "height": "14.3vmin"},
         "safeArea": "title", "position": {"x": "0%", "y": "50% - [10.6vmin|7.8vmin]"}, "anchorPoint": {"x": 0, "y": 0},
         \(draw("0", "2vmin", "14.3vmin"))}]},
        {"type": "group", "safeArea": "none", "masksToBounds": true, "position": {"x": 0, "y": 0}, "anchorPoint": {"x": 0, "y": 0},
         \(wipe("0.3")),
         "layers": [
        {"type": "text", "text": "{subtitle}", "font": {"family": "{font}", "size": "3.8vmin", "weight": "semibold"}, "color": "{onAccent}",
         "safeArea": "title", "position": {"x": "0% + 3.4vmin", "y": "50% + 4.7vmin"}, "anchorPoint": {"x": 0, "y": 0},
         "plate": {"color": "{accent}", "padding": {"x": "3.4vmin", "y": "1.1vmin"}}}]}]}
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
         "position": {"x": "50%", "y": "50% - 13vmin"}, "anchorPoint": {"x": 0.5, "y": 0.5},
         \(draw("0", "22vmin", "0.22vmin"))},
        {"type": "text", "text": "{text}", "font": {"family": "{font}", "size": "13vmin"}, "color": "#fbf7ef",
         "position": {"x": "50%", "y": "50%"}, "anchorPoint": {"x": 0.5, "y": "[0.6|0.5]"}, "alignment": "center",
         "shadow": {"opacity": 0.5, "offset": {"x": 0, "y": "0.04em"}, "radius": "0.3em"},
         \(rise("0.15", "50%", "50%"))},
        {"type": "text", "text": "{subtitle}", "font": {"family": "{font}", "size": "4.6vmin", "style": "italic"}, "color": "#fbf7ef",
         "position": {"x": "50%", "y": "50% + 8vmin"}, "anchorPoint": {"x": 0.5, "y": 0.5}, "alignment": "center",
         "shadow": {"opacity": 0.6, "offset": {"x": 0, "y": "0.04em"}, "radius": "0.25em"},
         \(rise("0.3", "50%", "50% + 8vmin"))},
        {"type": "solid", "color": "{accent}", "bounds": {"x": 0, "y": 0, "width": "22vmin", "height": "0.22vmin"},
         "position": {"x": "50%", "y": "50% + [14vmin|13vmin]"}, "anchorPoint": {"x": 0.5, "y": 0.5},
         \(draw("0", "22vmin", "0.22vmin"))}]}
      """)
}
