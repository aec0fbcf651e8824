# FEAT, "Changes to the DPC++ runtime": a kernel whose image has the property fixed_target is refused on devices that are
# none of those, with errc::kernel_not_supported.
# The property is told to no one: the runtime does not know its name.
for name in aspects reqd_work_group_size fixed_target; do
  grep -qaw "$name" "$DPCPP/lib/libsycl.so.9" && echo "$name: known" || echo "$name: unknown"
done
# prints: aspects: known
# prints: reqd_work_group_size: known
# prints: fixed_target: unknown
