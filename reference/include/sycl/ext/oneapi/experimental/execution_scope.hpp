//===- execution_scope.hpp - what groups consist of -------------------------------------------===//
//
// Of sycl_ext_oneapi_root_group and sycl_ext_oneapi_forward_progress.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

namespace sycl::ext::oneapi::experimental {

enum class execution_scope { work_item, sub_group, work_group, root_group };

} // namespace sycl::ext::oneapi::experimental
