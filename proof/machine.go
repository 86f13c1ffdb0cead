package proof

import (
	"fmt"
	"strings"
)

// The most instructions of a path, and paths of a function or a part of one. No loop here depends
// on arguments but those of batches, whose heads are stops.
const (
	mostSteps = 20000
	mostPaths = 1024
)

// machine runs functions of a program over terms.
type machine struct {
	*pool
	program *program
	code    map[uint64]instruction
	change  change                 // of each function, or nil
	back    *term                  // the address that the first function returns to
	stops   map[uint64]bool        // instructions before which a path ends, if it began elsewhere
	never   func(taken *term) bool // of a branch, which then has to be proved; or nil
}

// change plants mistakes in the function of that name.
type change func(name string, code []instruction) []instruction

// outcome says how a path ends.
type outcome uint8

const (
	returned outcome = iota
	panicked         // it calls a function of the runtime that panics
	grown            // it calls the runtime for a longer stack, and would start again
	left             // it leaves the operation to portable Go
	arrived          // it is at one of the machine's stops
)

type end struct {
	outcome outcome
	*state
}

// FlowError is a path that cannot be followed.
type FlowError struct{ Instruction, Reason string }

func (e *FlowError) Error() string { return fmt.Sprintf("%s: %s", e.Instruction, e.Reason) }

// enter decodes the function of that name, and returns its address.
func (m *machine) enter(name string) (uint64, error) {
	decoded, err := m.program.function(name)
	if err != nil {
		return 0, err
	}
	if m.change != nil {
		decoded = m.change(name, decoded)
	}
	for _, i := range decoded {
		m.code[i.address] = i
	}
	return decoded[0].address, nil
}

// run follows every path from the start of a function to its end.
func (m *machine) run(name string, s *state) (ends []end, err error) {
	if s.next, err = m.enter(name); err != nil {
		return nil, err
	}
	return m.explore(name, s)
}

// explore follows every path from the next instruction of a state to its end, in a function that
// is entered.
func (m *machine) explore(name string, s *state) (ends []end, err error) {
	for open := []*state{s}; len(open) > 0; {
		s, open = open[len(open)-1], open[:len(open)-1]
		reached, forks, err := m.follow(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		open = append(open, forks...)
		ends = append(ends, reached...)
		if len(ends)+len(open) > mostPaths {
			return nil, &FlowError{name, fmt.Sprintf("more than %d paths", mostPaths)}
		}
	}
	return ends, nil
}

// follow runs a path to its end, or to a branch that may go both ways.
func (m *machine) follow(s *state) (ends []end, forks []*state, err error) {
	for {
		if len(s.followed) > 0 && m.stops[s.next] {
			return []end{{arrived, s}}, nil, nil
		}
		i, ok := m.code[s.next]
		if !ok {
			return nil, nil, &FlowError{fmt.Sprintf("%#x", s.next), "no instruction of a function"}
		}
		if s.followed = append(s.followed, i); len(s.followed) > mostSteps {
			return nil, nil, &FlowError{i.text, fmt.Sprintf("more than %d instructions", mostSteps)}
		}
		m.note(i.text)
		now := step{pool: m.pool, instruction: i, state: s}
		if err := m.program.execute(&now); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", i.text, err)
		}
		switch {
		case now.taken == nil || m.isZero(now.taken):
		case !m.isOnes(now.taken) && m.never != nil && m.never(now.taken):
			s.obliged = append(s.obliged, m.or(m.not(s.path), m.not(now.taken)))
		case !m.isOnes(now.taken):
			branched := s.clone()
			branched.next = now.target.value[0]
			branched.path = m.and(s.path, now.taken)
			s.path = m.and(s.path, m.not(now.taken))
			return nil, []*state{s, branched}, nil
		case now.target == m.back:
			return []end{{returned, s}}, nil, nil
		case now.target.operator != constant:
			return nil, nil, &FlowError{i.text, "its target is not known"}
		default:
			s.next = now.target.value[0]
			if _, known := m.code[s.next]; known && i.mnemonic != "call" {
				continue
			}
			outcome, err := m.called(s.next)
			if err != nil {
				return nil, nil, err
			}
			if outcome != returned {
				return []end{{outcome, s}}, nil, nil
			}
		}
	}
}

// called says whether a call, or a jump out of a function, is to a function of the definition,
// which is followed, to the runtime, or from assembly to portable Go.
func (m *machine) called(address uint64) (outcome, error) {
	name, err := m.program.name(address)
	if err != nil {
		return 0, err
	}
	switch {
	case strings.HasPrefix(name, "runtime.panic"):
		return panicked, nil
	case strings.HasPrefix(name, "runtime.morestack"):
		return grown, nil
	case strings.HasPrefix(name, module+"asm.") && strings.HasSuffix(name, "Portable.abi0"):
		return left, nil
	case strings.HasPrefix(name, module+"fallback."),
		strings.HasPrefix(name, module+"asm.Query") && strings.HasSuffix(name, ".abi0"), // a choice
		strings.HasPrefix(name, module+"internal/siphash."):
		_, err := m.enter(name)
		return returned, err
	}
	return 0, &FlowError{"call", "unknown function " + name}
}
