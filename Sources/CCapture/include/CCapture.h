#pragma once

/* Capture devices by their descriptors: the ioctls of <linux/videodev2.h> and <sound/asound.h>. Those headers define
   macros and unions that Swift cannot read; these contain plain structures only. */

#include "sheaf_sound.h"
#include "sheaf_video.h"
