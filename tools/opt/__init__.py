"""The parts of dotload-opt: command line, engines, diagnostics, stages. `driver` puts them together."""
