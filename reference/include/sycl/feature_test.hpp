//===- feature_test.hpp - what there is of SYCL's features and extensions --------------------===//
//
// SYCL 2020, "Feature test macros"; each extension's macro has the version of its document that is
// followed.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#define SYCL_FEATURE_SET_FULL 1
#define SYCL_DEVICE_COPYABLE 1
#define SYCL_BACKEND_OPENCL 1

#define SYCL_EXT_INTEL_DATAFLOW_PIPES 1
#define SYCL_EXT_INTEL_FPGA_LSU 1
#define SYCL_EXT_INTEL_FPGA_REG 1
#define SYCL_EXT_INTEL_USM_ADDRESS_SPACES 1
#define SYCL_EXT_ONEAPI_ANNOTATED_ARG 1
#define SYCL_EXT_ONEAPI_ANNOTATED_PTR 1
#define SYCL_EXT_ONEAPI_DEFAULT_CONTEXT 1
#define SYCL_EXT_ONEAPI_DEVICE_GLOBAL 1
#define SYCL_EXT_ONEAPI_ENQUEUE_BARRIER 1
#define SYCL_EXT_ONEAPI_GRAPH 1
#define SYCL_EXT_ONEAPI_IN_ORDER_QUEUE_EVENTS 1
#define SYCL_EXT_ONEAPI_KERNEL_PROPERTIES 1
#define SYCL_EXT_ONEAPI_MEMCPY2D 1
#define SYCL_EXT_ONEAPI_PROPERTIES 1
#define SYCL_EXT_ONEAPI_QUEUE_EMPTY 1
#define SYCL_EXT_ONEAPI_WEAK_OBJECT 1
#define SYCL_KHR_DEFAULT_CONTEXT 1
#define SYCL_KHR_DYNAMIC_ADDRSPACE_CAST 1
#define SYCL_KHR_GROUP_INTERFACE 1
#define SYCL_KHR_MAX_WORK_GROUP_QUERIES 1
#define SYCL_KHR_QUEUE_EMPTY_QUERY 1
#define SYCL_KHR_QUEUE_FLUSH 1
#define SYCL_KHR_SPLIT_HEADERS 1
#define SYCL_KHR_STATIC_ADDRSPACE_CAST 1
#define SYCL_KHR_WORK_ITEM_QUERIES 1
