#include <sanitizer/lsan_interface.h>
#include <stddef.h>
#include <stdint.h>

// libFuzzer's default mutation of bytes, which no header declares.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maximum);
