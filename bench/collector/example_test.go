package collector_test

import (
	"log"
	"os"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/sharded"
)

// filters collects the metrics of filters, by their names, when Prometheus asks for them.
type filters map[string]*sharded.Filter

var (
	label   = []string{"filter"}
	members = prometheus.NewDesc("filter_members", "Inserts minus deletes.", label, nil)
	rate    = prometheus.NewDesc("filter_false_positive_rate", "Of the bits now.", label, nil)
	absent  = prometheus.NewDesc("filter_absent_deletes_total",
		"Deletes of keys that were not there: the program deletes non-members.", label, nil)
	due = prometheus.NewDesc("filter_rebuild_due", "1 after more inserts than planned.", label, nil)
)

func (all filters) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(all, to) }

func (all filters) Collect(to chan<- prometheus.Metric) {
	for name, f := range all {
		s, isDue := f.Stats(), 0.0
		if f.Due() != nil {
			isDue = 1
		}
		gauge, counter := prometheus.GaugeValue, prometheus.CounterValue
		to <- prometheus.MustNewConstMetric(members, gauge, float64(s.Members), name)
		to <- prometheus.MustNewConstMetric(rate, gauge, s.Rate, name)
		to <- prometheus.MustNewConstMetric(absent, counter, float64(s.Absent), name)
		to <- prometheus.MustNewConstMetric(due, gauge, isDue, name)
	}
}

// A program registers the filters once. In a server, promhttp.Handler() is what Prometheus asks.
func Example() {
	denied, err := sharded.New(deletable.Config{Members: 1000, Rate: 1e-9})
	if err != nil {
		log.Fatal(err)
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(filters{"denied": denied})

	for address := range uint64(1001) {
		denied.InsertUint64(address)
	}
	denied.DeleteUint64(0)
	denied.DeleteUint64(1 << 40) // never inserted
	families, err := registry.Gather()
	if err != nil {
		log.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == "filter_false_positive_rate" {
			continue // another one under each key
		}
		if _, err := expfmt.MetricFamilyToText(os.Stdout, family); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// # HELP filter_absent_deletes_total Deletes of keys that were not there: the program deletes non-members.
	// # TYPE filter_absent_deletes_total counter
	// filter_absent_deletes_total{filter="denied"} 1
	// # HELP filter_members Inserts minus deletes.
	// # TYPE filter_members gauge
	// filter_members{filter="denied"} 1000
	// # HELP filter_rebuild_due 1 after more inserts than planned.
	// # TYPE filter_rebuild_due gauge
	// filter_rebuild_due{filter="denied"} 1
}
