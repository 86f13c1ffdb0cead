// Package plan makes the reports of a planned table: its predictions over turnovers and over bits a
// key, simulations beside them, and pictures of both.
package plan
