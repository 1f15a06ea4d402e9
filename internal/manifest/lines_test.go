package manifest

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestPlainText tries every byte at every place, among others that are plain.
func TestPlainText(t *testing.T) {
	for _, others := range []byte{' ', 'a', '\n', '~'} {
		for place := range 8 {
			for b := range 256 {
				text := make([]byte, 8)
				for i := range text {
					text[i] = others
				}
				text[place] = byte(b)
				want := b >= ' ' && b < 0x7f || b == '\n'
				assert.Equal(t, want, isPlainText(binary.LittleEndian.Uint64(text)), "%q", text)
			}
		}
	}
}
