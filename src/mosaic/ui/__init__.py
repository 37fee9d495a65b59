"""The desktop. The only package that imports Qt; `ui.models` does not."""
