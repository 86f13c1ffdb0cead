// Package plan is no API: it makes the report of the command plan. A report has the planned table,
// and predictions over turnovers and over bits per key.
package plan
