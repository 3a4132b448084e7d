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
}
