// Package archive writes archives that tell nothing of the machine and the user that made them: the same files
// give the same bytes.
package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"path"
	"slices"
	"time"
)

// File is a regular file, or a symbolic link to Target.
type File struct {
	Name       string
	Data       []byte
	Executable bool
	Target     string
}

// Tar returns an archive of files, sorted, root's, and of one time. The folders
// that files lie in come before them.
func Tar(files []File, modified time.Time) ([]byte, error) {
	headers := map[string]*tar.Header{}
	data := map[string][]byte{}
	for _, file := range files {
		if _, ok := headers[file.Name]; ok {
			return nil, fmt.Errorf("the archive would hold %q twice", file.Name)
		}
		headers[file.Name], data[file.Name] = header(file), file.Data
		for folder := path.Dir(file.Name); folder != "."; folder = path.Dir(folder) {
			headers[folder+"/"] = &tar.Header{Typeflag: tar.TypeDir, Mode: 0o755}
		}
	}
	names := make([]string, 0, len(headers))
	for name := range headers {
		names = append(names, name)
	}
	slices.Sort(names)
	var out bytes.Buffer
	writer := tar.NewWriter(&out)
	for _, name := range names {
		headers[name].Name, headers[name].ModTime, headers[name].Format = name, modified.UTC(), tar.FormatUSTAR
		if err := writer.WriteHeader(headers[name]); err != nil {
			return nil, fmt.Errorf("adding %q: %w", name, err)
		}
		if _, err := writer.Write(data[name]); err != nil {
			return nil, fmt.Errorf("adding %q: %w", name, err)
		}
	}
	if err := writer.Close(); err != nil {
		return nil, fmt.Errorf("closing the archive: %w", err)
	}
	return out.Bytes(), nil
}

func header(file File) *tar.Header {
	switch {
	case file.Target != "":
		return &tar.Header{Typeflag: tar.TypeSymlink, Linkname: file.Target, Mode: 0o777}
	case file.Executable:
		return &tar.Header{Typeflag: tar.TypeReg, Size: int64(len(file.Data)), Mode: 0o755}
	}
	return &tar.Header{Typeflag: tar.TypeReg, Size: int64(len(file.Data)), Mode: 0o644}
}

// Gzip compresses data as far as it goes. The bytes are those of one version of Go.
func Gzip(data []byte) ([]byte, error) {
	var out bytes.Buffer
	writer, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, fmt.Errorf("compressing: %w", err)
	}
	if _, err := writer.Write(data); err != nil {
		return nil, fmt.Errorf("compressing: %w", err)
	}
	if err := writer.Close(); err != nil {
		return nil, fmt.Errorf("compressing: %w", err)
	}
	return out.Bytes(), nil
}
