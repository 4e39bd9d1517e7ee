package spec

import (
	"fmt"
	"io"

	yaml "go.yaml.in/yaml/v3"
)

// Encode writes the job as YAML, known segments first and without what is a
// default anyway. ReadJob gives the same job again, but for a budget made by a
// program, which is rounded to the six decimals money has.
func (j *Job) Encode(to io.Writer) error { return EncodeJobs(to, *j) }

// EncodeJobs writes a batch of jobs, each as a document of its own.
func EncodeJobs(to io.Writer, jobs ...Job) error {
	docs := make([]*yaml.Node, len(jobs))
	for i := range jobs {
		doc, err := jobNode(&jobs[i])
		if err != nil {
			return err
		}
		docs[i] = doc
	}
	return emit(to, docs...)
}

// Encode writes the description of the cluster as YAML, without what is a
// default anyway.
func (c *Cluster) Encode(to io.Writer) error {
	if err := c.Validate(); err != nil {
		return err
	}
	return emit(to, c.table().write(nil))
}

func jobNode(j *Job) (*yaml.Node, error) {
	if err := j.Validate(); err != nil {
		return nil, err
	}
	usual := DefaultJob()
	doc := j.table().write(usual.table())
	for _, name := range j.extras() {
		n, err := rawNode(j.Extra[name])
		if err != nil {
			return nil, &Error{Field: plainKey(name), Problem: err.Error()}
		}
		doc.Content = append(doc.Content, stringNode(name), n)
	}
	return doc, nil
}

// emit writes the documents with "---" between them.
func emit(to io.Writer, docs ...*yaml.Node) error {
	encoder := yaml.NewEncoder(to)
	encoder.SetIndent(2)
	for _, doc := range docs {
		if err := encoder.Encode(doc); err != nil {
			return fmt.Errorf("write specification: %w", err)
		}
	}
	return encoder.Close()
}
