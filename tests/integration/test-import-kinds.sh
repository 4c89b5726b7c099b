#!/bin/bash
# Files that a library reads: what numpy, scipy, SQLite, GraphML, AnnData and MATLAB write comes in as it is, packed
# tables too, and what is damaged is refused by what is wrong with it.
#
#     data.py (numpy, h5py, scipy: Debian's) -> a.npz, t.sqlite, g.graphml, ... -> coterie import -> features, ids, labels
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=python.sh
source "${0%/*}/python.sh"

# X is [[1, 0, 2.5], [0, 0, 0], [0, -3, 0]] everywhere.
SPARSE='%%MatrixMarket matrix coordinate real general 3 3 3 1 1 1 1 3 2.5 3 2 -3'
DENSE='[[1.0, 0.0, 2.5], [0.0, 0.0, 0.0], [0.0, -3.0, 0.0]]'

is() { # FEATURES IDS LABELS -- ARG...: what a file becomes; '' is nothing
	local features=$1 ids=$2 labels=$3 got=
	shift 4
	rm -rf d
	"$BIN/coterie" import --out d "$@" >said 2>&1 || fail "$*: status $?: $(tail -n 1 said)"
	if [[ -e d/features.npy ]]; then
		got=$("$PYTHON" -c 'import numpy; print(numpy.load("d/features.npy").tolist())')
	else
		got=$(paste -sd' ' d/features.mtx)
	fi
	[[ $got == "$features" ]] || fail "$*: features are $got"
	[[ $(cat d/ids.txt 2>/dev/null | paste -sd' ') == "$ids" ]] || fail "$*: ids are $(cat d/ids.txt)"
	[[ $(cat d/labels.txt 2>/dev/null | paste -sd' ') == "$labels" ]] || fail "$*: labels are $(cat d/labels.txt)"
}

refused() { # REGEX -- ARG...
	local regex=$1 status=0
	shift 2
	rm -rf d
	"$BIN/coterie" import --out d "$@" >said 2>&1 || status=$?
	((status == 4)) || fail "$*: status $status, expected 4: $(tail -n 1 said)"
	grep -Eq -- "$regex" said || fail "$*: does not say '$regex': $(tail -n 1 said)"
	[[ ! -e d && ! -e d.part ]] || fail "$*: left something behind"
}

test_npz() {
	needs_python
	cd "$T" || exit 1
	"$PYTHON" - <<-'END'
		import numpy as np
		X = np.array([[1., 0, 2.5], [0, 0, 0], [0, -3, 0]])
		np.savez('one.npz', X)
		np.savez_compressed('two.npz', X=X, y=np.array([1, 0, 1]))
		def rows(X):  # as scipy.sparse.save_npz has them
		    ptr, ind, dat = [0], [], []
		    for row in X:
		        ind += [j for j, x in enumerate(row) if x]
		        dat += [x for x in row if x]
		        ptr.append(len(ind))
		    return dict(indptr=np.array(ptr, np.int32), indices=np.array(ind, np.int32), data=np.array(dat), shape=X.shape)
		np.savez('csr.npz', format=b'csr', **rows(X))
		np.savez('csc.npz', format=np.array('csc'), **rows(X.T))
		r, c = np.nonzero(X)
		np.savez('coo.npz', row=r, col=c, format=b'coo', shape=X.shape, data=X[r, c])
		np.savez('bsr.npz', format=b'bsr', **rows(X))
		def bad(name, **change):
		    np.savez(name, format=b'csr', **{**rows(X), **change})
		bad('index.npz', indices=np.array([0, 3, 1]))
		bad('start.npz', indptr=np.array([0, 3, 2, 3]))
		bad('twice.npz', indices=np.array([0, 0, 1]))
		bad('shape.npz', shape=(10**12, 3))
		bad('short.npz', data=np.array([1.]))
		bad('nan.npz', data=np.array([1., np.nan, 2]))
	END
	is "$DENSE" '' '' -- one.npz
	is "$DENSE" '' '1 0 1' -- two.npz --part X --label y
	for f in csr csc coo; do is "$SPARSE" '' '' -- $f.npz; done
	refused '2 arrays: X, y: say which is meant \(--part\)' -- two.npz
	refused 'no array "Z" in it, expected one of X, y' -- two.npz --part Z
	refused 'format "bsr", expected csr, csc or coo' -- bsr.npz
	refused 'index 1 is 3, expected a whole number from 0 to 2' -- index.npz
	refused 'starts 1 and 2 are 3 and 2, expected whole numbers that rise' -- start.npz
	refused 'entry \(0, 0\), from 0, is there twice' -- twice.npz
	refused 'shape is 1e\+12 x 3, expected' -- shape.npz
	refused 'starts go from 0 to 3, expected 0 to 1|indices.npy has 3 x 1 values, expected 1' -- short.npz
	refused 'nan' -- nan.npz
	head -c 200 csr.npz >cut.npz
	refused 'cut\.npz: ' -- cut.npz
}

test_sqlite() {
	needs_python
	cd "$T" || exit 1
	"$PYTHON" - <<-'END'
		import sqlite3
		db = sqlite3.connect('t.sqlite')
		db.execute('create table "t ""1"(who text, age real, big integer, note text)')
		db.executemany('insert into "t ""1" values(?,?,?,?)', [('b', 1.5, 9007199254740993, None), ('a', .1, 7, 'x')])
		db.commit()
	END
	is '[[1.5], [0.1]]' 'b a' '' -- t.sqlite -i who --only age
	is '[[1.5], [0.1]]' '9007199254740993 7' '' -- t.sqlite -i big --only age
	is '[[0.2], [3.0]]' 'a b' '' -- t.sqlite -i who -p 'SELECT who, 2 * age AS age FROM "t ""1" ORDER BY who'
	refused 'row 1: column "note" has no value \(NULL\)' -- t.sqlite -i who
	refused 'not one statement' -- t.sqlite -p 'SELECT 1; DROP TABLE t'
	refused 'no such table: nope' -- t.sqlite -p nope
	sqlite_is=$(od -c t.sqlite | head -1)
	[[ $sqlite_is == *S*Q*L* ]] || fail "the file was changed"
}

test_graphml() {
	needs_python
	cd "$T" || exit 1
	cat >g.graphml <<-'END'
		<?xml version='1.0' encoding='utf-8'?>
		<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
		<key id="d0" for="node" attr.name="age" attr.type="double"><default>7</default></key>
		<key id="d1" for="node" attr.name="kind" attr.type="string"/>
		<key id="d2" for="edge" attr.name="weight" attr.type="double"/>
		<graph edgedefault="directed">
		<node id="n1"><data key="d0">1.5</data><data key="d1">x &amp; y</data></node><node id="n0"><data key="d1">z</data></node>
		<edge source="n1" target="n0"><data key="d2">2</data></edge>
		</graph></graphml>
	END
	is '[[1.5, 1.0, 0.0], [7.0, 0.0, 1.0]]' 'n1 n0' '' -- g.graphml -c kind -S weight=weight
	[[ $(<d/edges.tsv) == $'n0\tn1\t2' ]] || fail "edges: $(<d/edges.tsv)"
	[[ $(jq -r '[.columns[].name] | join(",")' d/columns.json) == "age,kind=x & y,kind=z" ]] || fail "$(<d/columns.json)"
	grep -q 'edges are directed' said || fail "does not say that edges are directed"
	refused 'node 1: column "kind" is "x & y", expected a number' -- g.graphml
	sed 's/target="n0"/target="n9"/' g.graphml >end.graphml
	refused 'edge:1: "n9" is none of the 2 ids' -- end.graphml -c kind
	sed 's/<\/edge>//' g.graphml >open.graphml
	refused 'open\.graphml:[0-9]+: mismatched tag' -- open.graphml -c kind
	sed 's/<edge/<hyperedge/; s/<\/edge>/<\/hyperedge>/' g.graphml >hyper.graphml
	refused 'hyper\.graphml:8: a hyperedge, expected nodes and edges' -- hyper.graphml -c kind
}

test_packed() {
	needs_python
	cd "$T" || exit 1
	printf 'who\tx\nb\t1.5\na\t2\n' >t.tsv
	gzip -k t.tsv
	is '[[1.5], [2.0]]' 'b a' '' -- t.tsv.gz -i who
	{ gzip -c t.tsv && printf 'c\t3\n' | gzip -c; } >both.tsv.gz
	is '[[1.5], [2.0], [3.0]]' 'b a c' '' -- both.tsv.gz -i who
	head -c 30 t.tsv.gz >cut.tsv.gz
	refused 'cut\.tsv\.gz: ends early, after 30 bytes' -- cut.tsv.gz
	{ cat t.tsv.gz && echo more; } >more.tsv.gz
	refused 'is damaged, or has something behind its end' -- more.tsv.gz
	# An empty frame, and one of raw bytes: magic, header, block (RFC 8878).
	printf '\x28\xb5\x2f\xfd\x20\x07\x39\x00\x00x,y\n1,2' >t.csv.zst
	is '[[1.0, 2.0]]' '' '' -- t.csv.zst
	head -c 12 t.csv.zst >cut.csv.zst
	refused 'cut\.csv\.zst: ends early, after 12 bytes' -- cut.csv.zst
}

test_mat_and_h5ad() {
	needs_python
	"$PYTHON" -c 'import h5py, scipy.io' 2>/dev/null || skip "python3-h5py and python3-scipy are not there"
	cd "$T" || exit 1
	"$PYTHON" - <<-'END'
		import h5py, numpy as np, scipy.io, scipy.sparse as sp
		X = np.array([[1., 0, 2.5], [0, 0, 0], [0, -3, 0]])
		scipy.io.savemat('a.mat', {'fea': X, 'gnd': np.array([[2], [1], [1]], np.uint8)})
		scipy.io.savemat('s.mat', {'fea': sp.csc_matrix(X)}, do_compression=True)
		scipy.io.savemat('n.mat', {'fea': np.array([[1., np.nan]])})
		sp.save_npz('scipy.npz', sp.csr_matrix(X))
		st = h5py.string_dtype()
		def adata(name, fill, obs=('c2', 'c1', 'c3')):
		    with h5py.File(name, 'w') as h:
		        for t, names in (('obs', obs), ('var', ('g1', 'g2', 'g3'))):
		            g = h.create_group(t)
		            g.attrs['_index'] = 'names'
		            g.create_dataset('names', data=list(names), dtype=st)
		        k = h['obs'].create_group('kind')
		        k.create_dataset('codes', data=np.array([1, 0, 1], np.int8))
		        k.create_dataset('categories', data=['a', 'b'], dtype=st)
		        fill(h)
		def dense(h):
		    h.create_dataset('X', data=X.astype('f4')).attrs['encoding-type'] = 'array'
		def csr(h, X=sp.csr_matrix(X)):
		    g = h.create_group('X')
		    g.attrs['encoding-type'] = 'csr_matrix'
		    for n in ('data', 'indices', 'indptr'):
		        g.create_dataset(n, data=getattr(X, n))
		adata('d.h5ad', dense)
		adata('s.h5ad', csr)
		adata('short.h5ad', dense, ('c1', 'c2'))
		adata('twice.h5ad', dense, ('c1', 'c2', 'c1'))
	END
	is "$SPARSE" '' '' -- scipy.npz
	is "$DENSE" '' '2 1 1' -- a.mat --label gnd
	is "$SPARSE" '' '' -- s.mat
	refused '2 matrices: fea, gnd: say which is meant \(--part\)' -- a.mat
	refused 'fea\(1, 2\) is nan, expected a finite number' -- n.mat
	is "$DENSE" 'c2 c1 c3' '1 0 1' -- d.h5ad --label kind
	[[ $(jq -r '[.columns[].name] | join(",")' d/columns.json) == "g1,g2,g3" ]] || fail "$(<d/columns.json)"
	is "$SPARSE" 'c2 c1 c3' '' -- s.h5ad
	refused 'X is 3 x 3, expected 2 x 3 by obs and var' -- short.h5ad
	refused 'obs:3: the id "c1" is given twice, first on line 1' -- twice.h5ad
	head -c 2000 d.h5ad >cut.h5ad
	refused 'cut\.h5ad: cannot be opened as HDF5' -- cut.h5ad
}

# A file of AnnData with some bytes changed, in which HDF5 1.10.8 looks for the end of a heap for ever.
test_a_library_that_does_not_end() {
	cd "$T" || exit 1
	zcat "$ROOT/tests/vectors/endless.h5ad.gz" >endless.h5ad
	refused 'endless\.h5ad: the library that reads it does not come to an end: the file is damaged' -- endless.h5ad
}

# Two more, which HDF5 breaks on; with a sanitizer that is an exit status.
test_a_library_that_breaks() {
	local name
	cd "$T" || exit 1
	for name in segfault division; do
		zcat "$ROOT/tests/vectors/$name.h5ad.gz" >$name.h5ad
		refused "$name\.h5ad: the (library that reads it broke \((Segmentation fault|Floating point exception)\)|process that reads it ended with exit status [0-9]+): the file is damaged" -- $name.h5ad
	done
}

# matio reads what is cut short or damaged as if all were well, with whatever is in its memory; so lengths are looked at before.
test_damaged_mat() {
	local name
	needs_python
	"$PYTHON" -c 'import scipy.io' 2>/dev/null || skip "python3-scipy is not there"
	cd "$T" || exit 1
	"$PYTHON" - <<-'END'
		import numpy as np, scipy.io, scipy.sparse, struct, zlib
		X = np.arange(1, 7.).reshape(2, 3)
		def saved(name, X=X, **how):
		    scipy.io.savemat(name, {'fea': X}, **how)
		    return open(name, 'rb').read()
		def write(name, *parts):
		    open(name + '.mat', 'wb').write(b''.join(parts))
		def two(a, b):
		    return struct.pack('<ii', a, b)
		b = saved('dense.mat')
		for name, old, new in ('most', two(2, 3), two(1 << 28, 1 << 27)), ('less', two(2, 3), two(-2, 3)), \
		        ('more', two(2, 3), two(2, 4)), ('numbers', two(9, 48), two(9, 40)), ('outer', two(14, 96), two(14, 104)):
		    write(name, b.replace(old, new, 1))
		    assert old in b
		write('cut', b[:-20])
		write('head', b[:100])
		s = saved('csc.mat', scipy.sparse.csc_matrix(X))
		write('cut-sparse', s[:-20])
		z = saved('packed.mat', do_compression=True)
		write('cut-packed', z[:-20])
		write('bits', z[:-12], bytes([z[-12] ^ 255]), z[-11:])
		short = zlib.compress(zlib.decompress(z[136:])[:-20])
		write('short-packed', z[:128], two(15, len(short)), short)
		write('cut-old', saved('old.mat', format='4')[:-20])
	END
	for name in dense packed old; do is '[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]' '' '' -- $name.mat; done
	is '%%MatrixMarket matrix coordinate real general 2 3 6 1 1 1 1 2 2 1 3 3 2 1 4 2 2 5 2 3 6' '' '' -- csc.mat
	for name in most less more numbers short-packed; do
		refused "$name\.mat: the variable at byte 128 has another length than it says: the file is damaged" -- $name.mat
	done
	for name in outer cut cut-sparse cut-packed; do
		refused "$name\.mat: the variable at byte 128 goes on behind the end of the file, at byte [0-9]+: it was cut short" -- $name.mat
	done
	refused 'bits\.mat: the variable at byte 128: is damaged, or has something behind its end, at byte [0-9]+: incorrect data check' -- bits.mat
	refused 'head\.mat: no file of MATLAB that can be read' -- head.mat
	refused 'cut-old\.mat: no variable "fea" in it that can be read' -- cut-old.mat
}

run_tests "$@"
