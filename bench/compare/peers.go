package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/stubformer/stubformer/grader/studio/bench"
)

// programs are the peers' programs; "" is one that is missing.
type programs struct {
	tmp                      string // a folder for files that peers share
	worker, openblas, python string
	preload                  string // OpenBLAS with OpenMP, for PyTorch and for two threads
	missing                  []string
}

// build builds what can be built here. Only the kit's own worker has to be there.
func build(tmp string) (programs, error) {
	k := programs{tmp: tmp, worker: filepath.Join(tmp, "worker")}
	root, err := os.Getwd()
	if err != nil {
		return k, err
	}
	overlay, err := bench.Overlay(root)
	if err != nil {
		return k, err
	}
	file := filepath.Join(tmp, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o644); err != nil {
		return k, err
	}
	if err := command("go", "build", "-overlay", file, "-o", k.worker, "./grader/programs/bench"); err != nil {
		return k, err
	}
	k.openblas = filepath.Join(tmp, "openblas")
	if err := command("cc", "-O2", "-o", k.openblas, "bench/openblas.c", "-lopenblas"); err != nil {
		k.openblas = ""
		k.missing = append(k.missing, "OpenBLAS, or a C compiler (on Debian: apt-get install gcc libopenblas-dev): "+firstLine(err))
	}
	k.findPython()
	for _, path := range []string{"/usr/lib/x86_64-linux-gnu/openblas-openmp/libopenblas.so.0", "/usr/lib/aarch64-linux-gnu/openblas-openmp/libopenblas.so.0"} {
		if _, err := os.Stat(path); err == nil {
			k.preload = path
		}
	}
	if k.preload == "" {
		k.missing = append(k.missing, "OpenBLAS with OpenMP (on Debian: apt-get install libopenblas0-openmp), PyTorch's best setting on some machines")
	}
	return k, nil
}

// findPython looks for an interpreter that has PyTorch.
func (k *programs) findPython() {
	tried := []string{os.Getenv("PYTHON"), "python3", "/usr/bin/python3"}
	for _, name := range tried {
		if name != "" && exec.Command(name, "-c", "import torch, numpy").Run() == nil {
			k.python = name
			return
		}
	}
	k.missing = append(k.missing, "PyTorch (on Debian: apt-get install python3-torch; another interpreter: PYTHON=…)")
}

func command(name string, args ...string) error {
	text, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, args[0], err, text)
	}
	return nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// crew is the peers of a section, with their descriptions.
type crew struct {
	peers   []*bench.Peer
	about   map[string]string
	missing []string // what this section would have measured as well
}

func (c *crew) start(name, about string, env []string, command ...string) error {
	p, err := bench.Start(name, env, command...)
	if err != nil {
		return err
	}
	c.peers, c.about[name] = append(c.peers, p), about
	return nil
}

func (c *crew) close() error {
	var errs []error
	for _, p := range c.peers {
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}

// products starts the peers that multiply matrices.
func (k programs) products(c *crew, threads int) error {
	c.missing = k.missing
	procs := fmt.Sprintf("GOMAXPROCS=%d", threads)
	if err := errors.Join(
		c.start("kit", "reference/kernel", []string{procs}, k.worker),
		c.start("kit avx2", "reference/kernel, its AVX2 micro-kernel", []string{procs}, k.worker),
		c.start("steps", "the solution of step 11 on the kit's micro-kernel", []string{procs}, k.worker)); err != nil {
		return err
	}
	if threads == 1 {
		if err := c.start("gonum", "gonum.org/v1/gonum/blas/gonum", []string{procs}, k.worker); err != nil {
			return err
		}
	}
	if k.openblas == "" {
		return nil
	}
	count := []string{fmt.Sprintf("OPENBLAS_NUM_THREADS=%d", threads), fmt.Sprintf("OMP_NUM_THREADS=%d", threads)}
	if err := c.start("OpenBLAS", "", count, k.openblas); err != nil {
		return err
	}
	if err := c.core("with the kernels that it chooses here, %s"); err != nil {
		return err
	}
	if threads > 1 && k.preload != "" {
		if err := c.start("OpenBLAS OpenMP", "the same with OpenMP", append(count, "LD_LIBRARY_PATH="+filepath.Dir(k.preload)), k.openblas); err != nil {
			return err
		}
	}
	return c.start("OpenBLAS Haswell", "forced to its AVX2 kernels, OPENBLAS_CORETYPE=Haswell",
		append(count, "OPENBLAS_CORETYPE=Haswell"), k.openblas)
}

// halved is the peer that trains with products in bfloat16.
const halved = "steps bf16"

// models starts the peers that train, and compute vector functions.
func (k programs) models(c *crew, threads int) error {
	c.missing = k.missing
	err := c.start("steps", "the solutions, as grade train and grade generate run them", []string{fmt.Sprintf("GOMAXPROCS=%d", threads)}, k.worker)
	if err != nil {
		return err
	}
	if err := c.start(halved, "the same with --precision bf16", []string{fmt.Sprintf("GOMAXPROCS=%d", threads)}, k.worker); err != nil || k.python == "" {
		return err
	}
	env := []string{fmt.Sprintf("TORCH_THREADS=%d", threads), fmt.Sprintf("OMP_NUM_THREADS=%d", threads), fmt.Sprintf("OPENBLAS_NUM_THREADS=%d", threads)}
	if err := c.start("PyTorch", "", env, k.python, "bench/peer_torch.py"); err != nil {
		return err
	}
	if err := c.core("as installed, its products by %s"); err != nil || k.preload == "" {
		return err
	}
	if err := c.start("PyTorch OpenMP", "", append(env, "LD_PRELOAD="+k.preload), k.python, "bench/peer_torch.py"); err != nil {
		return err
	}
	return c.core("with libopenblas0-openmp preloaded, its products by %s")
}

// core describes the last peer by the processor that its library chose its kernels for.
func (c *crew) core(about string) error {
	p := c.peers[len(c.peers)-1]
	core, err := p.Query("core")
	c.about[p.Name] = fmt.Sprintf(about, core)
	return err
}
