package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

const (
	manifestFile = "MANIFEST.json"
	filesFile    = "FILES.json"
	// format of both.
	format = 1
)

// manifest is MANIFEST.json.
type manifest struct {
	Info   galaxy  `json:"collection_info"`
	Files  fileSum `json:"file_manifest_file"`
	Format int     `json:"format"`
}

// fileSum is an entry of FILES.json, and what MANIFEST.json says of FILES.json.
type fileSum struct {
	Name string `json:"name"`
	Type string `json:"ftype"`
	// The sums are null for a folder.
	SumType *string `json:"chksum_type"`
	Sum     *string `json:"chksum_sha256"`
	Format  int     `json:"format"`
}

// fileList is FILES.json.
type fileList struct {
	Files  []fileSum `json:"files"`
	Format int       `json:"format"`
}

func sumOf(name string, data []byte) fileSum {
	kind, sum := "sha256", sha256.Sum256(data)
	text := hex.EncodeToString(sum[:])
	return fileSum{Name: name, Type: "file", SumType: &kind, Sum: &text, Format: format}
}

func folderSum(name string) fileSum {
	return fileSum{Name: name, Type: "dir", Format: format}
}

// pack returns the tarball of a collection.
func pack(info galaxy, files []entry) ([]byte, error) {
	list := fileList{Files: []fileSum{folderSum(".")}, Format: format}
	for _, file := range files {
		if file.folder {
			list.Files = append(list.Files, folderSum(file.name))
		} else {
			list.Files = append(list.Files, sumOf(file.name, file.data))
		}
	}
	listText, err := encode(list)
	if err != nil {
		return nil, err
	}
	manifestText, err := encode(manifest{Info: info, Files: sumOf(filesFile, listText), Format: format})
	if err != nil {
		return nil, err
	}
	return archive(append([]entry{
		{name: manifestFile, data: manifestText},
		{name: filesFile, data: listText},
	}, files...))
}

func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encoding a manifest: %w", err)
	}
	return out.Bytes(), nil
}

// archive makes a tarball that tells nothing of the machine and the time of its making.
func archive(files []entry) ([]byte, error) {
	var out bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, fmt.Errorf("compressing: %w", err)
	}
	writer := tar.NewWriter(compressed)
	for _, file := range files {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: file.name, Size: int64(len(file.data)), Mode: 0o644,
			ModTime: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC), // the first that a zip file can hold as well
		}
		if file.folder {
			header.Typeflag = tar.TypeDir
		}
		if file.folder || file.executable {
			header.Mode = 0o755
		}
		if err := writer.WriteHeader(header); err != nil {
			return nil, fmt.Errorf("adding %s: %w", file.name, err)
		}
		if _, err := writer.Write(file.data); err != nil {
			return nil, fmt.Errorf("adding %s: %w", file.name, err)
		}
	}
	if err := writer.Close(); err != nil {
		return nil, fmt.Errorf("closing the archive: %w", err)
	}
	if err := compressed.Close(); err != nil {
		return nil, fmt.Errorf("compressing: %w", err)
	}
	return out.Bytes(), nil
}
