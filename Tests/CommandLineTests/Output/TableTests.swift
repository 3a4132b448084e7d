import FarmAPI
import Support
import Testing
import sheaf

@Suite(.mayBlock) struct TableTests {
  @Test func `columns are as wide as their widest cell`() {
    var table = Table("ID", "NAME")
    table.add("1234", "a")
    table.add("5", "bc")
    #expect(table.lines == ["ID    NAME", "1234  a", "5     bc"])
  }

  @Test func `columns line up in every script, and no cell breaks a line`() {
    var table = Table("NAME", "STATE")
    table.add("日本", "a")
    table.add("e\u{301}t", "b")
    table.add("x\ny", "c")
    #expect(table.lines == ["NAME  STATE", "日本  a", "e\u{301}t    b", "x\\ny  c"])
  }

  private var wide: Table {
    var table = Table(
      Table.Column("ID", importance: 9), Table.Column("FRAMES", importance: 1),
      Table.Column("NAME", importance: 5, shortest: 6))
    table.add("5f0c", "1/2", "日本の海岸 and more")
    return table
  }

  @Test func `a flexible column is shortened first`() {
    #expect(wide.lines(fitting: 24) == ["ID    FRAMES  NAME", "5f0c  1/2     日本の海…"])
  }

  @Test func `the least important column is left out if that is not enough`() {
    #expect(wide.lines(fitting: 16) == ["ID    NAME", "5f0c  日本の海…"])
    #expect(wide.lines(fitting: 8) == ["ID", "5f0c"])
    #expect(wide.lines(fitting: 3) == ["ID", "5f…"])
  }

  @Test(arguments: 1...60)
  func `no line is wider than the terminal`(columns: Int) {
    #expect(wide.lines(fitting: columns).allSatisfy { PrintableText($0).columns <= columns })
  }
}
