package marks

import "time"

// daysAfter returns how many days have begun between a deadline and a later moment; 0
// if it is not later. A day ends when the clocks of the deadline's zone show its time
// of day again: one on which they are put back has 25 hours.
func daysAfter(due, at time.Time) int {
	if !at.After(due) {
		return 0
	}
	n := max(1, int(at.Sub(due).Hours()/24)-1) // no zone's clocks were ever changed by more than a day
	for at.After(onClocks(wall(due).AddDate(0, 0, n), due.Location())) {
		n++
	}
	return n
}

// wall is what the clocks show at a moment, as if they were those of UTC.
func wall(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// onClocks returns when the clocks of a zone show a time, the second time if they do
// so twice. If they never do, since they were put forward, it is as long after the
// change as the time would be.
func onClocks(shown time.Time, zone *time.Location) time.Time {
	_, before := shown.AddDate(0, 0, -1).In(zone).Zone()
	_, after := shown.AddDate(0, 0, 1).In(zone).Zone()
	first := shown.Add(-time.Duration(max(before, after)) * time.Second).In(zone)
	second := shown.Add(-time.Duration(min(before, after)) * time.Second).In(zone)
	if wall(first).Equal(shown) && !wall(second).Equal(shown) {
		return first
	}
	return second
}
