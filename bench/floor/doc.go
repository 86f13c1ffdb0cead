// Package floor is no API: it has the loops that the times of the kernels are compared with. They
// go to the same blocks as the kernels of package asm, and do the least that is possible there.
// avogen generates both from the same parts, and their arguments are those of package asm.
package floor
