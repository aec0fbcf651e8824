//===- tangle_group.hpp - part of sycl_ext_oneapi_non_uniform_groups, which is not there
#error "Plumbline has no tangle_group: ballot_group has the work-items that a condition divides"
