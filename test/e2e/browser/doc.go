// Package browser looks at the page that "ringfence access graph" writes as a
// person does: in a real Chromium, narrow and wide.
package browser
