package quantity

import "testing"

func TestFormats(t *testing.T) {
	for want, got := range map[string]string{
		"0": Count(0), "999": Count(999), "1,000": Count(1000), "-123,456": Count(-123456),
		"1,234,567": Count(int64(1234567)),
		"1 key":     Of(1, "key"), "0 keys": Of(0, "key"), "2000 bytes": Of(2000, "byte"),
		"1 source": CountOf(1, "source"), "2,000 sources": CountOf(int64(2000), "source"),
		"1 turnover": Part(1, "turnover"), "0.25 turnovers": Part(0.25, "turnover"),
		"12.35 turnovers": Part(12.346, "turnover"),
		"0.03":            Digits(0.03), "9.99": Digits(9.994), "10.0": Digits(9.996),
		"12.5": Digits(12.5),
		"99.9": Digits(99.94), "100": Digits(99.96), "1250": Digits(1250),
		"12.5 k": SI(12500), "2.47 M": SI(2.468e6), "0.00": SI(0), "7.00": SI(7),
		"0 B": Bytes(0), "1023 B": Bytes(1023), "1 KiB": Bytes(1024), "1.5 KiB": Bytes(1536),
		"512 MiB":   Bytes(512 << 20),
		"1.172 MiB": Bytes(1200 << 10), "64 GiB": Bytes(int64(64) << 30),
		"8192 GiB": Bytes(int64(8) << 40),
		"0 %":      Percent(0), "0.957 %": Percent(0.00957), "100 %": Percent(1),
		"1e-06 %": Percent(1e-8),
		"1e-05":   Number(1e-5), "20": Number(20), "0.333333": Number(1. / 3),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
