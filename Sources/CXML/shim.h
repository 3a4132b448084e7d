#pragma once

// libxml's own view of ICU (one pointer at the end of a structure that is only ever pointed to) would bring in a
// second definition of the ICU types that Foundation has: a debug build, which compiles files together, refuses that.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/xmlreader.h>
