package deletable

import (
	"testing"

	"github.com/bloomlane/bloomlane/filter/filtertest"
)

func TestLaws(t *testing.T) { filtertest.Run(t, Kind) }
