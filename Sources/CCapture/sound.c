#include "sheaf_sound.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include <sound/asound.h>

/* All requests in one table, so that the sandbox allows each one that is used. */
enum request { INFO, HW_REFINE, HW_PARAMS, SW_PARAMS, TTSTAMP, PREPARE, START, DROP, STATUS, READI_FRAMES, REQUESTS };

static const unsigned long numbers[REQUESTS] = {
  [INFO] = SNDRV_PCM_IOCTL_INFO,
  [HW_REFINE] = SNDRV_PCM_IOCTL_HW_REFINE,
  [HW_PARAMS] = SNDRV_PCM_IOCTL_HW_PARAMS,
  [SW_PARAMS] = SNDRV_PCM_IOCTL_SW_PARAMS,
  [TTSTAMP] = SNDRV_PCM_IOCTL_TTSTAMP,
  [PREPARE] = SNDRV_PCM_IOCTL_PREPARE,
  [START] = SNDRV_PCM_IOCTL_START,
  [DROP] = SNDRV_PCM_IOCTL_DROP,
  [STATUS] = SNDRV_PCM_IOCTL_STATUS,
  [READI_FRAMES] = SNDRV_PCM_IOCTL_READI_FRAMES,
};

uint64_t sheaf_sound_request(size_t index) { return index < REQUESTS ? numbers[index] : 0; }

static int call(int device, enum request request, void *argument) {
  return ioctl(device, numbers[request], argument) < 0 ? -1 : 0;
}

int sheaf_sound_query(int device, bool *captures) {
  struct snd_pcm_info info = {0};
  if (call(device, INFO, &info) < 0) return -1;
  *captures = info.stream == SNDRV_PCM_STREAM_CAPTURE;
  return 0;
}

static struct snd_interval *interval(struct snd_pcm_hw_params *parameters, int parameter) {
  return &parameters->intervals[parameter - SNDRV_PCM_HW_PARAM_FIRST_INTERVAL];
}

static struct snd_mask *mask(struct snd_pcm_hw_params *parameters, int parameter) {
  return &parameters->masks[parameter - SNDRV_PCM_HW_PARAM_FIRST_MASK];
}

static void limit(struct snd_pcm_hw_params *parameters, int parameter, struct sheaf_sound_range range) {
  struct snd_interval *limited = interval(parameters, parameter);
  limited->min = range.least;
  limited->max = range.most;
  limited->integer = range.least == range.most;
}

static struct sheaf_sound_range range(struct snd_pcm_hw_params *parameters, int parameter) {
  const struct snd_interval *found = interval(parameters, parameter);
  return (struct sheaf_sound_range){found->min, found->max};
}

/* All configurations in the set. */
static struct snd_pcm_hw_params parameters(const struct sheaf_sound_space *space) {
  struct snd_pcm_hw_params result;
  memset(&result, 0, sizeof result);
  for (int each = SNDRV_PCM_HW_PARAM_FIRST_INTERVAL; each <= SNDRV_PCM_HW_PARAM_LAST_INTERVAL; each++)
    interval(&result, each)->max = UINT_MAX;
  mask(&result, SNDRV_PCM_HW_PARAM_ACCESS)->bits[0] = 1u << SNDRV_PCM_ACCESS_RW_INTERLEAVED;
  mask(&result, SNDRV_PCM_HW_PARAM_FORMAT)->bits[0] = (uint32_t)space->formats;
  mask(&result, SNDRV_PCM_HW_PARAM_FORMAT)->bits[1] = (uint32_t)(space->formats >> 32);
  mask(&result, SNDRV_PCM_HW_PARAM_SUBFORMAT)->bits[0] = 1u << SNDRV_PCM_SUBFORMAT_STD;
  limit(&result, SNDRV_PCM_HW_PARAM_CHANNELS, space->channels);
  limit(&result, SNDRV_PCM_HW_PARAM_RATE, space->rate);
  limit(&result, SNDRV_PCM_HW_PARAM_PERIOD_TIME, space->period);
  limit(&result, SNDRV_PCM_HW_PARAM_BUFFER_TIME, space->buffer);
  result.rmask = UINT_MAX;
  result.info = UINT_MAX;
  return result;
}

static uint64_t formats(struct snd_pcm_hw_params *parameters) {
  const struct snd_mask *found = mask(parameters, SNDRV_PCM_HW_PARAM_FORMAT);
  return found->bits[0] | (uint64_t)found->bits[1] << 32;
}

int sheaf_sound_refine(int device, struct sheaf_sound_space *space) {
  struct snd_pcm_hw_params refined = parameters(space);
  if (call(device, HW_REFINE, &refined) < 0) return -1;
  space->formats = formats(&refined);
  space->channels = range(&refined, SNDRV_PCM_HW_PARAM_CHANNELS);
  space->rate = range(&refined, SNDRV_PCM_HW_PARAM_RATE);
  space->period = range(&refined, SNDRV_PCM_HW_PARAM_PERIOD_TIME);
  space->buffer = range(&refined, SNDRV_PCM_HW_PARAM_BUFFER_TIME);
  return 0;
}

int sheaf_sound_configure(
  int device, const struct sheaf_sound_space *space, struct sheaf_sound_setup *setup) {
  struct snd_pcm_hw_params hardware = parameters(space);
  if (call(device, HW_PARAMS, &hardware) < 0) return -1;
  uint64_t chosen = formats(&hardware);
  setup->format = chosen ? (uint32_t)__builtin_ctzll(chosen) : 0;
  setup->channels = interval(&hardware, SNDRV_PCM_HW_PARAM_CHANNELS)->min;
  setup->rate = interval(&hardware, SNDRV_PCM_HW_PARAM_RATE)->min;
  setup->period = interval(&hardware, SNDRV_PCM_HW_PARAM_PERIOD_SIZE)->min;
  setup->buffer = interval(&hardware, SNDRV_PCM_HW_PARAM_BUFFER_SIZE)->min;
  struct snd_pcm_sw_params software = {
    .tstamp_mode = SNDRV_PCM_TSTAMP_ENABLE,
    .period_step = 1,
    .avail_min = setup->period ? setup->period : 1,
    /* Reading does not start the device. */
    .start_threshold = LONG_MAX,
    .stop_threshold = setup->buffer,
    .proto = SNDRV_PCM_VERSION,
    .tstamp_type = SNDRV_PCM_TSTAMP_TYPE_MONOTONIC,
  };
  if (call(device, SW_PARAMS, &software) < 0) return -1;
  /* Kernels before 3.17 ignore the type above. */
  int type = SNDRV_PCM_TSTAMP_TYPE_MONOTONIC;
  return call(device, TTSTAMP, &type);
}

int sheaf_sound_prepare(int device) { return call(device, PREPARE, NULL); }

int sheaf_sound_start(int device) { return call(device, START, NULL); }

int sheaf_sound_drop(int device) { return call(device, DROP, NULL); }

static enum sheaf_sound_state state(snd_pcm_state_t state) {
  switch (state) {
  case SNDRV_PCM_STATE_RUNNING: return sheaf_sound_running;
  case SNDRV_PCM_STATE_XRUN: return sheaf_sound_overrun;
  case SNDRV_PCM_STATE_SUSPENDED: return sheaf_sound_suspended;
  case SNDRV_PCM_STATE_DISCONNECTED: return sheaf_sound_disconnected;
  default: return sheaf_sound_other;
  }
}

int sheaf_sound_query_status(int device, struct sheaf_sound_status *status) {
  struct snd_pcm_status found = {0};
  if (call(device, STATUS, &found) < 0) return -1;
  *status = (struct sheaf_sound_status){
    .state = state(found.state),
    .seconds = found.tstamp.tv_sec,
    .nanoseconds = found.tstamp.tv_nsec,
    .available = found.avail,
    .delay = found.delay,
  };
  return 0;
}

long sheaf_sound_read(int device, void *bytes, unsigned long frames) {
  struct snd_xferi transfer = {.buf = bytes, .frames = frames};
  if (call(device, READI_FRAMES, &transfer) < 0) return -1;
  return transfer.result;
}
