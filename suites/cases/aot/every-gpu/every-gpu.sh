# every-gpu.sh OCLOC TABLE INSPECT SPIRV_AS DRIVER…: compiles one program for every GPU of the table that
# ocloc knows, all in one command, and asks for each of the others alone.
ocloc=$1 table=$2 inspect=$3 assembler=$4
# The driver may be a command of several words.
shift 4
# SPIR-V, since not every system's ocloc takes OpenCL C.
"$assembler" --target-env spv1.2 -o k.spv - <<'END' || exit 1
OpCapability Addresses
OpCapability Kernel
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
%void = OpTypeVoid
%type = OpTypeFunction %void
%k = OpFunction %void None %type
%start = OpLabel
OpReturn
OpFunctionEnd
END
: >known
: >unknown
awk '$2 ~ /^spir64_gen/ && $3 != "-" && !seen[$3]++ { print $1, $3 }' "$table" >gpus
while read -r name device; do
  # ocloc itself says which devices it knows.
  if "$ocloc" compile -spirv_input -file k.spv -device "$device" -out_dir asked >/dev/null 2>&1; then
    echo "$name" >>known
  else
    echo "$name $device" >>unknown
  fi
done <gpus
echo "$(wc -l <known) known"
"$@" -fsycl -fsycl-device-code-split=off "-fsycl-targets=$(paste -sd, known)" test.cpp -o every || exit 1
"$inspect" every | sed -n 's/.*compile_target = "\(.*\)"/\1/p' | sort >compiled
sort known | diff - compiled && echo "every known one has its image"
"$@" -fsycl -fsycl-targets=spir64_gen -c test.cpp -o generic.o || exit 1
while read -r name device; do
  "$@" -fsycl -Wno-sycl-target "-fsycl-targets=$name" generic.o -o none </dev/null >said 2>&1 &&
    echo "$name: linked, though ocloc does not know it"
  grep -q "ocloc cannot compile" said && grep -q "device $device" said ||
    { echo "$name: the message names neither ocloc nor '$device':"; cat said; }
  [ ! -e none ] || echo "$name: left a program"
done <unknown
echo "the others were refused"
