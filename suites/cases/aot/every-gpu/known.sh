# known.sh OCLOC TABLE INSPECT SPIRV_AS OPTION DRIVER…: compiles one program for every GPU of the table
# that ocloc knows, all in one command, and leaves a list of the others.
ocloc=$1 table=$2 inspect=$3 assembler=$4 option=$5
# The driver may be a command of several words.
shift 5
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
"$@" "$option$(paste -sd, known)" test.cpp -o every || exit 1
"$inspect" every | sed -n 's/.*compile_target = "\(.*\)"/\1/p' | sort >compiled
sort known | diff - compiled && echo "every known one has its image"
