#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ALSA. Functions take the descriptor of a PCM device and return 0, or -1 with errno. */

/* The request with this index, from 0, of those that these functions make; 0 if there are no more. */
uint64_t sheaf_sound_request(size_t index);

/* Whether a device captures, and does not play (SNDRV_PCM_IOCTL_INFO). */
int sheaf_sound_query(int device, bool *captures);

/* The values from `least` to `most`. */
struct sheaf_sound_range {
  uint32_t least, most;
};

/* A set of configurations with interleaved channels. */
struct sheaf_sound_space {
  /* Bit n is set for the sample format n of <sound/asound.h>. */
  uint64_t formats;
  struct sheaf_sound_range channels;
  /* In Hz. */
  struct sheaf_sound_range rate;
  /* The time between two interrupts, in microseconds. */
  struct sheaf_sound_range period;
  /* The time that the buffer holds, in microseconds. */
  struct sheaf_sound_range buffer;
};

/* Narrows the set to what the device supports (SNDRV_PCM_IOCTL_HW_REFINE). Fails with EINVAL if that is nothing. */
int sheaf_sound_refine(int device, struct sheaf_sound_space *space);

/* A configuration. */
struct sheaf_sound_setup {
  uint32_t format;
  uint32_t channels;
  uint32_t rate;
  /* In frames. */
  uint32_t period, buffer;
};

/* Applies the configuration of the set that has the fewest channels, the lowest rate, the shortest period and the longest
   buffer (SNDRV_PCM_IOCTL_HW_PARAMS). The device reports times of CLOCK_MONOTONIC (SNDRV_PCM_IOCTL_TTSTAMP), and stops
   if the buffer is full (SNDRV_PCM_IOCTL_SW_PARAMS). */
int sheaf_sound_configure(
  int device, const struct sheaf_sound_space *space, struct sheaf_sound_setup *setup);

int sheaf_sound_prepare(int device);
int sheaf_sound_start(int device);
/* Stops, and discards what was captured (SNDRV_PCM_IOCTL_DROP). */
int sheaf_sound_drop(int device);

enum sheaf_sound_state {
  sheaf_sound_running,
  /* Stopped because the buffer was full. */
  sheaf_sound_overrun,
  /* Stopped because the host was suspended. */
  sheaf_sound_suspended,
  sheaf_sound_disconnected,
  sheaf_sound_other
};

/* The progress of a device (SNDRV_PCM_IOCTL_STATUS). */
struct sheaf_sound_status {
  enum sheaf_sound_state state;
  /* The time for which the rest holds. */
  int64_t seconds, nanoseconds;
  /* The frames that can be read. */
  uint64_t available;
  /* The age of the oldest of them, in frames: those that can be read, and those that the hardware still holds. */
  int64_t delay;
};

int sheaf_sound_query_status(int device, struct sheaf_sound_status *status);

/* Reads frames (SNDRV_PCM_IOCTL_READI_FRAMES). Returns their number, or -1 with errno, which is EPIPE after an overrun. If
   the descriptor does not wait, it is EAGAIN if there are none. */
long sheaf_sound_read(int device, void *bytes, unsigned long frames);
