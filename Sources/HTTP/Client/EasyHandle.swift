import CCurl
import Foundation

/// One of libcurl's easy handles with what it points to; used by one thread at a time.
final class EasyHandle {
  /// libcurl's handle.
  let pointer: UnsafeMutableRawPointer
  private let errorText: UnsafeMutablePointer<CChar>
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private var resolveList: UnsafeMutablePointer<curl_slist>?

  private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

  /// A handle; the first one sets libcurl up.
  init() {
    guard Self.isReady, let pointer = curl_easy_init() else {
      preconditionFailure("libcurl cannot be set up, or there is no memory for a handle")
    }
    self.pointer = pointer
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    curl_easy_cleanup(pointer)
    curl_slist_free_all(headerList)
    curl_slist_free_all(resolveList)
    errorText.deallocate()
  }

  /// Forgets every option; connections stay open.
  func reset() {
    curl_easy_reset(pointer)
    curl_slist_free_all(headerList)
    headerList = nil
    curl_slist_free_all(resolveList)
    resolveList = nil
    errorText[0] = 0
    sheaf_curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText)
  }

  func set(_ option: CURLoption, _ value: Int) {
    sheaf_curl_set_number(pointer, option, value)
  }

  func set(_ option: CURLoption, size value: Int64) {
    sheaf_curl_set_size(pointer, option, curl_off_t(value))
  }

  func set(_ option: CURLoption, _ value: String) {
    sheaf_curl_set_text(pointer, option, value)
  }

  func set(_ option: CURLoption, to context: UnsafeMutableRawPointer) {
    sheaf_curl_set_pointer(pointer, option, context)
  }

  /// Sets the header lines, in libcurl's syntax.
  func set(headerLines: [String]) {
    curl_slist_free_all(headerList)
    headerList = nil
    for line in headerLines { headerList = curl_slist_append(headerList, line) }
    sheaf_curl_set_pointer(pointer, CURLOPT_HTTPHEADER, headerList)
  }

  /// Sets what a name resolves to, in libcurl's syntax; once after a reset.
  func set(resolveLine: String) {
    resolveList = curl_slist_append(nil, resolveLine)
    sheaf_curl_set_pointer(pointer, CURLOPT_RESOLVE, resolveList)
  }

  /// Sets the body, which libcurl copies.
  func set(body: Data) {
    set(CURLOPT_POST, 1)
    set(CURLOPT_POSTFIELDSIZE_LARGE, size: Int64(body.count))
    body.withUnsafeBytes { bytes in
      let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
      // Without bytes, an address that is not null still says that there is a body.
      sheaf_curl_set_pointer(pointer, CURLOPT_COPYPOSTFIELDS, start ?? pointer)
    }
  }

  /// The reason that libcurl gives for `result`.
  func reason(for result: CURLcode) -> String {
    let text = String(cString: errorText)
    return text.isEmpty ? String(cString: curl_easy_strerror(result)) : text
  }
}
