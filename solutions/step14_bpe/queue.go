package bpe

// queue is a heap: pop returns the item that comes before all others. Item i comes before
// the items 2i+1 and 2i+2, so that pushing and popping take log n steps.
//
// It is container/heap with a type: no item is packed into an interface.
type queue[E interface{ before(E) bool }] struct{ items []E }

func (q *queue[E]) push(item E) {
	i := len(q.items)
	q.items = append(q.items, item)
	for i > 0 {
		parent := (i - 1) / 2
		if !item.before(q.items[parent]) {
			break
		}
		q.items[i] = q.items[parent]
		i = parent
	}
	q.items[i] = item
}

// pop removes the first item. There has to be one.
func (q *queue[E]) pop() E {
	first, n := q.items[0], len(q.items)-1
	item := q.items[n]
	q.items = q.items[:n]
	i := 0
	for 2*i+1 < n {
		child := 2*i + 1
		if child+1 < n && q.items[child+1].before(q.items[child]) {
			child++
		}
		if !q.items[child].before(item) {
			break
		}
		q.items[i] = q.items[child]
		i = child
	}
	if n > 0 {
		q.items[i] = item
	}
	return first
}
