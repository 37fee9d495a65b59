"""What the parts of the window share: context, bridge, ops, keys, theme. Knows no part."""
