# name.sh DRIVER NAME: what the plan for the target NAME says of its images: the name, triple and
# architecture of the image, and the words for the offline compiler; a dash for what it does not say.
plan=$("$1" -fsycl "-fsycl-targets=$2" empty.cpp '-###' 2>&1) || {
  echo "$2: $plan"
  exit 1
}
images=$(echo "$plan" | grep -o '"--image=[^"]*"' | grep '[=,]kind=sycl[,"]')
# Whatever the order of the keys is.
image=$(echo "$images" | sed -n 's/.*[=,]triple=\([^",]*\).*/\1/p')
arch=$(echo "$images" | sed -n 's/.*[=,]arch=\([^",]*\).*/\1/p')
words=$(echo "$plan" | sed -n 's/.*"\(--[a-z]*-tool-arg=[^"]*\)".*/\1/p')
set -- "$2" $image $arch
echo "$1 ${2:--} ${3:--} ${words:--}"
