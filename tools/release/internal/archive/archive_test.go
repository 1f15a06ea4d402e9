package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var modified = time.Unix(1_700_000_000, 0)

func TestTar(t *testing.T) {
	data, err := Tar([]File{
		{Name: "usr/bin/one", Target: "two"},
		{Name: "etc/passwd", Data: []byte("nobody")},
		{Name: "usr/bin/two", Data: []byte("program"), Executable: true},
		{Name: "README", Data: []byte("#")},
	}, modified)
	require.NoError(t, err)
	var got []string
	reader := tar.NewReader(bytes.NewReader(data))
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		got = append(got, fmt.Sprintf("%s %o %s", header.Name, header.Mode, header.Linkname))
		assert.Zero(t, header.Uid+header.Gid)
		assert.Empty(t, header.Uname+header.Gname)
		assert.True(t, header.ModTime.Equal(modified))
	}
	assert.Equal(t, []string{
		"README 644 ", "etc/ 755 ", "etc/passwd 644 ", "usr/ 755 ", "usr/bin/ 755 ", "usr/bin/one 777 two", "usr/bin/two 755 ",
	}, got)
}

func TestTarTwice(t *testing.T) {
	_, err := Tar([]File{{Name: "a"}, {Name: "a"}}, modified)
	require.ErrorContains(t, err, `"a" twice`)
}

func TestGzip(t *testing.T) {
	first, err := Gzip([]byte("text"))
	require.NoError(t, err)
	second, err := Gzip([]byte("text"))
	require.NoError(t, err)
	assert.Equal(t, first, second)
	reader, err := gzip.NewReader(bytes.NewReader(first))
	require.NoError(t, err)
	assert.True(t, reader.ModTime.IsZero())
	assert.Empty(t, reader.Name)
	text, err := io.ReadAll(reader)
	require.NoError(t, err)
	assert.Equal(t, "text", string(text))
}
