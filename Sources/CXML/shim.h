#pragma once

// For one pointer at the end of a structure that is only used by reference, libxml would include ICU and thereby define
// the ICU types a second time beside Foundation's. A debug build, which compiles files together, rejects that.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/xmlreader.h>
