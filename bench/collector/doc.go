// Package collector has an example: filters as metrics of Prometheus. It is in this module because
// the library does not require Prometheus's.
package collector
