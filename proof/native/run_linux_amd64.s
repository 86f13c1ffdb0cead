#include "textflag.h"

// Of a State: general registers at 0, the flags at 128, opmasks at 136, vectors at 200.

// The code of the arena loads AX and SP itself. Neither the loads here nor the stores after the
// instruction change a flag.
#define LOADGENERAL \
	PUSHQ ·state+128(SB); \
	POPFQ; \
	MOVQ ·state+8(SB), CX; \
	MOVQ ·state+16(SB), DX; \
	MOVQ ·state+24(SB), BX; \
	MOVQ ·state+40(SB), BP; \
	MOVQ ·state+48(SB), SI; \
	MOVQ ·state+56(SB), DI; \
	MOVQ ·state+64(SB), R8; \
	MOVQ ·state+72(SB), R9; \
	MOVQ ·state+80(SB), R10; \
	MOVQ ·state+88(SB), R11; \
	MOVQ ·state+96(SB), R12; \
	MOVQ ·state+104(SB), R13; \
	MOVQ ·state+112(SB), R14; \
	MOVQ ·state+120(SB), R15; \
	MOVQ ·kept+0(SB), AX; \
	JMP AX

#define SAVESTACK \
	MOVQ BP, ·kept+16(SB); \
	MOVQ SP, ·kept+8(SB); \
	MOVQ R14, ·kept+24(SB)

#define STOREGENERAL \
	MOVQ AX, ·state+0(SB); \
	MOVQ CX, ·state+8(SB); \
	MOVQ DX, ·state+16(SB); \
	MOVQ BX, ·state+24(SB); \
	MOVQ SP, ·state+32(SB); \
	MOVQ BP, ·state+40(SB); \
	MOVQ SI, ·state+48(SB); \
	MOVQ DI, ·state+56(SB); \
	MOVQ R8, ·state+64(SB); \
	MOVQ R9, ·state+72(SB); \
	MOVQ R10, ·state+80(SB); \
	MOVQ R11, ·state+88(SB); \
	MOVQ R12, ·state+96(SB); \
	MOVQ R13, ·state+104(SB); \
	MOVQ R14, ·state+112(SB); \
	MOVQ R15, ·state+120(SB); \
	MOVQ ·kept+8(SB), SP; \
	MOVQ ·kept+16(SB), BP; \
	MOVQ ·kept+24(SB), R14; \
	PUSHFQ; \
	POPQ ·state+128(SB)

// func addresses()
TEXT ·addresses(SB), NOSPLIT, $0-0
	LEAQ after256<>(SB), AX
	MOVQ AX, ·stubs+0(SB)
	LEAQ taken256<>(SB), AX
	MOVQ AX, ·stubs+8(SB)
	LEAQ after512<>(SB), AX
	MOVQ AX, ·stubs+16(SB)
	LEAQ taken512<>(SB), AX
	MOVQ AX, ·stubs+24(SB)
	RET

// func run256()
TEXT ·run256(SB), NOSPLIT, $0-0
	SAVESTACK
	VMOVDQU ·state+200(SB), Y0
	VMOVDQU ·state+264(SB), Y1
	VMOVDQU ·state+328(SB), Y2
	VMOVDQU ·state+392(SB), Y3
	VMOVDQU ·state+456(SB), Y4
	VMOVDQU ·state+520(SB), Y5
	VMOVDQU ·state+584(SB), Y6
	VMOVDQU ·state+648(SB), Y7
	VMOVDQU ·state+712(SB), Y8
	VMOVDQU ·state+776(SB), Y9
	VMOVDQU ·state+840(SB), Y10
	VMOVDQU ·state+904(SB), Y11
	VMOVDQU ·state+968(SB), Y12
	VMOVDQU ·state+1032(SB), Y13
	VMOVDQU ·state+1096(SB), Y14
	VMOVDQU ·state+1160(SB), Y15
	LOADGENERAL

TEXT taken256<>(SB), NOSPLIT, $0-0
	MOVB $1, ·branched(SB)
	JMP after256<>(SB)

TEXT after256<>(SB), NOSPLIT, $0-0
	STOREGENERAL
	VMOVDQU Y0, ·state+200(SB)
	VMOVDQU Y1, ·state+264(SB)
	VMOVDQU Y2, ·state+328(SB)
	VMOVDQU Y3, ·state+392(SB)
	VMOVDQU Y4, ·state+456(SB)
	VMOVDQU Y5, ·state+520(SB)
	VMOVDQU Y6, ·state+584(SB)
	VMOVDQU Y7, ·state+648(SB)
	VMOVDQU Y8, ·state+712(SB)
	VMOVDQU Y9, ·state+776(SB)
	VMOVDQU Y10, ·state+840(SB)
	VMOVDQU Y11, ·state+904(SB)
	VMOVDQU Y12, ·state+968(SB)
	VMOVDQU Y13, ·state+1032(SB)
	VMOVDQU Y14, ·state+1096(SB)
	VMOVDQU Y15, ·state+1160(SB)
	VZEROUPPER
	RET

// func run512()
TEXT ·run512(SB), NOSPLIT, $0-0
	SAVESTACK
	VMOVDQU64 ·state+200(SB), Z0
	VMOVDQU64 ·state+264(SB), Z1
	VMOVDQU64 ·state+328(SB), Z2
	VMOVDQU64 ·state+392(SB), Z3
	VMOVDQU64 ·state+456(SB), Z4
	VMOVDQU64 ·state+520(SB), Z5
	VMOVDQU64 ·state+584(SB), Z6
	VMOVDQU64 ·state+648(SB), Z7
	VMOVDQU64 ·state+712(SB), Z8
	VMOVDQU64 ·state+776(SB), Z9
	VMOVDQU64 ·state+840(SB), Z10
	VMOVDQU64 ·state+904(SB), Z11
	VMOVDQU64 ·state+968(SB), Z12
	VMOVDQU64 ·state+1032(SB), Z13
	VMOVDQU64 ·state+1096(SB), Z14
	VMOVDQU64 ·state+1160(SB), Z15
	VMOVDQU64 ·state+1224(SB), Z16
	VMOVDQU64 ·state+1288(SB), Z17
	VMOVDQU64 ·state+1352(SB), Z18
	VMOVDQU64 ·state+1416(SB), Z19
	VMOVDQU64 ·state+1480(SB), Z20
	VMOVDQU64 ·state+1544(SB), Z21
	VMOVDQU64 ·state+1608(SB), Z22
	VMOVDQU64 ·state+1672(SB), Z23
	VMOVDQU64 ·state+1736(SB), Z24
	VMOVDQU64 ·state+1800(SB), Z25
	VMOVDQU64 ·state+1864(SB), Z26
	VMOVDQU64 ·state+1928(SB), Z27
	VMOVDQU64 ·state+1992(SB), Z28
	VMOVDQU64 ·state+2056(SB), Z29
	VMOVDQU64 ·state+2120(SB), Z30
	VMOVDQU64 ·state+2184(SB), Z31
	KMOVQ ·state+136(SB), K0
	KMOVQ ·state+144(SB), K1
	KMOVQ ·state+152(SB), K2
	KMOVQ ·state+160(SB), K3
	KMOVQ ·state+168(SB), K4
	KMOVQ ·state+176(SB), K5
	KMOVQ ·state+184(SB), K6
	KMOVQ ·state+192(SB), K7
	LOADGENERAL

TEXT taken512<>(SB), NOSPLIT, $0-0
	MOVB $1, ·branched(SB)
	JMP after512<>(SB)

TEXT after512<>(SB), NOSPLIT, $0-0
	STOREGENERAL
	VMOVDQU64 Z0, ·state+200(SB)
	VMOVDQU64 Z1, ·state+264(SB)
	VMOVDQU64 Z2, ·state+328(SB)
	VMOVDQU64 Z3, ·state+392(SB)
	VMOVDQU64 Z4, ·state+456(SB)
	VMOVDQU64 Z5, ·state+520(SB)
	VMOVDQU64 Z6, ·state+584(SB)
	VMOVDQU64 Z7, ·state+648(SB)
	VMOVDQU64 Z8, ·state+712(SB)
	VMOVDQU64 Z9, ·state+776(SB)
	VMOVDQU64 Z10, ·state+840(SB)
	VMOVDQU64 Z11, ·state+904(SB)
	VMOVDQU64 Z12, ·state+968(SB)
	VMOVDQU64 Z13, ·state+1032(SB)
	VMOVDQU64 Z14, ·state+1096(SB)
	VMOVDQU64 Z15, ·state+1160(SB)
	VMOVDQU64 Z16, ·state+1224(SB)
	VMOVDQU64 Z17, ·state+1288(SB)
	VMOVDQU64 Z18, ·state+1352(SB)
	VMOVDQU64 Z19, ·state+1416(SB)
	VMOVDQU64 Z20, ·state+1480(SB)
	VMOVDQU64 Z21, ·state+1544(SB)
	VMOVDQU64 Z22, ·state+1608(SB)
	VMOVDQU64 Z23, ·state+1672(SB)
	VMOVDQU64 Z24, ·state+1736(SB)
	VMOVDQU64 Z25, ·state+1800(SB)
	VMOVDQU64 Z26, ·state+1864(SB)
	VMOVDQU64 Z27, ·state+1928(SB)
	VMOVDQU64 Z28, ·state+1992(SB)
	VMOVDQU64 Z29, ·state+2056(SB)
	VMOVDQU64 Z30, ·state+2120(SB)
	VMOVDQU64 Z31, ·state+2184(SB)
	KMOVQ K0, ·state+136(SB)
	KMOVQ K1, ·state+144(SB)
	KMOVQ K2, ·state+152(SB)
	KMOVQ K3, ·state+160(SB)
	KMOVQ K4, ·state+168(SB)
	KMOVQ K5, ·state+176(SB)
	KMOVQ K6, ·state+184(SB)
	KMOVQ K7, ·state+192(SB)
	VZEROUPPER
	RET
