#pragma once

#include <cairo.h>
#include <pango/pangocairo.h>

// Macros that Swift cannot import.
static const int sheaf_pango_scale = PANGO_SCALE;
