#pragma once

#include <cairo.h>
#include <pango/pangocairo.h>

// Macros that Swift cannot import.
static const int sheaf_pango_scale = PANGO_SCALE;
static const PangoGlyph sheaf_pango_glyph_empty = PANGO_GLYPH_EMPTY;
static const PangoGlyph sheaf_pango_glyph_unknown = PANGO_GLYPH_UNKNOWN_FLAG;
