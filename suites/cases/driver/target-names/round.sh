# round.sh DRIVER TABLE ROUND: whether the plan for all architectures of a round of the table, at once,
# has an image and a call for each, and one more image that is no architecture's.
list=$(awk -v round="$3" '$1 == round { print $2 }' "$2" | paste -sd,)
plan=$("$1" -fsycl "--offload-arch=$list" empty.cpp '-###' 2>&1) || {
  echo "round $3: $plan"
  exit 1
}
# The keys of an image stand in any order.
echo "$plan" | grep -o '"--image=[^"]*"' | grep '[=,]kind=sycl[,"]' |
  sed 's/.*[=,]triple=\([^",]*\)\(.*\)/\1 &/; s/ .*[=,]arch=\([^",]*\).*/ \1/; s/ .*=.*//' >got
echo "$plan" | grep -o '"--[a-z]*-tool-arg=[^"]*"' | tr -d '"' >>got
awk -v round="$3" '$1 == round { print $3, $4 }' "$2" >wanted
echo spir64-unknown-unknown >>wanted
awk -v round="$3" '$1 == round && $5 != "-" { print $5, $6 }' "$2" >>wanted
sort -o got got && sort -o wanted wanted && diff wanted got && echo "round $3 holds"
