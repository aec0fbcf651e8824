# Every module of a folder in every mode: each image passes LLVM's verifier and spirv-val, and the
# images linked again define every entry point of the module once.
# Arguments: the folder, opt, spirv-val, llvm-as, llvm-link, llvm-dis. $LINKER is clang-sycl-linker and
# $POST_LINK sycl-post-link, each of one word or several. What --save-temps keeps has the output in its name.
# shellcheck disable=SC2086
set -eu
folder=$1 opt=$2 spirv_val=$3 llvm_as=$4 llvm_link=$5 llvm_dis=$6
kernels() { "$llvm_dis" "$1" -o - | grep -o '^define.* spir_kernel void @[^(]*' | sed 's/.*@//' | sort; }
images=0
for input in "$folder"/*.ll; do
  name=$(basename "$input" .ll)
  # SPIR-V has no calls through pointers without an extension that the writer leaves off.
  writer=yes
  if [ "$name" = reach ]; then writer=no; fi
  "$llvm_as" "$input" -o "$name.bc"
  for mode in none source kernel auto; do
    out=$name-$mode
    mkdir "$out"
    if [ $writer = yes ]; then
      $LINKER --save-temps -triple=spir64-unknown-unknown "--sycl-post-link-options=-split=$mode" \
        "$name.bc" -o "$out/image" 2>"$out.log" || { cat "$out.log"; exit 1; }
      for image in "$out"/*image.*_*.spv; do
        "$spirv_val" "$image" || { echo "invalid: $image"; exit 1; }
      done
      again=$(ls "$out"/*image.*_*.bc)
    else
      $POST_LINK "-split=$mode" "$name.bc" -o "$out.table"
      again=$(ls "$out"_*.bc)
    fi
    for image in $again; do
      "$opt" -passes=verify -disable-output "$image" 2>"$out.log" || { cat "$out.log"; exit 1; }
      kernels "$image" >>"$out.kernels"
      images=$((images + 1))
    done
    # A device global is in every image that uses it, so later images override earlier ones.
    first=yes words=
    for image in $again; do
      if [ $first = yes ]; then words=$image; else words="$words --override=$image"; fi
      first=no
    done
    # shellcheck disable=SC2086
    "$llvm_link" $words -o "$out.again.bc"
    kernels "$name.bc" >whole
    [ -s whole ] || { echo "no kernels to look for: $name"; exit 1; }
    kernels "$out.again.bc" >linked
    sort "$out.kernels" >apart
    cmp whole linked && cmp whole apart || { echo "entry points lost: $out"; exit 1; }
  done
  echo "$name holds"
done
echo "$images images"
