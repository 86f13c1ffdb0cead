package chart

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The colours of Okabe and Ito, which the colour-blind tell apart, less yellow, which white
// swallows. Black is for what all others are compared with.
var (
	palette = []color.Color{
		color.RGBA{0x00, 0x72, 0xb2, 0xff}, // blue
		color.RGBA{0xd5, 0x5e, 0x00, 0xff}, // vermilion
		color.RGBA{0x00, 0x9e, 0x73, 0xff}, // bluish green
		color.RGBA{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
		color.RGBA{0xe6, 0x9f, 0x00, 0xff}, // orange
		color.RGBA{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	}
	pale = color.RGBA{0xdd, 0xdd, 0xdd, 0xff} // of the grid
	grey = color.RGBA{0x99, 0x99, 0x99, 0xff} // of what is no series

	glyphs = []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{},
		draw.RingGlyph{}, draw.TriangleGlyph{}, draw.SquareGlyph{}, draw.PlusGlyph{},
	}
	dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}, {10, 4}, {4, 2, 1, 2, 1, 2}}
)

// colour returns the colour of the k-th series.
func colour(k int) color.Color { return palette[k%len(palette)] }

// Look is how a series is drawn: with a line of a width, with marks of a shape, or with both.
type Look struct {
	Line draw.LineStyle
	Mark draw.GlyphStyle
}

// Marked is the look of the k-th series of few points: colours, marks and dashes repeat after
// different numbers, so that no two of 24 are alike in black and white or in colour.
func Marked(k int) Look {
	return Look{
		Line: draw.LineStyle{Color: colour(k), Width: 1.5,
			Dashes: dashes[k/len(palette)%len(dashes)]},
		Mark: draw.GlyphStyle{Color: colour(k), Radius: 4, Shape: glyphs[k%len(glyphs)]},
	}
}

// Curve is the look of the k-th series of many points, of which the seventh is black: dashes tell
// the lines apart in grey.
func Curve(k int) Look {
	line := draw.LineStyle{Color: color.Black, Width: 1.5, Dashes: dashes[k%len(dashes)]}
	if colours := len(palette) + 1; k%colours < len(palette) {
		line.Color = palette[k%colours]
	}
	return Look{Line: line}
}

// Marks is the look of the marks of Marked alone, for what was measured, beside a line for what is
// expected.
func Marks(k int) Look { return Look{Mark: Marked(k).Mark} }

// Expected is the look of the line beside Marks.
func Expected(k int) Look { return thin(colour(k), 4, 3) }

// Limit is the look of what the series are compared with, and Reference that of a line to read them
// by.
var (
	Limit     = thin(color.Black, 4, 3)
	Reference = thin(grey)
)

func thin(c color.Color, dashes ...vg.Length) Look {
	return Look{Line: draw.LineStyle{Color: c, Width: 1, Dashes: dashes}}
}
