package class

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stubformer/stubformer/cmd/teach/roster"
)

// handedIn is what a user's rows say, in their order.
type handedIn struct {
	rows   []string
	tagged bool // each row names a commit of its own
	last   time.Time
}

// classroom50 reads whose the repositories are, and when each was last handed in. Who
// has none, and whose rows are those of somebody who has one, is of that one's group.
// It is nil where data is a table of something else.
//
// Source: https://github.com/foundation50/classroom50/wiki/gh-teacher#download
func classroom50(data []byte, entries []string, slug string) map[string]Origin {
	rows := rowsOf(data, "username", "datetime")
	if rows == nil {
		return nil
	}
	tags := rowsOf(data, "submission_tag")
	users := map[string]*handedIn{}
	for i, row := range rows {
		name, at, tag := strings.ToLower(row[0]), moment(row[1]), ""
		if tags != nil {
			tag = tags[i][0]
		}
		u := users[name]
		if u == nil {
			u = &handedIn{tagged: true}
			users[name] = u
		}
		u.rows, u.tagged = append(u.rows, row[1]+" "+tag), u.tagged && tag != ""
		if at.After(u.last) {
			u.last = at
		}
	}
	owners := owners(entries, users, slug)
	origins := map[string]Origin{}
	for name, owner := range owners {
		o := Origin{By: []roster.Submitter{{User: owner}}, HandedIn: users[owner].last}
		for _, user := range slices.Sorted(maps.Keys(users)) {
			owns := slices.Contains(slices.Collect(maps.Values(owners)), user)
			if !owns && users[user].tagged && slices.Equal(users[user].rows, users[owner].rows) {
				o.By = append(o.By, roster.Submitter{User: user})
			}
		}
		origins[name] = o
	}
	return origins
}

// owners returns whose the repositories are, which are called CLASSROOM-ASSIGNMENT-USER.
// How all of them begin the slug says, or else it is known if there is one beginning
// with which each is a user's.
func owners(entries []string, users map[string]*handedIn, slug string) map[string]string {
	possible := map[string]map[string]string{} // by a beginning, the repositories and their users
	repositories := map[string]bool{}
	for _, name := range entries {
		for user := range users {
			beginning, ok := strings.CutSuffix(strings.ToLower(name), "-"+user)
			if !ok || user == "" || beginning == "" {
				continue
			}
			if possible[beginning] == nil {
				possible[beginning] = map[string]string{}
			}
			possible[beginning][name], repositories[name] = user, true
		}
	}
	if those := possible[strings.ToLower(slug)]; those != nil {
		return those
	}
	maps.DeleteFunc(possible, func(_ string, those map[string]string) bool { return len(those) < len(repositories) })
	if len(possible) != 1 {
		return nil
	}
	for _, those := range possible {
		return those
	}
	return nil
}
