package main

import (
	"github.com/libra-market/libra/lab/trial"
)

// parseSettings reads the values of --set.
func parseSettings(texts []string) ([]trial.Setting, error) {
	settings, err := trial.ParseSettings(texts)
	if err != nil {
		return nil, usagef("--set: %w", err)
	}
	return settings, nil
}

// newModel finds the model of --sla.
func newModel(name string) (trial.Model, error) {
	model, err := trial.NewModel(name)
	if err != nil {
		return trial.Model{}, usagef("--sla: %w", err)
	}
	return model, nil
}

// distribute gives each value of --set to whoever knows it.
func distribute(settings []trial.Setting, contenders []trial.Contender, model trial.Model) error {
	if err := trial.Distribute(settings, contenders, model); err != nil {
		return usagef("--set: %w", err)
	}
	return nil
}
