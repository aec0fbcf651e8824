//===- absent_headers.h - Headers of extensions that are not there --------------------------===//

#ifndef PLUMBLINE_ABSENT_HEADERS_H
#define PLUMBLINE_ABSENT_HEADERS_H

#include "clang/Lex/Preprocessor.h"

namespace plumbline {

/// Says of a header that is not found which extension brings it, where that is one of DPC++'s that
/// Plumbline has not. There is no file of that name, so that `__has_include` tells programs, too.
void watchAbsentHeaders(clang::Preprocessor &preprocessor);

} // namespace plumbline

#endif
