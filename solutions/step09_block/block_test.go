package block

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/oracle"
	"github.com/stubformer/stubformer/reference/wire"
)

// TestWorkedExample holds the numbers of the lesson, steps/step09_block/README.md,
// to the oracle, so that it needs no earlier step.
func TestWorkedExample(t *testing.T) {
	matrix := func(rows, columns int, x ...float32) wire.Value { return wire.Float32s(x, rows, columns) }
	row := func(x ...float32) wire.Value { return wire.Float32s(x, 1, 1, 2) }
	eval := func(function string, in wire.Values) wire.Values {
		out, err := oracle.Eval(function, in)
		require.NoError(t, err)
		return out
	}
	show := func(v wire.Value) string { return fmt.Sprintf("%.4f", v.F64) }

	ones := wire.Float32s([]float32{1, 1}, 2)
	identity, swap := matrix(2, 2, 1, 0, 0, 1), matrix(2, 2, 0, 1, 1, 0)
	in := wire.Values{"x": row(3, 4), "ln1": ones, "ln2": ones, "wq": identity, "wk": identity, "wv": identity, "wo": swap,
		"w1": matrix(1, 2, 1, 1), "w2": matrix(2, 1, 1, 2), "w3": matrix(1, 2, 1, -1),
		"num_heads": wire.Int(1), "theta": wire.Float(10000), "max_seq_len": wire.Int(1), "positions": wire.Ints([]int64{0}, 1, 1)}
	z := eval("block.forward", in)["z"]
	require.Equal(t, "[3.8520 4.2898]", show(z))

	h := eval("rmsnorm.forward", wire.Values{"x": in["x"], "g": ones})["y"]
	require.Equal(t, "[0.8485 1.1314]", show(h))
	y := row(3+float32(h.F64[1]), 4+float32(h.F64[0]))
	require.Equal(t, "[4.1314 4.8485]", fmt.Sprintf("%.4f", y.F32))
	n := eval("rmsnorm.forward", wire.Values{"x": y, "g": ones})["y"]
	require.Equal(t, "[0.9172 1.0764]", show(n))

	// The way back, branch by branch.
	narrow := func(v wire.Value) wire.Value { return row(float32(v.F64[0]), float32(v.F64[1])) }
	in["dz"] = row(1, 1)
	ffn := wire.Values{"x": narrow(n), "w1": in["w1"], "w2": in["w2"], "w3": in["w3"], "dy": in["dz"]}
	norm := wire.Values{"g": ones, "dg_before": wire.Float32s([]float32{0, 0}, 2)}
	for _, p := range []string{"ln1", "wq", "wk", "wv", "wo", "ln2", "w1", "w2", "w3"} {
		in["d"+p+"_before"] = wire.Float32s(make([]float32, in[p].Len()), in[p].Shape...)
		if ffn[p].Shape != nil {
			ffn["d"+p+"_before"] = in["d"+p+"_before"]
		}
	}
	dn := eval("swiglu.backward", ffn)["dx"]
	require.Equal(t, "[4.7431 -5.7849]", show(dn))
	norm["x"], norm["dy"] = y, narrow(dn)
	branch2 := eval("rmsnorm.backward", norm)["dx"]
	dy := row(1+float32(branch2.F64[0]), 1+float32(branch2.F64[1]))
	norm["x"], norm["dy"] = in["x"], row(dy.F32[1], dy.F32[0])
	branch1 := eval("rmsnorm.backward", norm)["dx"]
	require.Equal(t, "[1.2441 -1.0601]", show(branch2))
	require.Equal(t, "[2.2441 -0.0601]", fmt.Sprintf("%.4f", dy.F32))
	require.Equal(t, "[-0.3155 0.2367]", show(branch1))
	require.Equal(t, "[1.9286 0.1766]", show(eval("block.backward", in)["dx"]))

	maps.DeleteFunc(in, func(name string, _ wire.Value) bool { return name[0] == 'd' })
	loss := func(x0 float32) float64 {
		in["x"] = row(x0, 4)
		z := eval("block.forward", in)["z"].F64
		return z[0] + z[1]
	}
	require.Equal(t, "8.12248 8.16105", fmt.Sprintf("%.5f %.5f", loss(2.99), loss(3.01)))
}
