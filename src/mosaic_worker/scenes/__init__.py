"""Scenes of environments: state in, a `Scene` out, one module a family. Never steps one."""
