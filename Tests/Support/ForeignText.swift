/// Texts from outside, and how the programs and the status page's script display them.
public enum ForeignText {
  /// Each text, and its displayed form.
  public static let table = kept.map { ($0, $0) } + escaped

  /// Texts that are displayed unchanged.
  private static let kept = [
    "holiday.mp4", "naïve café", "Ελληνικά", "日本語", "שלום", "👩‍👩‍👧", "می‌خواهم", #"a\b"#, "",
    "a\u{200c}b\u{200d}c", "e\u{301}", "✈️", "\u{ad00}", "a\u{a0}b",
  ]

  private static let escaped = [
    ("a\u{1b}[2Jb", #"a\u{1B}[2Jb"#), ("a\u{9b}31mb", #"a\u{9B}31mb"#),
    ("a\0b", #"a\u{0}b"#), ("a\u{7f}b", #"a\u{7F}b"#),
    ("a\nb\r\tc", #"a\nb\r\tc"#), ("a\r\nb", #"a\r\nb"#),
    ("evil\u{202e}4pm.exe", #"evil\u{202E}4pm.exe"#),
    ("a\u{2066}b\u{2069}", #"a\u{2066}b\u{2069}"#), ("a\u{200f}b", #"a\u{200F}b"#),
    ("a\u{2028}b\u{2029}c\u{85}d", #"a\u{2028}b\u{2029}c\u{85}d"#),
    ("a\u{200b}\u{feff}b", #"a\u{200B}\u{FEFF}b"#), ("a\u{e0041}", #"a\u{E0041}"#),
    ("a\u{ad}b", #"a\u{AD}b"#), ("a\u{61c}\u{2060}b", #"a\u{61C}\u{2060}b"#),
  ]
}
