import Support
import Testing
import sheaf

@Suite(.mayBlock) struct PainterTests {
  private func lines(_ texts: String...) -> [StyledLine] { texts.map { StyledLine($0) } }

  @Test func `only lines that change are written`() {
    var painter = Painter()
    let first = painter.paint(lines("a", "bb", "c"), columns: 10, hasColor: false)
    let second = painter.paint(lines("a", "b", "c"), columns: 10, hasColor: false)
    #expect(!second.contains("a") && !second.contains("c"))
    #expect(TerminalScreen(first + second, columns: 10).lines == ["a", "b", "c"])
    #expect(painter.paint(lines("a", "b", "c"), columns: 10, hasColor: false) == "")
  }

  @Test func `lines may become fewer and more`() {
    var painter = Painter()
    var text = "before\r\n"
    for number in [3, 1, 4, 2] {
      let shown = (0..<number).map { StyledLine("line \($0) of \(number)") }
      text += painter.paint(shown, columns: 20, hasColor: false)
      let screen = TerminalScreen(text, columns: 20)
      #expect(screen.lines == ["before"] + shown.map(\.text))
      #expect(!screen.isCursorVisible)
    }
    let screen = TerminalScreen(text + painter.erase(), columns: 20)
    #expect(screen.lines == ["before", ""])
    #expect(screen.isCursorVisible)
  }

  @Test func `a full line keeps its last character, and a longer one is cut`() {
    var painter = Painter()
    let text =
      painter.paint(lines("12345", "x"), columns: 5, hasColor: false)
      + painter.paint(lines("abcde", "1234567"), columns: 5, hasColor: false)
    let screen = TerminalScreen(text, columns: 5)
    #expect(screen.lines == ["abcde", "12345"])
    #expect(screen.wraps == 0)
  }

  @Test func `lines that a narrower terminal wrapped are erased`() {
    var painter = Painter()
    _ = painter.paint(lines("1234567890", "x"), columns: 10, hasColor: false)
    // In five columns, they have three rows.
    #expect(painter.eraseWrapped(columns: 5) == "\r\u{1b}[2A\u{1b}[J")
  }

  @Test func `styles are written only in color`() {
    let line = StyledLine("a", .red)
    #expect(line.rendered(hasColor: true) == "\u{1b}[31ma\u{1b}[0m")
    #expect(line.rendered(hasColor: false) == "a")
  }
}
