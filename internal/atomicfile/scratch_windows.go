package atomicfile

import "golang.org/x/sys/windows"

// removedAtEnd lets the system remove a file when it is closed, or when the process ends.
const removedAtEnd = windows.O_FILE_FLAG_DELETE_ON_CLOSE
