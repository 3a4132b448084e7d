// Shifts the wall clock of a process by the seconds in the file $CHAOS_CLOCK, which may change at any time.
// For LD_PRELOAD. The monotonic clock stays as it is.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *shift;

__attribute__((constructor)) static void open_clock(void) {
  const char *path = getenv("CHAOS_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *page = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (page != MAP_FAILED) shift = page;
}

static int64_t seconds(void) { return shift ? *shift : 0; }

int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*original)(clockid_t, struct timespec *);
  if (!original) *(void **)&original = dlsym(RTLD_NEXT, "clock_gettime");
  int outcome = original ? original(clock, time) : (int)syscall(SYS_clock_gettime, clock, time);
  if (outcome == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += seconds();
  return outcome;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

// The kernel compares the end of a wait with its own clock. A time on the monotonic clock is far smaller.
int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict end) {
  static int (*original)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  if (!original) *(void **)&original = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  struct timespec real = *end;
  if (real.tv_sec > 1000000000) real.tv_sec -= seconds();
  return original(condition, mutex, &real);
}
