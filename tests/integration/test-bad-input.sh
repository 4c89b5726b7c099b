#!/bin/bash
# What somebody new brings, as it is: each row of the table is a file (or a command) that cannot be read as it stands, or
# that can and has something to be said of it. What is said has to have where it is, the value, and what to do: three
# patterns in each row, all of which the sentence must match, at exit status 4. `fine` rows are read, and say what was taken.
#
#     row "what is brought" FILE CONTENT  'where' 'value' 'what to do' -- coterie COMMAND
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

ROWS=0 POINTS=0

# FILE and CONTENT may be '' where files were made before; ARG... is coterie's command line.
row() { # NAME FILE CONTENT WHERE VALUE TO-DO -- ARG...
	local name=$1 file=$2 content=$3 wanted=("$4" "$5" "$6") status=0 regex
	[[ $4 && $5 && $6 ]] || fail "$name: a pattern is empty, which all sentences match"
	shift 7
	[[ -z $file ]] || printf "$content" >"$file"
	rm -rf o
	timeout $((PATIENCE * 20)) "$BIN/coterie" "$@" </dev/null >said 2>&1 || status=$?
	ROWS=$((ROWS + 1))
	((status == 4)) || fault "$name: status $status, expected 4: $(tail -n 1 said)"
	[[ ! -e o ]] || fault "$name: left o behind"
	for regex in "${wanted[@]}"; do
		if grep -Eq -- "$regex" said; then POINTS=$((POINTS + 1)); else fault "$name: does not say '$regex': $(tail -n 1 said)"; fi
	done
}

# Read, with what is in the log.
fine() { # NAME FILE CONTENT SAYS -- ARG...
	local name=$1 file=$2 content=$3 says=$4 status=0
	shift 5
	[[ -z $file ]] || printf "$content" >"$file"
	rm -rf o
	"$BIN/coterie" "$@" </dev/null >said 2>&1 || status=$?
	ROWS=$((ROWS + 1)) POINTS=$((POINTS + 3))
	((status == 0)) || fault "$name: status $status: $(tail -n 1 said)"
	grep -Eq -- "$says" said || fault "$name: does not say '$says': $(<said)"
}

counts() { # EXPECTED: rows of the table; each has three points
	((ROWS == $1 && POINTS == 3 * $1)) || fault "$POINTS points of $ROWS rows, expected $((3 * $1)) of $1"
}

I=(import t.csv --out o)

test_text_and_lines() {
	cd "$T" || exit 1
	row 'an empty file' t.csv '' 't\.csv' 'file is empty' 'expected a heading and rows' -- "${I[@]}"
	row 'UTF-16 with a mark' t.csv '\xff\xfea\0,\0b\0' 't\.csv' 'UTF-16' 'save it as CSV in UTF-8' -- "${I[@]}"
	row 'UTF-16 without one' t.csv 'a\0,\0b\0\n\0' 't\.csv' 'UTF-16' 'save it as CSV in UTF-8' -- "${I[@]}"
	row 'a spreadsheet named .csv' t.csv 'PK\3\4\24\0\6\0' 't\.csv' 'file of another kind' 'save it as CSV' -- "${I[@]}"
	row 'a spreadsheet' t.xlsx 'PK\3\4' 't\.xlsx' 'name says nothing' 'expected one that ends in \.csv' -- import t.xlsx --out o
	row 'Latin-1 in a heading' t.csv 'na\xefve,b\n1,2\n' 't\.csv: the name of column 1' 'na\?ve' 'save the file as UTF-8' -- "${I[@]}"
	row 'Latin-1 in a word' t.csv 'a,b\ncaf\xe9,2\n' 't\.csv:2: column "a"' 'caf\?' 'save the file as UTF-8' -- "${I[@]}" -c a
	row 'lines of an old Mac' t.csv 'a,b\r1,2\r3,4\r' 't\.csv:1: field 2' 'carriage return' 'LF or CRLF' -- "${I[@]}"
	row 'a blank line in the middle' t.csv 'a,b\n1,2\n\n3,4\n' 't\.csv:3:' 'is blank' 'take it out' -- "${I[@]}"
	row 'a blank line at the beginning' t.csv '\na,b\n1,2\n' 't\.csv:1:' 'is blank' 'take it out' -- "${I[@]}"
	row 'a line of blanks' t.csv 'a,b\n1,2\n  \n3,4\n' 't\.csv:3:' 'is blank' 'take it out' -- "${I[@]}"
	row 'one field too few' t.csv 'a,b\n1,2\n3\n' 't\.csv:3:' '1 fields, expected 2' 'as on the first line' -- "${I[@]}"
	row 'one field too many' t.csv 'a,b\n1,2\n3,4,5\n' 't\.csv:3:' '3 fields, expected 2' 'in quotes' -- "${I[@]}"
	row 'a comma that is not in quotes' t.csv 'a,b\n1,2\nDoe, J,4\n' 't\.csv:3:' '3 fields' 'has to be in quotes' -- "${I[@]}"
	row 'a title above the heading' t.csv 'Customers 2024\na,b\n1,2\n' 't\.csv:2:' '2 fields, expected 1' 'a title or a comment, take it out' -- "${I[@]}"
	row 'a quote that is not closed' t.csv 'a,b\n1,"x\n3,4\n' 't\.csv:2:' 'a quote is opened here' 'never closed' -- "${I[@]}"
	row 'quotes within a field' t.csv 'a,b\n1,say "x"\n' 't\.csv:2: field 2' 'quote in its middle' 'each quote in it twice' -- "${I[@]}"
	row 'a quote with a backslash' t.csv 'a,b\n1,"say \\"x\\""\n' 't\.csv:2: field 2' 'goes on behind its closing quote' 'twice' -- "${I[@]}"
	row 'comments' t.csv '# from the lab\na,b\n1,2\n' 't\.csv:2:' '2 fields, expected 1' 'how comments begin \(comment\)' -- "${I[@]}"
	row 'a total at the end' t.csv 'a,b\n1,2\nTotal,2\n' 't\.csv:3: column "a"' '"Total"' 'stands for no value \(na\)' -- "${I[@]}"
	row 'a table with zeros in it' t.csv 'a,b\n1,\0002\n' 't\.csv' 'not UTF-16 or a file of another kind' 'save it as CSV' -- "${I[@]}"
	row 'a page named .csv' t.csv '<table>\n<tr><td>1</td></tr>\n' 't\.csv:2: column "<table>"' '<td>1</td>' 'expected a number' -- "${I[@]}"
	row 'a Parquet file' t.parquet 'PAR1\25\4' 't\.parquet' 'a \.parquet comes in through Python' 'coterie\.prepare' -- import t.parquet --out o
	row 'a Parquet file named .csv' t.csv 'PAR1\25\4\25\0' 't\.csv' 'file of another kind' 'save it as CSV' -- "${I[@]}"
	row 'JSON' t.json '[{"a": 1}]\n' 't\.json' 'name says nothing' 'expected one that ends in \.csv' -- import t.json --out o
	fine 'a byte order mark' t.csv '\xef\xbb\xbfa,b\n1,2\n' 'begins with a byte order mark' -- "${I[@]}"
	fine 'CRLF, and lines at the end' t.csv 'a,b\r\n1,2\r\n\r\n' 'left out 1 blank lines at the end' -- "${I[@]}"
	fine 'quotes around all' t.csv '"a","b"\n"1","2"\n' '1 rows, 2 features' -- "${I[@]}"
	counts 28
}

test_separators() {
	cd "$T" || exit 1
	row 'semicolons' t.csv 'a;b;c\n1;2;3\n' 't\.csv:1:' "2 times ';'" 'say what separates fields \(separator\)' -- "${I[@]}"
	row 'tabs in .csv' t.csv 'a\tb\n1\t2\n' 't\.csv:1:' '1 times a tab' '\(separator\)' -- "${I[@]}"
	row 'bars' t.csv 'a|b\n1|2\n' 't\.csv:1:' "'\\|'" '\(separator\)' -- "${I[@]}"
	row 'commas in .tsv' t.tsv 'a,b\n1,2\n' 't\.tsv:1:' '1 times a comma' '\(separator\)' -- import t.tsv --out o
	row 'decimal commas' t.csv 'a;b\n1,5;2\n' 't\.csv:2: column "a"' '"1,5"' 'say so \(decimal\)' -- "${I[@]}" --separator ';'
	row 'decimal commas in quotes' t.csv 'a,b\n"1,5",2\n' 't\.csv:2: column "a"' '"1,5"' '\(decimal\)' -- "${I[@]}"
	row 'decimal commas between commas' t.csv 'a,b\n1,2\n' 't\.csv' "','" 'expected two characters' -- "${I[@]}" --set decimal=,
	row 'a separator of two characters' t.csv 'a::b\n1::2\n' 'separator' '"::"' 'expected one character' -- "${I[@]}" --separator ::
	row 'another decimal point' t.csv 'a,b\n1,2\n' 'decimal' '"x"' 'expected "\." or ","' -- "${I[@]}" --set decimal=x
	fine 'said semicolons and commas' t.csv 'a;b\n1,5;2\n' '1 rows, 2 features' -- "${I[@]}" --separator ';' --set decimal=,
	counts 10
}

test_headings() {
	cd "$T" || exit 1
	row 'a first row of NA' t.csv 'NA,NA\n1,2\n' 't\.csv:1:' '"NA,NA"' 'header yes or no' -- "${I[@]}"
	row "pandas' heading of numbers" t.csv '0,1,2\n3,4,5\n' 't\.csv:1:' '"0,1,2"' 'header yes or no' -- "${I[@]}"
	row "pandas' index and heading of numbers" t.csv ',0,1\n0,3,4\n' 't\.csv:1:' '",0,1"' 'header yes or no' -- "${I[@]}"
	row "pandas' heading of one number" t.csv '0\n3\n4\n' 't\.csv:1:' '"0"' 'header yes or no' -- "${I[@]}"
	row "pandas' index" t.csv ',a,b\n0,3,4\n' 'column 1' 'has no name' 'id "#1"' -- "${I[@]}"
	row 'years as a heading' t.csv 'who,2019,2020\nx,3,4\n' 't\.csv:1:' '"who,2019,2020"' 'header yes or no' -- "${I[@]}"
	row 'a row of words and numbers' t.csv 'ann,3\nbob,4\n' 't\.csv:1:' '"ann,3"' 'header yes or no' -- "${I[@]}"
	row 'dates as a heading' t.csv '2024-01-01,2024-01-02\n3,4\n' 't\.csv:1:' '2024-01-01' 'header yes or no' -- "${I[@]}"
	row 'two columns of one name' t.csv 'a,b,a\n1,2,3\n' 'columns 1 and 3' '"a"' 'give one another name' -- "${I[@]}"
	row 'a heading alone' t.csv 'a,b\n' 't\.csv' 'no rows' 'below the heading' -- "${I[@]}"
	row 'row names of R' t.csv 'a,b\n1,3,4\n' 't\.csv:2:' '3 fields, but the heading has 2' 'col\.names = NA' -- "${I[@]}"
	row 'a separator at each end' t.csv 'a,b,\n1,2,\n' 'column 3' 'has no name' 'ignore "#3"' -- "${I[@]}"
	row 'a heading said, of numbers' t.csv '5,5\n1,2\n' 'columns 1 and 2' '"5"' 'give one another name' -- "${I[@]}" --header yes
	row 'a word for header' t.csv 'a,b\n1,2\n' 'header' '"maybe"' 'expected one of "auto", "yes", "no"' -- "${I[@]}" --header maybe
	row 'a name with a blank' t.csv 'a, b\n1,2\n' 'the name of column 2' '" b"' 'begins or ends with a blank' -- "${I[@]}"
	fine 'a heading of words' t.csv 'a,b\n1,2\n' 'the first line is the heading, as no field in it is a number' -- "${I[@]}"
	fine 'no heading' t.csv '1.5,2\n3,4\n' 'the first line is a row and no heading' -- "${I[@]}"
	counts 17
}

test_values() {
	cd "$T" || exit 1
	row 'an empty field' t.csv 'a,b\n1,\n' 't\.csv:2: column "b"' 'has no value' '\(missing\): mean, median or indicator' -- "${I[@]}"
	row 'NA' t.csv 'a,b\n1,NA\n' 't\.csv:2: column "b"' '"NA"' '\(missing\)' -- "${I[@]}"
	row 'nan' t.csv 'a,b\nnan,1\n' 't\.csv:2: column "a"' '"nan"' '\(missing\)' -- "${I[@]}"
	row 'another word for nothing' t.csv 'a,b\n1,n/k\n' 't\.csv:2: column "b"' '"n/k"' 'stands for no value \(na\)' -- "${I[@]}"
	row 'a point for nothing' t.csv 'a,b\n1,.\n' 't\.csv:2: column "b"' '"\."' '\(decimal\)|\(na\)' -- "${I[@]}"
	row 'infinity' t.csv 'a,b\n1,inf\n' 't\.csv:2: column "b"' '"inf"' 'expected a finite number' -- "${I[@]}"
	row 'a number beyond doubles' t.csv 'a,b\n1,1e999\n' 't\.csv:2: column "b"' '1e999' 'expected a finite number' -- "${I[@]}"
	row 'words' t.csv 'a,sex\n1,f\n' 't\.csv:2: column "sex"' '"f"' 'column of words \(category\)' -- "${I[@]}"
	row 'true and false' t.csv 'a,b\n1,TRUE\n' 't\.csv:2: column "b"' '"TRUE"' '\(category\)' -- "${I[@]}"
	row 'a date' t.csv 'a,b\n1,2024-05-06\n' 't\.csv:2: column "b"' '"2024-05-06"' 'it is a date \(date\)' -- "${I[@]}"
	row 'a date with points' t.csv 'a,b\n1,06.05.2024\n' 't\.csv:2: column "b"' '06\.05\.2024' 'expected a date as 2024-12-31' -- "${I[@]}" --date b
	row 'a date that there is not' t.csv 'a,b\n1,2023-02-29\n' 't\.csv:2: column "b"' '2023-02-29' 'expected a date' -- "${I[@]}" --date b
	row 'percent' t.csv 'a,b\n1,12%%\n' 't\.csv:2: column "b"' '"12%"' '\(category\)|\(ignore\)' -- "${I[@]}"
	row 'money' t.csv 'a,b\n1,$12\n' 't\.csv:2: column "b"' '"\$12"' '\(ignore\)' -- "${I[@]}"
	row 'thousands' t.csv 'a,b\n1,"1,234.5"\n' 't\.csv:2: column "b"' '1,234\.5' 'without separators of thousands' -- "${I[@]}"
	row 'a number in hexadecimal' t.csv 'a,b\n1,0x1F\n' 't\.csv:2: column "b"' '"0x1F"' '\(ignore\)' -- "${I[@]}"
	row 'two numbers in one field' t.csv 'a,b\n1,3 4\n' 't\.csv:2: column "b"' '"3 4"' 'expected a number' -- "${I[@]}"
	row 'a column without values' t.csv 'a,b\n1,\n2,\n' 'column "b"' 'no value in any of the 2 rows' '\(ignore\)' -- "${I[@]}" -m mean
	row 'names as a category' t.csv 'a,b\n1,x\n2,y\n3,z\n' 't\.csv:4: column "b"' 'more than 2 values, "z"' '\(most\)' -- "${I[@]}" -c b --set most=2
	row 'a value that was not given' t.csv 'a,b\n1,x\n2,q\n' 't\.csv:3: column "b"' '"q"' 'none of the 2 values that were given \(category\)' -- "${I[@]}" -c 'b=x|y'
	row 'a blank before a word' t.csv 'a,b\n1, x\n' 't\.csv:2: column "b"' '" x"' 'begins or ends with a blank' -- "${I[@]}" -c b
	row 'a word for missing' t.csv 'a,b\n1,2\n' 'missing' '"zero"' 'expected "error", "mean", "median" or "indicator"' -- "${I[@]}" -m zero
	fine 'gaps, and what becomes of them' t.csv 'a,b\n1,\n2,3\n' 'column .*b.*: 1 of 2 values are missing; the mean' -- "${I[@]}" -m mean
	counts 23
}

test_names_and_ids() {
	cd "$T" || exit 1
	row 'a column that is not there' t.csv 'a,b\n1,2\n' 't\.csv: id' '"customer"' 'none of the 2 columns: "a", "b"' -- "${I[@]}" -i customer
	row 'a name in other letters' t.csv 'Id,b\n1,2\n' 't\.csv: id' '"id"' '"Id", "b"' -- "${I[@]}" -i id
	row 'two names in one option' t.csv 'a,b,c\n1,2,3\n' 't\.csv: ignore' '"a,b"' 'none of the 3 columns' -- "${I[@]}" --ignore a,b
	row 'a column of two roles' t.csv 'a,b\n1,2\n' 'column "a"' 'id and ignore' 'expected one of them' -- "${I[@]}" -i a --ignore a
	row 'all columns ignored' t.csv 'a,b\n1,2\n' 't\.csv' 'no column is left' 'becomes a feature' -- "${I[@]}" --ignore a --ignore b
	row 'a name without a heading' t.csv '1.5,2\n3,4\n' 't\.csv: id' '"who"' 'none of the 2 columns: "1.5", "2"' -- "${I[@]}" -i who
	row 'an id twice' t.csv 'who,b\nx,1\ny,2\nx,3\n' 't\.csv:4: column "who"' '"x"' 'id of line 2 too; take one' -- "${I[@]}" -i who
	row 'an id with a blank' t.csv 'who,b\nann lee,1\n' 't\.csv:2: column "who"' '"ann lee"' 'without blanks' -- "${I[@]}" -i who
	row 'an id that is missing' t.csv 'who,b\nx,1\n,2\n' 't\.csv:3: column "who"' 'has no id' 'give the row one' -- "${I[@]}" -i who
	row 'an id that begins with #' t.csv 'who,b\n#7,1\n' 't\.csv:2: column "who"' '"#7"' 'do not begin with' -- "${I[@]}" -i who
	row 'a class that is missing' t.csv 'a,class\n1,x\n2,\n' 't\.csv:3: column "class"' 'has no value' 'to be ignored' -- "${I[@]}" -l class -m mean
	fine 'ids as floats' t.csv 'who,b\n1.0,1\n2.0,2\n' 'all ids end in ..\.0' -- "${I[@]}" -i who
	counts 12
}

test_edges_and_matrices() {
	cd "$T" || exit 1
	local E=(import --edges e.csv --out o)
	row 'a heading in edges.csv' e.csv 'source,target\na,b\n' 'e\.csv:1:' 'first line' 'header yes or no\), or which columns have the ends \(from, to\)' -- "${E[@]}"
	row 'a heading in edges.tsv' e.tsv 'source\ttarget\na\tb\n' 'e\.tsv' '"source" and "target"' "begin it with '#'" -- import --edges e.tsv --out o
	row 'a heading before numbers' e.tsv 'x\ty\n1\t2\n3\t4\n5\t6\n7\t8\n' 'e\.tsv' '"x" and "y"' "begin it with '#'" -- import --edges e.tsv --out o
	row 'commas in edges.tsv' e.tsv 'a,b\nb,c\n' 'e\.tsv:1:' 'line ends' 'between commas in a file \.csv' -- import --edges e.tsv --out o
	row 'a third column' e.csv '1,2,5\n' 'e\.csv:1:' '3 columns' '\(from, to, weight\)' -- "${E[@]}"
	row 'one end named' e.csv 'a,b\n1,2\n' 'e\.csv' 'one end has a column' 'expected both \(from and to\)' -- "${E[@]}" -S from=a
	row 'an end that is not there' e.csv 'a,b\n1,2\n' 'e\.csv:1: to' '"c"' 'none of the 2 columns' -- "${E[@]}" -S from=a -S to=c
	row 'a weight that is no number' e.csv 'a,b,w\n1,2,x\n' 'e\.csv:2:' 'weight is "x"' 'expected a number' -- "${E[@]}" -S from=a -S to=b -S weight=w
	row 'a weight of 0' e.csv 'a,b,w\n1,2,0\n' 'e\.csv:2:' 'weight is 0' 'expected more than 0' -- "${E[@]}" -S from=a -S to=b -S weight=w
	row 'an end with a blank' e.csv 'a,b\nann lee,2\n' 'e\.csv:2:' '"ann lee"' 'without blanks' -- "${E[@]}" -S from=a -S to=b
	printf 'who,x\na,1\nb,2\n' >t.csv
	row 'an end that is no id' e.csv 'f,t\na,zed\n' 'e\.csv:2:' '"zed"' 'none of the 2 ids' -- "${I[@]}" -i who -e e.csv -S from=f -S to=t
	row 'a text in .npy' t.npy 'a,b\n' 't\.npy' 'does not begin like' 'expected what numpy\.save\(\) wrote' -- import t.npy --out o
	row 'a text in .mat' t.mat 'a,b\n' 't\.mat' 'no file of MATLAB' 'expected one that save wrote' -- import t.mat --out o
	row 'a text in .h5ad' t.h5ad 'a,b\n' 't\.h5ad' 'cannot be opened as HDF5' 'expected AnnData as write_h5ad\(\) wrote it' -- import t.h5ad --out o
	row 'a text in .npz' t.npz 'a,b\n' 't\.npz' 'Not a zip archive' 'expected what numpy\.savez\(\)' -- import t.npz --out o
	row 'a table said of a matrix' m.mtx '%%%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n' 'm\.mtx' 'this is no table' 'how a table is read' -- import m.mtx --out o -i who
	row 'a cut .gz' t.csv.gz '\x1f\x8b\x08\0' 't\.csv\.gz' 'after 4 bytes' 'ends early' -- import t.csv.gz --out o
	row 'no .gz' t.csv.gz 'a,b\n1,2\n' 't\.csv\.gz' 'at byte' 'is damaged' -- import t.csv.gz --out o
	fine 'an edge twice, and a loop' e.csv '1,2\n2,1\n3,3\n' 'dropped 1 self-loops and 1 lines that repeat' -- "${E[@]}"
	counts 19
}

test_places_and_commands() {
	cd "$T" || exit 1
	printf 'a,b\n1,2\n' >t.csv
	row 'no file' '' '' 'none\.csv' 'No such file' 'expected a file that this user may read' -- import none.csv --out o
	row 'no --out' '' '' 'import' '--out' 'are needed' -- import t.csv
	row 'a directory' '' '' '/tmp' 'ends in' 'expected' -- import /tmp --out o
	mkdir -p full && : >full/mine
	row 'no edges' '' '' 'none\.csv' 'No such file' 'expected a file that this user may read' -- import t.csv --edges none.csv --out o
	row 'a full directory' '' '' 'full' 'there is something in it' 'empty or not there' -- import t.csv --out full
	mkdir -p p.part
	row 'two at one place' '' '' 'p\.part' 'is under way, or was killed' 'remove it' -- import t.csv --out p
	row 'a key that there is not' '' '' '--set' '"colour=red"' 'one of the keys' -- "${I[@]}" -S colour=red
	row 'a part of a table' '' '' 't\.csv' '"x"' 'has no parts' -- "${I[@]}" -p x
	# In a data directory that is there already.
	"$BIN/coterie" synth --points --nodes 60 --features 3 --clusters 3 --out d >/dev/null
	echo '{ "kind": "kmeans", "clusters": 1 }' >k1.json
	row 'k = 1' '' '' 'clusters' 'is 1' 'expected a whole number from 2' -- run --data d --job k1.json --parties 2 --out o
	echo '{ "kind": "kmeens", "clusters": 3 }' >kind.json
	row 'a kind that there is not' '' '' 'kind\.json: job\.kind' '"kmeens"' 'expected one of .*"kmeans"' -- run --data d --job kind.json --parties 2 --out o
	echo '{ "kind": "kmeans", "k": 3 }' >key.json
	row 'k for clusters' '' '' 'key\.json: job\.k' 'is unknown' 'expected one of: kind, clusters' -- run --data d --job key.json --parties 2 --out o
	echo '{ "kind": "kmeans", "clusters": "3" }' >text.json
	row 'a number in quotes' '' '' 'text\.json: job\.clusters' 'is "3"' 'expected a whole number from 2' -- run --data d --job text.json --parties 2 --out o
	seq 60 | sed 's/$/.0/' >floats.txt
	row 'floats as labels' '' '' 'floats\.txt:1' '"1\.0"' 'expected a whole number' -- eval --truth floats.txt d/labels.txt
	seq 59 >short.txt
	row 'one label too few' '' '' 'short\.txt' '59' '60' -- eval --truth short.txt d/labels.txt
	counts 14
}

run_tests "$@"
