// Package ascii draws a screen without boxes, blocks and dots, for terminals that
// have nothing but ASCII. Letters of other scripts stay.
package ascii

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// signs are the characters that screens are drawn with, and what each becomes.
const (
	signs = "│┤┊─╌━█▓▒░▏▎▍▌▋▊▉▀▄✓✗○●◌▸→←↑↓↔▼▲…·•–—−×≠±²√≤≥“”‘’␣↵⇥␍■"
	plain = "||:--=#%:.|||||||'.+xo*o>><^v-v^~.*---x!+2V<>\"\"''_/>/#"
)

// power matches a power of ten: "·10⁵".
var power = regexp.MustCompile("·10(⁻?)([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2})")

// raised are the digits of an exponent.
const raised = "⁰¹²³⁴⁵⁶⁷⁸⁹"

// Of returns a screen in ASCII. Every character keeps its width.
func Of(screen string) string {
	screen = power.ReplaceAllStringFunc(screen, exponent)
	all := map[rune]rune{}
	for i, r := range []rune(signs) {
		all[r] = rune(plain[i])
	}
	return strings.Map(func(r rune) rune {
		if to, ok := all[r]; ok {
			return to
		}
		if r >= 0x2800 && r <= 0x28ff {
			return dots(r - 0x2800)
		}
		return r
	}, screen)
}

// exponent writes a power of ten as programs do, in the same width: "e+05".
func exponent(power string) string {
	sign, n := "+", 0
	for _, r := range []rune(power)[3:] {
		if r == '⁻' {
			sign = "-"
			continue
		}
		n = 10*n + slices.Index([]rune(raised), r)
	}
	return fmt.Sprintf("%-*s", len([]rune(power)), fmt.Sprintf("e%s%02d", sign, n))
}

// dots returns the sign for a pattern of braille: where its dots are, above or
// below.
func dots(pattern rune) rune {
	const above = 1 | 2 | 8 | 16 // the upper two of four rows
	switch {
	case pattern == 0:
		return ' '
	case pattern&^above == 0:
		return '\''
	case pattern&above == 0:
		return '.'
	}
	return ':'
}
