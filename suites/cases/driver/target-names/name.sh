# name.sh DRIVER NAME: what the plan for the target NAME says of its images: the name, triple and
# architecture of the image, and the words for the offline compiler; a dash for what it does not say.
plan=$("$1" -fsycl "-fsycl-targets=$2" empty.cpp '-###' 2>&1) || {
  echo "$2: $plan"
  exit 1
}
image=$(echo "$plan" | sed -n 's/.*"--image=[^"]*triple=\([^",]*\),kind=sycl\(,arch=\([^",]*\)\)*".*/\1 \3/p')
words=$(echo "$plan" | sed -n 's/.*"\(--[a-z]*-tool-arg=[^"]*\)".*/\1/p')
set -- "$2" $image
echo "$1 ${2:--} ${3:--} ${words:--}"
