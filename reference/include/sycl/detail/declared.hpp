//===- declared.hpp - classes that programs declare by themselves ----------------------------===//
//
// Headers of libraries that name a queue and include no header of SYCL declare the class as DPC++
// has it, in an inline namespace; in `sycl` itself it would be another class, as with DPC++.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

namespace sycl {
inline namespace _V1 {

class context;
class device;
class event;
class handler;
class platform;
class queue;

} // namespace _V1
} // namespace sycl
