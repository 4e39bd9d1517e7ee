package spec

import (
	"fmt"
	"io"
	"time"

	yaml "go.yaml.in/yaml/v3"
)

// ReadJobs reads a batch: the jobs of a text with one or several YAML
// documents, each a job or a list of jobs. The name of the file is only for
// messages. Mistakes in the text come as [Errors].
func ReadJobs(file string, from io.Reader) ([]Job, error) {
	return ReadJobsAt(time.Time{}, file, from)
}

// ReadJobsAt reads a batch that is handed in at a time: a deadline can be a time of day
// or a date.
func ReadJobsAt(now time.Time, file string, from io.Reader) ([]Job, error) {
	docs, err := documents(file, from)
	if err != nil {
		return nil, err
	}
	usual := DefaultJob()
	r := &reader{file: file, now: now, homes: homes(usual.table())}
	var jobs []Job
	for _, n := range items(docs) {
		if r.full() {
			break
		}
		jobs = append(jobs, readJob(r, n))
	}
	if len(jobs) == 0 {
		r.add(&Error{File: file, Problem: "no job here"})
	}
	if err = r.done(); err != nil {
		return nil, err
	}
	return jobs, nil
}

// ReadJob reads a text that holds exactly one job.
func ReadJob(file string, from io.Reader) (Job, error) {
	jobs, err := ReadJobs(file, from)
	if err != nil {
		return Job{}, err
	}
	if len(jobs) > 1 {
		return Job{}, Errors{{File: file, Problem: fmt.Sprintf("%d jobs here, and only one is wanted", len(jobs))}}
	}
	return jobs[0], nil
}

// items lists the documents, with what they list in place of lists. JSON has
// no documents within a file, only lists.
func items(docs []*yaml.Node) []*yaml.Node {
	var all []*yaml.Node
	for _, doc := range docs {
		if doc.Kind == yaml.SequenceNode {
			all = append(all, doc.Content...)
		} else {
			all = append(all, doc)
		}
	}
	return all
}

func readJob(r *reader, n *yaml.Node) Job {
	job := DefaultJob()
	if n.Kind != yaml.MappingNode {
		r.fail(n, "", "want a job (details, resources, qos, optimise), not %s", describe(n))
		return job
	}
	r.lines = nil
	before := len(r.wrong)
	job.tableAt(r.now).readOr(r, "", n, func(key, value *yaml.Node) {
		r.seen(plainKey(key.Value), key)
		if problem := misplaced(key.Value); problem != "" {
			r.fail(key, plainKey(key.Value), "%s", problem)
			return
		}
		if job.Extra == nil {
			job.Extra = map[string]any{}
		}
		job.Extra[key.Value] = rawValue(value)
	})
	if len(r.wrong) == before {
		r.check(job.Validate(), n)
	}
	return job
}

// ReadCluster reads the description of a cluster. The name of the file is only
// for messages. Mistakes in the text come as [Errors].
func ReadCluster(file string, from io.Reader) (Cluster, error) {
	docs, err := documents(file, from)
	if err != nil {
		return Cluster{}, err
	}
	if len(docs) != 1 {
		return Cluster{}, Errors{{File: file, Problem: fmt.Sprintf("want one description of a cluster, not %d", len(docs))}}
	}
	var cluster Cluster
	group := DefaultGroup()
	r := &reader{file: file, homes: map[string]string{}}
	for _, f := range group.table() {
		r.homes[f.name] = "groups"
	}
	cluster.table().read(r, "", docs[0])
	if len(r.wrong) == 0 {
		r.check(cluster.Validate(), docs[0])
	}
	if err = r.done(); err != nil {
		return Cluster{}, err
	}
	return cluster, nil
}
