#include "sheaf_heap.h"

#include <malloc.h>

void sheaf_use_one_heap(void) {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

void sheaf_use_two_heaps(void) {
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
}
