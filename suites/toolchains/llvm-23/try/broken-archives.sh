# MODEL, "Archives": items of an archive are looked at by their type. What is no archive is no reason to crash.
printf '!<arch>\na.o/            0           0     0     644     9999999999`\nshort\n' > long.a
llvm-ar t long.a
# prints: truncated or malformed archive
llvm-offload-binary long.a --image=file=out,kind=openmp || echo "ends with $?"
# prints: ends with 139
