//===- graph.hpp - commands that are described once and run often (sycl_ext_oneapi_graph) ----===//
//
// A graph is kept by the host: to run it is to submit its commands again, each after those before
// it. An update changes what is submitted next.
//
// Few programs have graphs: what does the work is made of templates, as PLSYCL_LATE says.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/experimental/graph/command_graph.hpp>
