package likeness

import (
	"hash/fnv"
	"io"
	"slices"
	"strconv"
)

// node is a part of a program in its normal form: what it is, and its parts.
type node struct {
	kind     string
	name     any // of a leaf: a name that its author chose; two equal ones are the same name
	kids     []*node
	from, to int // lines
	size     int // nodes of the whole tree
	shape    uint64
}

// tree returns a node with its size and shape. Kids that are nil are left out.
func tree(kind string, kids ...*node) *node {
	n := &node{kind: kind, kids: slices.DeleteFunc(kids, func(k *node) bool { return k == nil }), size: 1}
	for _, k := range n.kids {
		n.size += k.size
	}
	n.reshape()
	return n
}

// chosen returns the leaf of a name that its author chose.
func chosen(name any) *node {
	n := &node{name: name, size: 1}
	n.reshape()
	return n
}

// reshape computes the hash of the tree in which all chosen names are one.
func (n *node) reshape() {
	h := fnv.New64a()
	write(h, n.kind, strconv.FormatBool(n.name != nil))
	for _, k := range n.kids {
		write(h, strconv.FormatUint(k.shape, 36))
	}
	n.shape = h.Sum64()
}

// unordered puts kids whose order says nothing in the order of their shapes.
func unordered(kids []*node) []*node {
	slices.SortStableFunc(kids, func(a, b *node) int {
		switch {
		case a.shape < b.shape:
			return -1
		case a.shape > b.shape:
			return 1
		}
		return 0
	})
	return kids
}

// hash is that of the tree with chosen names numbered in the order in which they
// appear in it, so that it is the same whatever they are.
func (n *node) hash() uint64 {
	h, numbers := fnv.New64a(), map[any]int{}
	n.write(h, numbers)
	return h.Sum64()
}

func (n *node) write(w io.Writer, numbers map[any]int) {
	kind := n.kind
	if n.name != nil {
		if _, known := numbers[n.name]; !known {
			numbers[n.name] = len(numbers)
		}
		kind = "#" + strconv.Itoa(numbers[n.name])
	}
	write(w, kind, strconv.Itoa(len(n.kids)))
	for _, k := range n.kids {
		k.write(w, numbers)
	}
}

// write writes texts so that no two lists of texts give the same bytes.
func write(w io.Writer, texts ...string) {
	for _, t := range texts {
		io.WriteString(w, strconv.Itoa(len(t))+":"+t)
	}
}
