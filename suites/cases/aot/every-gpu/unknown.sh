# unknown.sh OPTION DRIVER…: asks for each GPU of the list that known.sh left, one at a time.
option=$1
shift
"$@" "${option}spir64_gen" -c test.cpp -o generic.o || exit 1
while read -r name device; do
  "$@" -Wno-sycl-target "$option$name" generic.o -o none </dev/null >said 2>&1 &&
    echo "$name: linked, though ocloc does not know it"
  grep -q "ocloc cannot compile" said && grep -q "device $device" said ||
    { echo "$name: the message names neither ocloc nor '$device':"; cat said; }
  [ ! -e none ] || echo "$name: left a program"
done <unknown
echo "the others were refused"
