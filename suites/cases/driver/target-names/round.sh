# round.sh OPTION TABLE ROUND DRIVER…: whether the plan for all architectures of a round of the table, at once,
# has an image and a call for each, and one more image that is no architecture's.
option=$1 table=$2 round=$3
shift 3
list=$(awk -v round="$round" '$1 == round { print $2 }' "$table" | paste -sd,)
plan=$("$@" "$option$list" empty.cpp '-###' 2>&1) || {
  echo "round $round: $plan"
  exit 1
}
# The keys of an image stand in any order.
echo "$plan" | grep -o '"--image=[^"]*"' | grep '[=,]kind=sycl[,"]' |
  sed 's/.*[=,]triple=\([^",]*\)\(.*\)/\1 &/; s/ .*[=,]arch=\([^",]*\).*/ \1/; s/ .*=.*//' >got
echo "$plan" | grep -o '"--[a-z]*-tool-arg=[^"]*"' | tr -d '"' >>got
awk -v round="$round" '$1 == round { print $3, $4 }' "$table" >wanted
echo spir64-unknown-unknown >>wanted
awk -v round="$round" '$1 == round && $5 != "-" { print $5, $6 }' "$table" >>wanted
sort -o got got && sort -o wanted wanted && diff wanted got && echo "round $round holds"
