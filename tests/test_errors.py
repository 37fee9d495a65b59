from __future__ import annotations

import mosaic.errors
from mosaic.errors import MosaicError


def test_the_tree_in_the_docstring_names_every_error_and_all_lists_it() -> None:
    defined = {name for name, value in vars(mosaic.errors).items() if isinstance(value, type)}
    assert defined == set(mosaic.errors.__all__)
    for name in defined:
        assert name in (mosaic.errors.__doc__ or "")
        assert issubclass(getattr(mosaic.errors, name), MosaicError)
