// What passes over a module ask of it.
#ifndef PLUMBLINE_ANALYSES_H
#define PLUMBLINE_ANALYSES_H

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"

// The analyses of a pipeline of `Builder`, each of which finds the others. Without library
// functions no pass puts in a call of one.
struct Analyses {
  llvm::LoopAnalysisManager Loops;
  llvm::FunctionAnalysisManager Functions;
  llvm::CGSCCAnalysisManager Graph;
  llvm::ModuleAnalysisManager Modules;

  Analyses(llvm::PassBuilder &Builder, const llvm::Module &M, bool LibraryFunctions) {
    if (!LibraryFunctions) {
      llvm::TargetLibraryInfoImpl None{llvm::Triple(M.getTargetTriple())};
      None.disableAllFunctions();
      Functions.registerPass([&] { return llvm::TargetLibraryAnalysis(None); });
    }
    Builder.registerLoopAnalyses(Loops);
    Builder.registerFunctionAnalyses(Functions);
    Builder.registerCGSCCAnalyses(Graph);
    Builder.registerModuleAnalyses(Modules);
    Builder.crossRegisterProxies(Loops, Functions, Graph, Modules);
  }
};

#endif
