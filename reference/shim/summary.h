// Bitcode for ThinLTO.
#ifndef PLUMBLINE_SUMMARY_H
#define PLUMBLINE_SUMMARY_H

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Module.h"

// A module, all of whose globals have names, with a summary of them and a hash, which tells local
// symbols of one name apart when they are promoted; and, if it is to be an input of LLVM's own
// link, with the table of symbols that that reads.
llvm::SmallString<0> bitcodeWithSummary(const llvm::Module &From, bool SymbolTable);

#endif
