package main

import (
	"encoding/json"
	"syscall/js"
)

// main takes the model from the worker of the page, says that it is there, and answers
// requests until the page is closed. The worker calls stubformer.ask with a request as
// JSON, and is told the answer by stubformer.tell.
func main() {
	worker := js.Global().Get("stubformer")
	parameters := make([]byte, worker.Get("parameters").Length())
	js.CopyBytesToGo(parameters, worker.Get("parameters"))
	p, err := open([]byte(worker.Get("model").String()), parameters)
	if err != nil {
		panic(err)
	}
	requests := make(chan string)
	worker.Set("ask", js.FuncOf(func(_ js.Value, args []js.Value) any {
		text := args[0].String()
		go func() { requests <- text }()
		return nil
	}))
	worker.Call("ready")
	for text := range requests {
		var r request
		a := answer{}
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			a.Error = err.Error()
		} else {
			a = p.serve(r)
		}
		data, err := json.Marshal(a)
		if err != nil {
			panic(err)
		}
		worker.Call("tell", string(data))
	}
}
