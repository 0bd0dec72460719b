package windows
