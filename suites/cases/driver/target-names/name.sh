# name.sh OPTION NAME DRIVER…: what the plan for the target NAME says of its images: the name, triple and
# architecture of the image, and the words for the offline compiler; a dash for what it does not say.
option=$1 name=$2
# The driver may be a command of several words.
shift 2
plan=$("$@" "$option$name" empty.cpp '-###' 2>&1)
status=$?
if [ $status -ge 128 ]; then
  echo "$name: crashes ($status)" >>crashed
fi
if [ $status -ne 0 ]; then
  echo "$name: $(echo "$plan" | grep -m 1 error)"
  exit 1
fi
images=$(echo "$plan" | grep -o '"--image=[^"]*"' | grep '[=,]kind=sycl[,"]')
# Whatever the order of the keys is.
image=$(echo "$images" | sed -n 's/.*[=,]triple=\([^",]*\).*/\1/p')
arch=$(echo "$images" | sed -n 's/.*[=,]arch=\([^",]*\).*/\1/p')
words=$(echo "$plan" | sed -n 's/.*"\(--[a-z]*-tool-arg=[^"]*\)".*/\1/p')
set -- "$name" $image $arch
echo "$1 ${2:--} ${3:--} ${words:--}"
