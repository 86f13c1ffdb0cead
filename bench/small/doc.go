// Package small is no API: it compares many small filters, one a tenant, of this project and of
// other libraries. They are made for a rate, filled, saved as one stream and read back:
//
//	go test -run '^$' -bench . -benchtime 1x ./bench/small
package small
