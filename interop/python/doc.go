// Package python is no API: it has bloomlane.py, an example of a reader of files in another
// language, written from docs/format.md, and holds it to the committed files.
package python
