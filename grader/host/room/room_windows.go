package room

import "golang.org/x/sys/windows"

// Left returns how many bytes can be written to the disk of a folder.
func Left(dir string) (int64, error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var left uint64
	err = windows.GetDiskFreeSpaceEx(path, &left, nil, nil)
	return int64(left), err
}

// full are the errors of a disk that is full.
func full() []error {
	return []error{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL}
}
