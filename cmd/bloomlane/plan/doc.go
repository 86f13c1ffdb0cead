// Package plan is no API: it makes the report of the command plan. A report has the planned table,
// predictions over turnovers and over bits per key, simulations beside them, and pictures of both.
package plan
