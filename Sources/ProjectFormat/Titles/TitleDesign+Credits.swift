extension TitleDesign {
  /// Two columns over the dimmed picture.
  static let creditsMinimal = TitleDesign(
    family: sans, accent: "#ffffff", width: 0.42,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "shape", "shape": "rectangle", "fillGradient": {"direction": "down", "stops": [
           {"color": "#000000", "opacity": 0.78, "at": 0}, {"color": "#000000", "opacity": 0.78, "at": 1}]}, "safeArea": "none",
         "bounds": {"x": 0, "y": 0, "width": "100%", "height": "100%"},
         \(fade("0"))},
        {"type": "text", "text": "{roles}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.credits)"}, "color": "#d5dae0",
         "safeArea": "none", "position": {"x": "50% - 1.8vmin", "y": "100%"}, "anchorPoint": {"x": 1, "y": 0}, "alignment": "right",
         \(roll("50% - 1.8vmin"))},
        {"type": "text", "text": "{names}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.credits)", "weight": "semibold"}, "color": "#ffffff",
         "safeArea": "none", "position": {"x": "50% + 1.8vmin", "y": "100%"}, "anchorPoint": {"x": 0, "y": 0},
         \(roll("50% + 1.8vmin"))}]}
      """)

  /// Two bold columns on dark blue.
  static let creditsBroadcast = TitleDesign(
    family: sans, accent: "#b50d28", width: 0.42,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "shape", "shape": "rectangle", "fillGradient": {"direction": "down", "stops": [
           {"color": "#0a1a2f", "opacity": 0.95, "at": 0}, {"color": "#0a1a2f", "opacity": 0.95, "at": 1}]}, "safeArea": "none",
         "bounds": {"x": 0, "y": 0, "width": "100%", "height": "100%"},
         \(fade("0"))},
        {"type": "text", "text": "{roles}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.credits)", "weight": "semibold"}, "color": "#a9c8ee",
         "safeArea": "none", "position": {"x": "50% - 1.8vmin", "y": "100%"}, "anchorPoint": {"x": 1, "y": 0}, "alignment": "right",
         \(roll("50% - 1.8vmin"))},
        {"type": "text", "text": "{names}", "font": {"family": "{font}", "size": "\(TitleSizes.sans.credits)", "weight": "bold"}, "color": "#ffffff",
         "safeArea": "none", "position": {"x": "50% + 1.8vmin", "y": "100%"}, "anchorPoint": {"x": 0, "y": 0},
         \(roll("50% + 1.8vmin"))}]}
      """)

  /// Italic roles and upright names on paper.
  static let creditsEditorial = TitleDesign(
    family: serif, accent: "#8c2318", width: 0.42,
    layers: """
      {"safeArea": "title", "layers": [
        {"type": "shape", "shape": "rectangle", "fillColor": "#f4efe6", "safeArea": "none",
         "bounds": {"x": 0, "y": 0, "width": "100%", "height": "100%"},
         \(fade("0"))},
        {"type": "text", "text": "{roles}", "font": {"family": "{font}", "size": "\(TitleSizes.serif.credits)", "style": "italic"}, "color": "#453d30",
         "safeArea": "none", "position": {"x": "50% - 1.8vmin", "y": "100%"}, "anchorPoint": {"x": 1, "y": 0}, "alignment": "right",
         \(roll("50% - 1.8vmin"))},
        {"type": "text", "text": "{names}", "font": {"family": "{font}", "size": "\(TitleSizes.serif.credits)"}, "color": "#1b1a17",
         "safeArea": "none", "position": {"x": "50% + 1.8vmin", "y": "100%"}, "anchorPoint": {"x": 0, "y": 0},
         \(roll("50% + 1.8vmin"))}]}
      """)
}
