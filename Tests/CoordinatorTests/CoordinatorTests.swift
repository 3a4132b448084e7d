import Testing

@testable import sheaf_coordinator
