package proof

// The lemmas of batches.

// lemmaHalves is HighHalf for split blocks.
var lemmaHalves = Theorem{
	Name: "HighHalf32",
	Says: "h n = 2^32 high + low gives high < n, and no word overflows",
	Script: `; The high half of the product of two half words is below the second, if that is not
; zero.
(set-logic QF_NIA)
(declare-const h Int)
(declare-const n Int)
(declare-const high Int)
(declare-const low Int)
(define-fun halves () Int 4294967296)
(assert (and (<= 0 h) (< h halves) (< 0 n) (< n halves)))
(assert (and (<= 0 low) (< low halves) (= (* h n) (+ (* high halves) low))))
(assert (not (and (< high n) (< (* h n) (* halves halves)))))
(check-sat)
`,
}

// lemmaShifted is that arm64 takes the index of a split block from the high half of a product.
var lemmaShifted = Theorem{
	Name: "Halves",
	Says: "h n = 2^32 high + low gives (2^32 h) n = 2^64 high + 2^32 low, both in their ranges",
	Script: `; The high word of (2^32 h) n is the high half of the product h n of half words.
(set-logic QF_NIA)
(declare-const h Int)
(declare-const n Int)
(declare-const high Int)
(declare-const low Int)
(define-fun halves () Int 4294967296)
(define-fun words () Int 18446744073709551616)
(assert (and (<= 0 h) (< h halves) (< 0 n) (< n halves)))
(assert (and (<= 0 low) (< low halves) (= (* h n) (+ (* high halves) low))))
(assert (not (and (= (* halves (* h n)) (+ (* high words) (* halves low)))
  (<= 0 (* halves low)) (< (* halves low) words))))
(check-sat)
`,
}

// lemmaQuarters is that the high half of a product by half a word comes of two products.
var lemmaQuarters = Theorem{
	Name: "Quarters",
	Says: "n < 2^32 gives the high half of (2^32 a + b) n from a n and b n, without overflow",
	Script: `; With b n = 2^32 middle + low and a n + middle = 2^32 high + rest, the product of 2^32 a + b
; and n is 2^64 high and less than a word, and a n + middle is a word.
(set-logic QF_NIA)
(declare-const a Int)
(declare-const b Int)
(declare-const n Int)
(declare-const high Int)
(declare-const rest Int)
(declare-const middle Int)
(declare-const low Int)
(define-fun halves () Int 4294967296)
(define-fun words () Int 18446744073709551616)
(assert (and (<= 0 a) (< a halves) (<= 0 b) (< b halves) (<= 0 n) (< n halves)))
(assert (and (<= 0 low) (< low halves) (= (* b n) (+ (* middle halves) low))))
(assert (and (<= 0 rest) (< rest halves) (= (+ (* a n) middle) (+ (* high halves) rest))))
(assert (not (and (< (+ (* a n) middle) words)
  (<= 0 (- (+ (* halves (* a n)) (* b n)) (* high words)))
  (< (- (+ (* halves (* a n)) (* b n)) (* high words)) words))))
(check-sat)
`,
}

// lemmaOnes states that a word has no more ones than bits, if no bit is set behind them. The count
// is made as popcnt's is here.
func lemmaOnes() Theorem {
	p := newPool()
	v, bits := p.variable("word", listedAtOnce), p.variable("bits", 64)
	count := p.extend(p.onesCount(p.extend(v, 32)), 64)
	most := p.number(listedAtOnce, 64)
	return Theorem{Name: "Ones", Says: "a word with no bit behind some has no more ones than these",
		Script: script(p, []string{"A word of 16 bits, of which only the first may be set."},
			[]goal{{"", "there are at most 16", p.not(p.less(most, bits))},
				{"", "no other is set", p.equal(p.shiftRight(v, p.extract(bits, listedAtOnce-1, 0)),
					p.number(0, listedAtOnce))}},
			[]goal{{"no_more", "It has no more ones", p.not(p.less(bits, count))}})}
}
