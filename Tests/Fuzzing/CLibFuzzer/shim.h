#include <sanitizer/lsan_interface.h>
#include <stddef.h>
#include <stdint.h>

// What libFuzzer does with bytes of which it knows nothing; it has no header.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maximum);
