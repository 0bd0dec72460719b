package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestReadMap(t *testing.T) {
	all, err := readMap(strings.NewReader("         0     100000      65536\n  70000 1 5\n4294967290 0 5\n"))
	require.NoError(t, err)
	require.Equal(t, []span{{0, 65536}, {70000, 5}}, all)
	all, err = readMap(strings.NewReader("         0          0 4294967295\n"))
	require.NoError(t, err)
	require.Equal(t, []span{{0, highest}}, all)
	_, err = readMap(strings.NewReader("x\n"))
	require.Error(t, err)
}

// The users are those that nobody has, or of the few that a container has the upper half;
// never those of people.
func TestAmong(t *testing.T) {
	whole := []span{{0, highest}}
	for name, c := range map[string]struct {
		users, groups []span
		want          span
	}{
		"the whole system":                          {whole, whole, unused()},
		"a container":                               {[]span{{0, 65536}}, []span{{0, 65536}}, span{32768, 32768}},
		"a container of several ranges":             {[]span{{0, 1}, {1, 65536}}, []span{{0, 1}, {1, 65536}}, span{32769, 32768}},
		"more users than groups":                    {whole, []span{{0, 65536}}, span{32768, 32768}},
		"high numbers that are not all there":       {[]span{{0, 65536}, {0x78000000, 10}}, whole, span{32768, 32768}},
		"one user":                                  {[]span{{0, 1}}, []span{{0, 1}}, span{}},
		"users and groups that have none in common": {[]span{{0, 65536}}, []span{{65536, 65536}}, span{}},
		"none": {nil, nil, span{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := among(c.users, c.groups)
			require.Equal(t, c.want, got)
			require.Equal(t, c.want == span{}, err != nil)
		})
	}
}

// Nobody is drawn as long as somebody else holds them, in this program or another.
func TestNoTwoStrangersAreOne(t *testing.T) {
	b := &Box{own: own{Stranger: true}, strangers: span{0x7c000000, 3}}
	var all []*Stranger
	taken := map[int]bool{}
	for range b.strangers.count {
		s, err := b.Stranger()
		require.NoError(t, err)
		require.False(t, taken[s.id])
		taken[s.id] = true
		all = append(all, s)
	}
	_, err := hold(all[0].id)
	require.ErrorIs(t, err, unix.EADDRINUSE)
	_, err = b.Stranger()
	require.ErrorContains(t, err, "is taken")
	all[1].Leave()
	s, err := b.Stranger()
	require.NoError(t, err)
	require.Equal(t, all[1].id, s.id)
	for _, s := range []*Stranger{all[0], all[2], s} {
		s.Leave()
	}
	(*Stranger)(nil).Leave()
}
