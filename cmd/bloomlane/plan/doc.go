// Package plan is no API: it makes the reports of a planned table: its predictions over turnovers
// and over bits per key, simulations beside them, and pictures of both.
package plan
