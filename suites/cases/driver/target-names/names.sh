# names.sh TABLE OPTION DRIVER…: whether the plan for each name of the table says what the table does. Of a name that
# is refused stands the refusal; a driver that crashes ends this as the crash would.
table=$1 option=$2
shift 2
folder=$(dirname "$0")
cut -d ' ' -f 1 "$table" | xargs -P 4 -I NAME sh "$folder/name.sh" "$option" NAME "$@" | sort >got.txt
sort "$table" >wanted.txt
if [ -e crashed ]; then
  sort crashed | head -n 20
  exit 139
fi
comm -13 wanted.txt got.txt | head -n 20
cmp -s wanted.txt got.txt && wc -l <got.txt
