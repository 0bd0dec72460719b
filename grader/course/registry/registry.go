// Package registry lists the steps of the course.
package registry

import (
	"slices"
	"sync"

	"github.com/stubformer/stubformer/grader/course"
	initializers "github.com/stubformer/stubformer/grader/course/step01_init"
	linear "github.com/stubformer/stubformer/grader/course/step02_linear"
	embedding "github.com/stubformer/stubformer/grader/course/step03_embedding"
	rmsnorm "github.com/stubformer/stubformer/grader/course/step04_rmsnorm"
	swiglu "github.com/stubformer/stubformer/grader/course/step05_swiglu"
	rope "github.com/stubformer/stubformer/grader/course/step06_rope"
	softmax "github.com/stubformer/stubformer/grader/course/step07_softmax"
	attention "github.com/stubformer/stubformer/grader/course/step08_attention"
	block "github.com/stubformer/stubformer/grader/course/step09_block"
	lm "github.com/stubformer/stubformer/grader/course/step10_lm"
	training "github.com/stubformer/stubformer/grader/course/step11_training"
	kvcache "github.com/stubformer/stubformer/grader/course/step12_kvcache"
	gqa "github.com/stubformer/stubformer/grader/course/step13_gqa"
	bpe "github.com/stubformer/stubformer/grader/course/step14_bpe"
	formats "github.com/stubformer/stubformer/grader/course/step15_formats"
	flash "github.com/stubformer/stubformer/grader/course/step16_flash"
	lora "github.com/stubformer/stubformer/grader/course/step17_lora"
	moe "github.com/stubformer/stubformer/grader/course/step18_moe"
	classic "github.com/stubformer/stubformer/grader/course/step19_classic"
	seq2seq "github.com/stubformer/stubformer/grader/course/step20_seq2seq"
	windows "github.com/stubformer/stubformer/grader/course/step21_windows"
	paged "github.com/stubformer/stubformer/grader/course/step22_paged"
)

// Steps returns the course, every step after those that it needs. All callers share the
// steps.
func Steps() []*course.Step { return slices.Clone(made()) }

var made = sync.OnceValue(all)

func all() []*course.Step {
	return course.Sorted([]*course.Step{
		initializers.Step(),
		linear.Step(),
		embedding.Step(),
		rmsnorm.Step(),
		swiglu.Step(),
		rope.Step(),
		softmax.Step(),
		attention.Step(),
		block.Step(),
		lm.Step(),
		training.Step(),
		kvcache.Step(),
		gqa.Step(),
		bpe.Step(),
		formats.Step(),
		flash.Step(),
		lora.Step(),
		moe.Step(),
		classic.Step(),
		seq2seq.Step(),
		windows.Step(),
		paged.Step(),
	})
}
